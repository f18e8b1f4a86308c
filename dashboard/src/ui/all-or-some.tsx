// Chooses all or some entries of a list with checkboxes.

import { Checkbox } from './checkbox.tsx'
import { Choice } from './ui.tsx'

export interface Part {
  readonly all: boolean
  /** Kept while all are chosen, to be restored. */
  readonly some: readonly string[]
}

/** All when none is named. */
export function partOf(some: readonly string[]): Part {
  return { all: some.length === 0, some }
}

export function AllOrSome({
  label,
  words: [all, some],
  legend,
  options,
  part,
  onChange,
}: {
  readonly label: string
  /** Labels for all and for some. */
  readonly words: readonly [all: string, some: string]
  readonly legend: string
  readonly options: readonly (readonly [value: string, label: string])[]
  readonly part: Part
  readonly onChange: (part: Part) => void
}) {
  return (
    <>
      <Choice
        label={label}
        value={part.all ? 'all' : 'some'}
        onChange={(which) => onChange({ ...part, all: which === 'all' })}
        options={[
          ['all', all],
          ['some', some],
        ]}
      />
      {!part.all && (
        <Ticks
          legend={legend}
          options={options}
          chosen={part.some}
          onChange={(chosen) => onChange({ ...part, some: chosen })}
        />
      )}
    </>
  )
}

function Ticks({
  legend,
  options,
  chosen,
  onChange,
}: {
  readonly legend: string
  readonly options: readonly (readonly [value: string, label: string])[]
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
}) {
  const turn = (value: string, on: boolean): void =>
    onChange(on ? [...chosen, value] : chosen.filter((one) => one !== value))
  return (
    <fieldset className="basis-full">
      <legend className="mb-1 text-quiet">{legend}</legend>
      <div className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,13rem),1fr))] gap-x-4 gap-y-1">
        {options.map(([value, label]) => (
          <Checkbox key={value} className="min-w-0" checked={chosen.includes(value)} onChange={(on) => turn(value, on)}>
            <span className="min-w-0 break-all">{label}</span>
          </Checkbox>
        ))}
      </div>
    </fieldset>
  )
}
