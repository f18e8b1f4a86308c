// Processes a list from a file or pasted text and shows its progress. The page decides what happens with each part.

import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ChangeEvent, type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react'
import { type Fault, type Outcome, type Progress, pause, runBulkCalls } from '../api/bulk-calls.ts'
import { type Scope, usePermission } from '../api/permissions.tsx'
import { Confirm } from '../ui/confirm.tsx'
import type { Search } from '../ui/search.ts'
import { Table } from '../ui/table.tsx'
import { Button, Field, Problem } from '../ui/ui.tsx'
import { Unsaved } from '../ui/unsaved.tsx'
import { figure } from '../words/number-format.ts'
import { csvText, type Entry, type Listed, readList, textOf } from './csv.ts'
import { save } from './save.ts'

const SHOWN_FAULTS = 100
const SHOWN_LINES = 5

export function Import({
  verb,
  size,
  hint,
  reads,
  refusal = none,
  call,
  started,
  finished,
  before,
  result,
  isLost = no,
}: {
  /** Label of the button: `Import`, `Validate`. */
  readonly verb: string
  /** Addresses per call of the API. */
  readonly size: number
  /** Possible names of the columns. */
  readonly hint: string
  /** Headings that are used, in lower case; others are reported. Absent when none is used or expected. */
  readonly reads?: readonly string[]
  /** Why an entry is left out; null when it is not. */
  readonly refusal?: (entry: Entry) => string | null
  readonly call: (part: readonly Entry[]) => Promise<Outcome>
  readonly started?: () => void
  readonly finished?: () => void
  /** Shown once there is a list; initially null. */
  readonly before?: (list: Listed) => ReactNode
  /** Shown beside the figures during and after the run. */
  readonly result?: ReactNode
  /** Whether there are results that only this page has; evaluated on leaving. */
  readonly isLost?: () => boolean
}) {
  const [text, setText] = useState('')
  const [file, setFile] = useState<string | null>(null)
  const list = useMemo(() => readList(text), [text])
  const { entries, leftOut } = useMemo(() => sifted(list, refusal), [list, refusal])
  const [run, setRun] = useState<Run | null>(null)
  const [error, setError] = useState<unknown>(null)
  const running = useRef<AbortController | null>(null)
  const [busy, setBusy] = useState(false)
  // Nobody would see its progress any more, nor could stop it.
  useEffect(() => () => running.current?.abort(), [])
  const begin = async (): Promise<void> => {
    const control = new AbortController()
    running.current = control
    setBusy(true)
    setError(null)
    started?.()
    try {
      const { signal } = control
      const tell = (progress: Progress): void => setRun({ text, leftOut, progress })
      await runBulkCalls({ items: entries, size, call, tell, signal, pause })
    } catch (problem) {
      setError(problem)
    }
    setBusy(false)
    finished?.()
  }
  const isAgain = run?.text === text && !busy
  const isDone = isAgain && error === null && run.progress.at === run.progress.total && run.progress.faults.length === 0
  // A file can be chosen again.
  const isPasted = (): boolean => file === null && text.trim() !== '' && run?.text !== text
  return (
    <div className="grid gap-3">
      <Unsaved
        waits={() => busy || isLost()}
        name={busy ? 'Unfinished list' : 'Unsaved results'}
        what={whatIsLost(busy, isLost())}
        leaving={busy ? 'Stop and leave' : 'Leave without them'}
      />
      <Unsaved
        waits={() => !busy && !isLost() && isPasted()}
        what="Nothing has been done yet with the list that you pasted."
        leaving="Leave without it"
      />
      <Choose
        text={text}
        file={file}
        hint={hint}
        disabled={busy}
        isAgain={isAgain}
        give={(given, name) => {
          setText(given)
          setFile(name)
          // Results that only this page has are kept until the next list begins.
          if (!isLost()) setRun(null)
        }}
      />
      {text !== '' && <Found list={list} left={entries.length} leftOut={leftOut} reads={reads} />}
      {text !== '' && before?.(list)}
      <div className="flex flex-wrap gap-2">
        <Confirm
          kind={isAgain ? 'plain' : 'main'}
          label={entries.length === 0 ? verb : `${verb} ${figure(entries.length)}${isAgain && !isDone ? ' again' : ''}`}
          disabled={busy || entries.length === 0 || isDone}
          asks={isLost}
          question="The results so far are not downloaded, and only this page has them. The next list replaces them."
          yes="Replace them"
          onYes={() => void begin()}
        />
        {busy && <Button onClick={() => running.current?.abort()}>Stop</Button>}
      </div>
      <Problem error={error} />
      {run !== null && <Shown run={run} isBefore={run.text !== text} busy={busy} result={result} />}
    </div>
  )
}

/** A list that is or was processed. */
interface Run {
  readonly text: string
  readonly leftOut: readonly Fault[]
  readonly progress: Progress
}

function Choose({
  text,
  file,
  hint,
  disabled,
  isAgain,
  give,
}: {
  readonly text: string
  readonly file: string | null
  readonly hint: string
  readonly disabled: boolean
  /** Whether the list has been processed. */
  readonly isAgain: boolean
  readonly give: (text: string, file: string | null) => void
}) {
  const id = useId()
  const chosen = async (event: ChangeEvent<HTMLInputElement>): Promise<void> => {
    const one = event.target.files?.[0]
    if (one !== undefined) give(textOf(new Uint8Array(await one.arrayBuffer())), one.name)
  }
  return (
    <>
      <div>
        <label htmlFor={id} className="mb-1 block text-quiet">
          CSV file
        </label>
        <input
          id={id}
          type="file"
          accept=".csv,.txt,.tsv,text/csv,text/plain"
          disabled={disabled}
          onClick={(event) => {
            // So that the same file, corrected, can be chosen again.
            if (isAgain) event.currentTarget.value = ''
          }}
          onChange={(event) => void chosen(event)}
          className="max-w-full file:mr-3 file:cursor-pointer file:rounded file:border file:border-line file:bg-raised file:px-3 file:py-1.5 file:text-ink"
        />
      </div>
      {file === null && (
        <Field
          label="Or paste addresses"
          rows={5}
          mono
          value={text}
          onChange={(given) => give(given, null)}
          hint={hint}
        />
      )}
    </>
  )
}

function none(): null {
  return null
}

function no(): boolean {
  return false
}

function whatIsLost(busy: boolean, results: boolean): string {
  if (!busy) return 'The results are not downloaded, and only this page has them.'
  return `The list is still being processed. Leaving stops that; ${results ? 'the results so far are lost' : 'what is done stays done'}.`
}

/** Entries to import, and those left out with the reason, by line. */
function sifted(
  { entries, faults }: Listed,
  refusal: (entry: Entry) => string | null,
): { readonly entries: readonly Entry[]; readonly leftOut: readonly Fault[] } {
  const judged = entries.map((entry) => ({ entry, message: refusal(entry) }))
  const refused = judged.flatMap(({ entry: { line, email }, message }) =>
    message === null ? [] : [{ line, text: email, message }],
  )
  return {
    entries: judged.filter(({ message }) => message === null).map(({ entry }) => entry),
    leftOut: [...faults, ...refused].sort((one, other) => one.line - other.line),
  }
}

function Found({
  list: { without, swallowing, headings },
  left,
  leftOut,
  reads,
}: {
  readonly list: Listed
  readonly left: number
  readonly leftOut: readonly Fault[]
  readonly reads: readonly string[] | undefined
}) {
  const ignored = reads === undefined ? [] : headings.filter((heading) => !reads.includes(heading.toLowerCase()))
  const reasons = Map.groupBy(leftOut, ({ message }) => message)
  return (
    <div role="status" className="grid gap-1 text-quiet">
      <p>
        {figure(left)} {left === 1 ? 'address' : 'addresses'}
        {without.length > 0 && `; no address in ${linesOf(without.map(({ line }) => line))}`}.
      </p>
      {[...reasons].map(([reason, faults]) => (
        <p key={reason} className="text-bad">
          Skipped, {linesOf(faults.map(({ line }) => line))}: {reason}
        </p>
      ))}
      {swallowing.length > 0 && (
        <p className="text-wait">
          A field spans several lines, with an @ in them, in {linesOf(swallowing)}. Is a closing quote missing?
        </p>
      )}
      {ignored.length > 0 && <p className="text-wait">Ignored columns: {ignored.join(', ')}.</p>}
    </div>
  )
}

function linesOf(lines: readonly number[]): string {
  const shown = lines.slice(0, SHOWN_LINES).join(', ')
  const more = lines.length - SHOWN_LINES
  return `${lines.length === 1 ? 'line' : 'lines'} ${shown}${more > 0 ? ` and ${figure(more)} more` : ''}`
}

function Shown({
  run: { progress, leftOut },
  isBefore,
  busy,
  result,
}: {
  readonly run: Run
  /** Whether another list has been chosen since. */
  readonly isBefore: boolean
  readonly busy: boolean
  readonly result: ReactNode
}) {
  const { at, total, done, waits } = progress
  const faults = [...leftOut, ...progress.faults].sort((one, other) => one.line - other.line)
  const state = !busy
    ? at < total
      ? `${isBefore ? 'The list before, stopped' : 'Stopped'} after ${figure(at)} of ${figure(total)}: `
      : `${isBefore ? 'The list before' : 'Finished'}: `
    : waits > 0
      ? `Rate limited, continuing in ${waits} s: `
      : ''
  return (
    <div className="grid gap-2">
      <progress className="meter" max={total} value={at} aria-label="Progress" />
      <p role="status">
        {state}
        {figure(done)} of {figure(total + leftOut.length)} done
        {faults.length > 0 && `, ${figure(faults.length)} failed`}.
      </p>
      {result}
      {faults.length > 0 && (
        <>
          <Table
            caption="Failed lines"
            rows={faults.slice(0, SHOWN_FAULTS)}
            keyOf={({ line, text }) => `${line} ${text}`}
            columns={[
              { head: 'Line', right: true, cell: ({ line }) => line },
              { head: 'Text', main: true, cell: ({ text }) => <span className="break-all">{text}</span> },
              { head: 'Problem', fill: true, cell: ({ message }) => message },
            ]}
            empty=""
          />
          <div>
            <Button
              small
              onClick={() =>
                save(
                  'faults.csv',
                  csvText([['line', 'text', 'fault'], ...faults.map((one) => [one.line, one.text, one.message])]),
                )
              }
            >
              {faults.length === 1 ? 'Download the failed line' : `Download all ${figure(faults.length)} failed lines`}
            </Button>
          </div>
        </>
      )}
    </div>
  )
}

/** The open import has a URL of its own, so that it can be linked to. */
export function useImport(scope: Scope): readonly [open: boolean, button: ReactNode] {
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const may = usePermission()(scope)
  const open = may && search['import'] === '1'
  const turn = (): void => void navigate({ to: '.', search: (open ? {} : { import: '1' }) as never })
  return [
    open,
    <Button key="import" scope={scope} expanded={open} onClick={turn}>
      {open ? 'Close import' : 'Import'}
    </Button>,
  ]
}
