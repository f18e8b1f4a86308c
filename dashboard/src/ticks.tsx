// Some of a list, chosen by ticking them off.

export function Ticks({
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
          <label key={value} className="flex min-w-0 items-center gap-2">
            <input
              type="checkbox"
              className="accent-brass"
              checked={chosen.includes(value)}
              onChange={(event) => turn(value, event.target.checked)}
            />
            <span className="min-w-0 break-all">{label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
