import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { call, type Json, refresh, useApi } from '../api.ts'
import { percent } from '../charts.tsx'
import { figure } from '../figure.ts'
import type { Search } from '../search.ts'
import { Table } from '../table.tsx'
import { Button, Page, Pending, Problem, Section, State, Time } from '../ui.tsx'

const PARTS: Readonly<Record<string, string>> = {
  delivery: 'Delivered',
  bounce: 'Bounced, hard or soft',
  complaint: 'Complained about',
  engagement: 'Opened or clicked',
}

/** Of a day of the history. */
const RATES: readonly (readonly [field: string, head: string])[] = [
  ['delivery_rate', 'Delivered'],
  ['bounce_rate', 'Bounced'],
  ['complaint_rate', 'Complained'],
]

interface Advice {
  readonly next: string
  /** Where what it counts can be seen, or be mended. */
  readonly links: readonly (readonly [words: string, to: string, search: Search])[]
}

/** By the code of a finding. */
const ADVICE: Readonly<Record<string, Advice>> = {
  low_delivery: {
    next: 'See what came back and why, and what still waits: the commonest reason is what to mend first.',
    links: [
      ['What bounced', '/bounces', {}],
      ['What is put off', '/emails', { status: 'deferred' }],
    ],
  },
  high_bounces: {
    next: 'See which list the addresses came from, and validate it before it is used again. Blocks do not count here.',
    links: [
      ['Hard bounces', '/bounces', { type: 'hard' }],
      ['Soft bounces', '/bounces', { type: 'soft' }],
      ['Validate a list', '/validation', {}],
    ],
  },
  high_complaints: {
    next: 'Send only to who asked for it, less often, and let them leave with one click.',
    links: [
      ['Who complained', '/bounces', { type: 'complaint' }],
      ['The unsubscribe header', '/settings', {}],
    ],
  },
  low_engagement: {
    next: 'Send less often to who has not opened for months: providers put mail that is never read into spam.',
    links: [['Who opened', '/events', { event: 'email.opened' }]],
  },
}

function Finding({ of: { code, severity, message, evidence }, from }: { readonly of: Json; readonly from: string }) {
  const { next, links } = ADVICE[code] ?? { next: null, links: [] }
  return (
    <li>
      <p>
        <State name={severity} /> {message}
        {typeof evidence.value === 'number' &&
          `. It is ${percent(shareOf(code, evidence))}: ${percent(evidence.warning)} has full points, ${percent(evidence.critical)} none.`}
      </p>
      {next !== null && <p className="text-quiet">{next}</p>}
      {links.length > 0 && (
        <p className="flex flex-wrap gap-x-4">
          {links.map(([words, to, search]) => (
            <Link
              key={words}
              to={to as '/'}
              search={(['/bounces', '/emails', '/events'].includes(to) ? { from, ...search } : search) as never}
              className="underline"
            >
              {words}
            </Link>
          ))}
        </p>
      )}
    </li>
  )
}

function sinceThen({ score, previous_score: before }: Json): string {
  if (before === null || before === score) return ''
  return score > before ? `, up from ${before}` : `, down from ${before}`
}

/** Of the counts where they are told: a rate that is rounded twice is another than the overview's. */
function shareOf(name: string, { value, sent, delivered }: Json): number {
  return name.endsWith('delivery') && sent > 0 ? Math.min(1, delivered / sent) : value
}

export function Health() {
  const found = useApi('/customer/health-score')
  const history = useApi('/customer/health-score/history?limit=30')
  const [error, setError] = useState<unknown>(null)
  const health: Json = found.data?.data
  const anew = async (): Promise<void> => {
    setError(null)
    await call('POST', '/customer/health-score/refresh').catch(setError)
    await refresh('/customer/health-score')
  }
  return (
    <Page
      title="Health"
      sentence={
        health === undefined
          ? undefined
          : health.score === null
            ? 'A score needs some mail first.'
            : `Grade ${health.grade}: ${health.score} of 100 points${sinceThen(health)}, for the ${figure(health.metrics.sent)} emails sent since ${health.period.from_date}.`
      }
      actions={<Button onClick={() => void anew()}>Calculate anew</Button>}
    >
      <Problem error={error} />
      {health === undefined ? (
        <Pending error={found.error} />
      ) : (
        <>
          <Section title="Findings">
            <ul className="grid gap-4">
              {health.findings.map((one: Json) => (
                <Finding key={one.code + one.message} of={one} from={health.period.from_date} />
              ))}
              {health.findings.length === 0 && <li className="text-quiet">Nothing to mend.</li>}
            </ul>
          </Section>
          <Section title="Components">
            <Table
              caption="Components of the score"
              rows={health.components as readonly Json[]}
              keyOf={(one) => one.name}
              columns={[
                { head: 'What', main: true, cell: ({ name }) => PARTS[name] ?? name },
                {
                  head: 'Rate',
                  right: true,
                  named: true,
                  cell: ({ name, value }) =>
                    value === null ? '–' : percent(shareOf(name, { ...health.metrics, value })),
                },
                { head: 'Full points at', right: true, named: true, cell: ({ warning }) => percent(warning) },
                { head: 'None at', right: true, named: true, cell: ({ critical }) => percent(critical) },
                {
                  head: 'Points of 100',
                  right: true,
                  named: true,
                  cell: ({ score }) => (score === null ? '–' : Math.round(score)),
                },
                { head: 'Counts for', right: true, wide: true, cell: ({ weight }) => `${Math.round(weight)} %` },
              ]}
              empty="They come with the score."
            />
          </Section>
          <Section title="History">
            <Table
              caption="Score by day"
              rows={history.data?.data as readonly Json[] | undefined}
              error={history.error}
              keyOf={(one) => one.date}
              columns={[
                { head: 'Day', cell: ({ date }) => date },
                { head: 'Score', right: true, named: true, cell: ({ score }) => score ?? '–' },
                { head: 'Grade', named: true, cell: ({ grade }) => grade ?? '–' },
                ...RATES.map(([field, head]) => ({
                  head,
                  right: true,
                  named: true,
                  // All that is told of it: rounded once more it would be another than the overview's.
                  cell: (day: Json) => (day[field] === null ? '–' : `${(day[field] * 100).toFixed(2)}\u00a0%`),
                })),
              ]}
              empty="It is written once a day."
            />
          </Section>
          <p className="mt-4 text-quiet">
            Calculated <Time full at={health.calculated_at} />, and next <Time full at={health.next_calculation_at} />
          </p>
        </>
      )}
    </Page>
  )
}
