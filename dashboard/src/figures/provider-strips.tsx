// Deliverability by mailbox provider: a strip of days for each, divided by the provider's answers to our attempts.
// Hovering over a day shows its figures; the strips have a table of the period.

import { useNavigate } from '@tanstack/react-router'
import { useId, useState } from 'react'
import type { Json } from '../api/api.ts'
import { Table } from '../ui/table.tsx'
import { figure } from '../words/number-format.ts'
import { percent, rate } from '../words/rates.ts'
import { dayName, useListOf } from './charts.tsx'

const ANSWERS = ['accepted', 'deferred', 'bounced', 'blocked'] as const
type Answer = (typeof ANSWERS)[number]

const NAMES: Readonly<Record<string, string>> = {
  google: 'Google',
  microsoft: 'Microsoft',
  yahoo: 'Yahoo',
  apple: 'Apple',
  proton: 'Proton',
  zoho: 'Zoho',
  fastmail: 'Fastmail',
  gmx: 'GMX and IONOS',
  yandex: 'Yandex',
  mailru: 'Mail.ru',
  mimecast: 'Mimecast',
  proofpoint: 'Proofpoint',
  barracuda: 'Barracuda',
  cisco: 'Cisco',
  amazon: 'Amazon',
  cloudflare: 'Cloudflare',
  self_hosted: 'Self-hosted',
  unknown: 'Other',
  sandbox: 'Sandbox',
}

const WIDTH = 720
const HEIGHT = 32
const GAP = 2
/** Every answer is visible, however small its share; the figures show how small. */
const LEAST = 1
/** Below this many attempts a share is meaningless. */
const MIN_TRIES = 20
const GOOD_SHARE = 0.95

interface Over {
  readonly provider: string
  readonly day: number
}

/** @param report the response of `/stats/outbound/providers` */
export function ProviderStrips({ report }: { readonly report: Json }) {
  const [table, setTable] = useState(false)
  const [over, setOver] = useState<Over | null>(null)
  const id = useId()
  const hatch = `${id}-hatch`
  const days: readonly Json[] = report.data
  const providers: readonly Json[] = report.totals.providers
  if (providers.length === 0) return null
  return (
    <figure className="mt-6">
      <figcaption className="mb-1 flex flex-wrap items-center justify-between gap-x-4 gap-y-1 text-quiet">
        <span id={id} className="text-ink">
          Deliverability by provider
        </span>
        <span className="flex flex-wrap items-center gap-3 text-xs">
          {ANSWERS.map((answer) => (
            <span key={answer} className="flex items-center gap-1">
              <svg width="10" height="10" aria-hidden="true">
                <Hatch id={`${hatch}-${answer}`} />
                <rect width="10" height="10" fill={fillOf(answer, `${hatch}-${answer}`)} />
              </svg>
              {answer}
            </span>
          ))}
          <button type="button" className="min-h-6 cursor-pointer underline" onClick={() => setTable(!table)}>
            {table ? 'Chart' : 'Table'}
            <span className="sr-only"> of deliverability by provider</span>
          </button>
        </span>
      </figcaption>
      <p className="mb-2 min-h-5 text-quiet">{over === null ? worstOf(providers) : readOut(over, days)}</p>
      {table ? (
        <ProviderTable providers={providers} />
      ) : (
        <>
          <ul className="grid grid-cols-[minmax(0,1fr)] gap-1.5" onMouseLeave={() => setOver(null)}>
            {providers.map((one) => (
              <li key={one.provider} className="flex min-w-0 flex-wrap items-center gap-x-4 sm:flex-nowrap">
                <span className="w-36 shrink-0 truncate max-sm:flex-1">{nameOf(one.provider)}</span>
                <span className="shrink-0 text-right text-quiet sm:order-last sm:w-44">{shareOf(one)}</span>
                <Strip
                  provider={one.provider}
                  days={days}
                  over={over}
                  setOver={setOver}
                  hatch={`${hatch}-${one.provider}`}
                />
              </li>
            ))}
          </ul>
          <p aria-hidden="true" className="mt-1 flex justify-between text-xs text-quiet sm:mr-48 sm:ml-40">
            <span>{dayName(days[0]?.date ?? '')}</span>
            <span>{dayName(days.at(-1)?.date ?? '')}</span>
          </p>
        </>
      )}
    </figure>
  )
}

function Strip({
  provider,
  days,
  over,
  setOver,
  hatch,
}: {
  readonly provider: string
  readonly days: readonly Json[]
  readonly over: Over | null
  readonly setOver: (over: Over) => void
  readonly hatch: string
}) {
  const width = WIDTH / Math.max(1, days.length)
  const navigate = useNavigate()
  const listOf = useListOf()
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      className="h-8 w-full min-w-0 border-b border-line sm:w-0 sm:flex-1"
      aria-hidden="true"
    >
      <Hatch id={hatch} />
      {over !== null && (
        <rect x={over.day * width} width={width} height={HEIGHT} fill="var(--color-line)" opacity="0.6" />
      )}
      {days.map((day, i) => {
        let top = HEIGHT
        return heightsOf(triesOf(day, provider)).map(([answer, height]) => {
          top -= height
          const drawn = Math.max(1, width - GAP)
          return (
            <rect
              key={`${day.date} ${answer}`}
              x={i * width + GAP / 2}
              y={top}
              width={drawn}
              height={height}
              fill={fillOf(answer, hatch)}
            />
          )
        })
      })}
      {days.map((day, i) => (
        <rect
          key={day.date}
          x={i * width}
          width={width}
          height={HEIGHT}
          fill="transparent"
          className="cursor-pointer"
          onMouseEnter={() => setOver({ provider, day: i })}
          onClick={() => void navigate(listOf(day.date) as never)}
        />
      ))}
    </svg>
  )
}

/** Refusals of us differ from other refusals by more than colour. */
function Hatch({ id }: { readonly id: string }) {
  return (
    <defs>
      <pattern id={id} width="4" height="4" patternUnits="userSpaceOnUse">
        <rect width="4" height="4" fill="var(--color-paper)" />
        <path d="M-1,1 l2,-2 M0,4 l4,-4 M3,5 l2,-2" stroke="var(--color-bad)" strokeWidth="1.5" />
      </pattern>
    </defs>
  )
}

function fillOf(answer: Answer, hatch: string): string {
  if (answer === 'blocked') return `url(#${hatch})`
  return `var(--color-${{ accepted: 'good', deferred: 'wait', bounced: 'bad' }[answer]})`
}

function triesOf(day: Json, provider: string): Json {
  return day.providers.find((one: Json) => one.provider === provider)
}

/** From bottom to top; empty on a day without attempts. */
function heightsOf(tries: Json): readonly (readonly [answer: Answer, height: number])[] {
  if (tries === undefined) return []
  const others = ANSWERS.slice(1).map((answer) => {
    const height = (tries[answer] / tries.attempts) * HEIGHT
    return [answer, tries[answer] === 0 ? 0 : Math.max(LEAST, height)] as const
  })
  const rest = HEIGHT - others.reduce((sum, [, height]) => sum + height, 0)
  if (tries.accepted > 0) return [['accepted', Math.max(LEAST, rest)], ...others]
  return others
}

function nameOf(provider: string): string {
  return NAMES[provider] ?? provider
}

function shareOf({ accepted, attempts }: Json): string {
  if (attempts < MIN_TRIES) return `${accepted} of ${attempts} accepted`
  return `${rate(accepted, attempts)} of ${figure(attempts)}`
}

/** What needs attention, or that nothing does. */
function worstOf(providers: readonly Json[]): string {
  const known = providers.filter(({ attempts }) => attempts >= MIN_TRIES)
  if (known.length === 0) return `No provider had the ${MIN_TRIES} attempts needed for a rate.`
  const short = known.filter(({ accepted_rate: share }) => share < GOOD_SHARE)
  if (short.length === 0)
    return `Every provider with ${MIN_TRIES} attempts or more accepted at least ${percent(GOOD_SHARE)}.`
  const lost = ({ attempts, accepted }: Json): number => attempts - accepted
  const worst = short.reduce((most, one) => (lost(one) > lost(most) ? one : most))
  const most = (['deferred', 'bounced', 'blocked'] as const).reduce((a, b) => (worst[b] > worst[a] ? b : a))
  const counted = `${figure(worst[most])} of ${figure(worst.attempts)} attempts`
  return `${nameOf(worst.provider)} accepted ${rate(worst.accepted, worst.attempts)}: ${counted} were ${most}.`
}

function readOut({ provider, day }: Over, days: readonly Json[]): string {
  const of = days[day]
  const tries = of === undefined ? undefined : triesOf(of, provider)
  const when = `${nameOf(provider)}, ${dayName(of?.date ?? '')}`
  if (tries === undefined) return `${when}: no attempts`
  return `${when}: ${ANSWERS.map((answer) => `${figure(tries[answer])} ${answer}`).join(', ')}`
}

function ProviderTable({ providers }: { readonly providers: readonly Json[] }) {
  return (
    <Table
      caption="Deliverability by provider, table"
      rows={providers}
      keyOf={({ provider }) => provider}
      empty=""
      columns={[
        { head: 'Provider', main: true, cell: ({ provider }) => nameOf(provider) },
        { head: 'attempts', right: true, named: true, cell: ({ attempts }) => figure(attempts) },
        ...ANSWERS.map((answer) => ({
          head: answer,
          right: true,
          named: true,
          cell: (one: Json) => (
            <span className="whitespace-nowrap">
              {figure(one[answer])}
              {one.attempts >= MIN_TRIES && <span className="text-quiet"> {percent(one[`${answer}_rate`])}</span>}
            </span>
          ),
        })),
      ]}
    />
  )
}
