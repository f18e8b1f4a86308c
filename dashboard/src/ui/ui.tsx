// The components shared by all pages.

import { type ReactNode, type RefObject, useContext, useEffect, useId, useRef, useState } from 'react'
import { ASK_AGAIN_MS, isAway, isBack, isSignedOut, mayPass, problemText, tryAgain, waitOf } from '../api/api.ts'
import { saidOfIt } from '../api/faults.ts'
import { type Scope, usePermission } from '../api/permissions.tsx'
import { dateFormat } from '../words/date-format.ts'
import { type Tone, toneOf } from '../words/tones.ts'
import { tell } from './announcements.tsx'
import { copied } from './clipboard.ts'
import { RowName } from './row-name.ts'

/** Takes the place of a page's sentence until it is known. */
export const NOT_YET = '\u00a0'

export function Page({
  title,
  sentence,
  more,
  needs,
  actions,
  children,
}: {
  readonly title: string
  /** The most important information. */
  readonly sentence?: ReactNode
  /** What helps to understand it, the same for everybody: in place at once, so that nothing moves when the sentence is known. */
  readonly more?: string | undefined
  /** The main action of the page. */
  readonly needs?: Scope | undefined
  readonly actions?: ReactNode
  readonly children: ReactNode
}) {
  const may = usePermission()(needs)
  return (
    <main id="main" className="mx-auto w-full max-w-[1100px] px-4 py-6 outline-none sm:px-8" tabIndex={-1}>
      <title>{`${title} · Posthorn`}</title>
      <div className="mb-5 flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0 flex-1 basis-80 break-words">
          <h1 className="text-xl font-semibold">{title}</h1>
          {sentence !== undefined && <p className="mt-1 max-w-[70ch] text-quiet">{sentence}</p>}
          {more !== undefined && <p className="mt-1 max-w-[80ch] text-xs text-quiet">{more}</p>}
        </div>
        {may && actions}
      </div>
      {may ? children : <Empty>Your role does not allow this. An owner of the account can change that.</Empty>}
    </main>
  )
}

export function Button({
  children,
  onClick,
  kind = 'plain',
  type = 'button',
  disabled = false,
  small = false,
  pressed,
  expanded,
  scope,
}: {
  readonly children: ReactNode
  readonly onClick?: () => void
  readonly kind?: 'plain' | 'main' | 'danger'
  readonly type?: 'button' | 'submit'
  readonly disabled?: boolean
  /** For use in a table row. */
  readonly small?: boolean
  /** For a toggle button that is pressed. */
  readonly pressed?: boolean
  readonly expanded?: boolean
  /** Scope required for the action; hidden from people without it. */
  readonly scope?: Scope | undefined
}) {
  const may = usePermission()(scope)
  const row = useContext(RowName)
  const look = {
    plain: 'border-line bg-raised hover:border-quiet',
    main: 'border-brass bg-brass text-paper hover:opacity-90',
    danger: 'border-bad text-bad bg-raised hover:bg-bad hover:text-paper',
  }[kind]
  if (!may) return null
  // It keeps the focus while inactive: `disabled` would drop the focus.
  return (
    <button
      type={type}
      onClick={disabled ? (event) => event.preventDefault() : onClick}
      aria-disabled={disabled || undefined}
      aria-pressed={pressed}
      aria-expanded={expanded}
      aria-describedby={row}
      className={`cursor-pointer rounded border whitespace-nowrap aria-disabled:cursor-default aria-disabled:opacity-50 ${small ? 'min-h-6 px-2 py-0.5 text-xs' : 'px-3 py-1.5 text-sm'} ${look} ${pressed === true ? 'border-ink font-semibold' : ''}`}
    >
      {children}
    </button>
  )
}

const LITERAL_TYPES: ReadonlySet<string> = new Set(['email', 'url', 'password'])
/** The latest a field takes: without it, browsers let a year have six digits, which is no date elsewhere. */
const LATEST: Readonly<Record<string, string>> = { date: '9999-12-31', 'datetime-local': '9999-12-31T23:59' }
const LITERAL = { autoCapitalize: 'none', autoCorrect: 'off', spellCheck: false }

export function Field({
  label,
  value,
  onChange,
  type = 'text',
  hint,
  required = false,
  autoComplete = 'off',
  name,
  rows,
  mono = false,
  options,
  step,
  fault,
  literal = LITERAL_TYPES.has(type),
  placeholder,
  focused = false,
}: {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly type?: string
  readonly hint?: string
  /** The fault of the input. */
  readonly fault?: string | undefined
  readonly required?: boolean
  readonly autoComplete?: string
  readonly name?: string
  readonly rows?: number
  /** For addresses, lists and code. */
  readonly mono?: boolean
  /** Not prose: turns off the browser's corrections. */
  readonly literal?: boolean
  /** An example of the input. */
  readonly placeholder?: string | undefined
  /** Receives the focus when it appears. */
  readonly focused?: boolean
  /** For numbers. */
  readonly step?: string
  /** Suggestions while typing; other values are allowed. */
  readonly options?: readonly string[]
}) {
  const id = useId()
  const field = useRef<HTMLInputElement & HTMLTextAreaElement>(null)
  useFocusOnFault(field, fault)
  const described = [...(fault === undefined ? [] : [`${id}-fault`]), ...(hint === undefined ? [] : [`${id}-hint`])]
  const shared = {
    ref: field,
    id,
    name,
    value,
    required,
    autoComplete,
    className: `w-full rounded border bg-raised px-2.5 text-ink ${fault === undefined ? 'border-line' : 'border-bad'} ${rows === undefined ? 'h-[34px]' : 'py-1.5'} ${mono ? 'font-mono text-xs' : ''}`,
    placeholder,
    autoFocus: focused,
    ...((literal || mono) && LITERAL),
    ...(fault !== undefined && { 'aria-invalid': true }),
    ...(described.length > 0 && { 'aria-describedby': described.join(' ') }),
  }
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-1 block text-quiet">
        {label}
      </label>
      {rows === undefined ? (
        <input
          {...shared}
          type={type}
          step={step}
          max={LATEST[type]}
          list={options === undefined ? undefined : `${id}-list`}
          onChange={(event) => onChange(event.target.value)}
        />
      ) : (
        <textarea {...shared} rows={rows} onChange={(event) => onChange(event.target.value)} />
      )}
      {options !== undefined && (
        <datalist id={`${id}-list`}>
          {options.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
      {fault !== undefined && (
        <p id={`${id}-fault`} role="alert" className="mt-1 text-xs break-words text-bad">
          <span aria-hidden="true">▲ </span>
          {saidOfIt(fault)}
        </p>
      )}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="mt-1 text-xs text-quiet">
          {hint}
        </p>
      )}
    </div>
  )
}

/** After a refused submit, moves the focus to the first refused field. */
function useFocusOnFault(field: RefObject<HTMLElement | null>, fault: string | undefined): void {
  useEffect(() => {
    if (fault === undefined) return
    const form = field.current?.closest('form')
    const at = document.activeElement
    const first = form?.querySelector('[aria-invalid=true]')
    if (first !== field.current || !form?.contains(at) || at?.matches('[aria-invalid=true]')) return
    field.current?.focus()
  }, [field, fault])
}

export function Choice({
  label,
  value,
  onChange,
  options,
  hint,
}: {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly options: readonly (readonly [value: string, label: string])[]
  readonly hint?: string
}) {
  const id = useId()
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-1 block text-quiet">
        {label}
      </label>
      <select
        id={id}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        className="h-[34px] max-w-full rounded border border-line bg-raised px-2 text-ink"
      >
        {options.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
      {hint !== undefined && (
        <p id={`${id}-hint`} className="mt-1 text-xs text-quiet">
          {hint}
        </p>
      )}
    </div>
  )
}

export const TONE_CLASSES: Readonly<Record<Tone, string>> = {
  good: 'text-good',
  wait: 'text-wait',
  bad: 'text-bad',
  robot: 'text-robot',
}
export const MARKS: Readonly<Record<Tone, string>> = { good: '●', wait: '◐', bad: '▲', robot: '○' }

/** A state as a word, with a shape besides its colour. */
export function State({ name, word = name }: { readonly name: string; readonly word?: string }) {
  const tone = toneOf(name)
  return (
    <span className={`whitespace-nowrap ${TONE_CLASSES[tone]}`}>
      <span aria-hidden="true">{MARKS[tone]}</span> {word.replaceAll('_', ' ')}
    </span>
  )
}

/** Of the browser that shows the page. */
export const DATES = dateFormat(navigator.language)

/** In the viewer's time zone, as short as possible; UTC on hover. */
export function Time({ at, full = false }: { readonly at: string | null | undefined; readonly full?: boolean }) {
  if (at === null || at === undefined) return <span className="text-quiet">–</span>
  const date = new Date(at)
  return (
    <time
      dateTime={at}
      title={`${date.toISOString().replace('T', ' ').slice(0, 19)} UTC`}
      className={full ? undefined : 'whitespace-nowrap'}
    >
      {full ? DATES.full(date) : DATES.short(date, new Date())}
    </time>
  )
}

export function Copy({
  text,
  label = 'Copy',
  what,
  big = false,
  done: tellDone,
}: {
  readonly text: string
  /** Called when it is in the clipboard. */
  readonly done?: () => void
  readonly label?: string
  /** As tall as a page's buttons. */
  readonly big?: boolean
  /** Appended to the label for screen readers, which do not see the context. */
  readonly what?: string
}) {
  const [done, setDone] = useState('')
  const copy = async (): Promise<void> => {
    const isCopied = await copied(text)
    if (isCopied) tellDone?.()
    const outcome = isCopied ? 'Copied' : 'Copy failed'
    setDone(outcome)
    tell(outcome)
    setTimeout(() => setDone(''), 1_500)
  }
  return (
    <Button small={!big} onClick={() => void copy()}>
      {done === '' ? label : done}
      {what !== undefined && <span className="sr-only"> {what}</span>}
    </Button>
  )
}

/** Placeholder while loading: a number of lines. */
export function Waiting({ lines = 4 }: { readonly lines?: number }) {
  return (
    <div className="animate-pulse" role="status">
      <span className="sr-only">Loading</span>
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} className="flex h-9 items-center gap-6 border-b border-line" aria-hidden="true">
          <span className="h-2.5 w-20 rounded bg-line" />
          <span className="h-2.5 flex-1 rounded bg-line/60" />
          <span className="hidden h-2.5 w-32 rounded bg-line/60 sm:block" />
        </div>
      ))}
    </div>
  )
}

/** Shown while loading, or when loading failed. */
export function Pending({ error, lines = 4 }: { readonly error: unknown; readonly lines?: number }) {
  return error === null || error === undefined ? <Waiting lines={lines} /> : <Unread error={error} />
}

/** Shown when loading failed, with a retry: after the time that the service asked for, or when it answers again. */
export function Unread({ error }: { readonly error: unknown }) {
  const seconds = waitOf(error)
  useEffect(() => {
    if (seconds !== null) {
      const timer = setTimeout(() => void tryAgain(), Math.max(1, seconds) * 1_000)
      return () => clearTimeout(timer)
    }
    if (!isAway(error)) return
    // Asked apart from what failed, so that the page does not change back and forth meanwhile.
    const ask = async (): Promise<void> => {
      if (await isBack()) await tryAgain()
    }
    const timer = setInterval(() => void ask(), ASK_AGAIN_MS)
    return () => clearInterval(timer)
  }, [error, seconds])
  return (
    <>
      <Problem error={error} />
      {mayPass(error) && <Button onClick={() => void tryAgain()}>Try again</Button>}
    </>
  )
}

export function Problem({ error }: { readonly error: unknown }) {
  if (error === null || error === undefined || isSignedOut(error)) return null
  return (
    <p role="alert" className="my-3 rounded border border-bad px-3 py-2 text-bad">
      {problemText(error)}
    </p>
  )
}

export function Section({
  title,
  children,
  actions,
}: {
  readonly title: string
  readonly children: ReactNode
  readonly actions?: ReactNode
}) {
  return (
    <section className="mt-8">
      <div className="mb-2 flex min-h-7 flex-wrap items-center justify-between gap-2">
        <h2 className="text-base font-semibold">{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  )
}

/** A secret or command, verbatim. */
export function Code({ text }: { readonly text: string }) {
  return (
    <pre
      tabIndex={0}
      className="overflow-x-auto rounded border border-line bg-raised p-3 font-mono text-xs whitespace-pre-wrap break-all"
    >
      {text}
    </pre>
  )
}

/** Null entries are left out. */
export function Facts({ facts }: { readonly facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[max-content_1fr] gap-x-4 gap-y-1">
      {facts.map(([name, value]) =>
        value === null || value === undefined ? null : (
          <div key={name} className="contents">
            <dt className="text-quiet">{name}</dt>
            <dd className="min-w-0 break-words">{value}</dd>
          </div>
        ),
      )}
    </dl>
  )
}

/** A link that looks like a button. */
export const LIKE_A_BUTTON =
  'inline-block rounded border border-line bg-raised px-3 py-1.5 text-sm whitespace-nowrap no-underline hover:border-quiet'

/** Text of an empty page: what belongs here and what to do next. */
export function Empty({ children }: { readonly children: ReactNode }) {
  return <div className="rounded border border-dashed border-line p-6 text-quiet">{children}</div>
}

/** Follows the name of what sandbox email has made. */
export function SandboxMark({ of }: { readonly of: { readonly sandbox?: unknown } }) {
  return of.sandbox === true && <span className="text-quiet"> · sandbox</span>
}
