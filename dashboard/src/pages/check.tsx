import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { call, type Json, refresh, useApi } from '../api/api.ts'
import type { Search } from '../ui/search.ts'
import { Table } from '../ui/table.tsx'
import { Button, NOT_YET, Page, Pending, Problem, Section, State, Time } from '../ui/ui.tsx'
import { withoutScore } from '../words/answers.ts'
import { figure } from '../words/number-format.ts'
import { percent } from '../words/rates.ts'

const PARTS: Readonly<Record<string, string>> = {
  delivery: 'Delivered',
  bounce: 'Bounced, hard or soft',
  complaint: 'Marked as spam',
  engagement: 'Opened or clicked',
}

/** The rates shown for each day of the history. */
const RATES: readonly (readonly [field: string, head: string])[] = [
  ['delivery_rate', 'Delivered'],
  ['bounce_rate', 'Bounced'],
  ['complaint_rate', 'Complained'],
]

interface Advice {
  readonly next: string
  /** Pages that show what was counted, or where to fix it. */
  readonly links: readonly (readonly [words: string, to: string, search: Search])[]
}

/** By code of the finding. */
const ADVICE: Readonly<Record<string, Advice>> = {
  low_delivery: {
    next: 'See what bounced and why, and what is still deferred. Fix the most common reason first.',
    links: [
      ['Bounces', '/bounces', {}],
      ['Deferred emails', '/emails', { status: 'deferred' }],
    ],
  },
  high_bounces: {
    next: 'Find out which list the addresses came from, and validate it before using it again. Blocks do not count here.',
    links: [
      ['Hard bounces', '/bounces', { type: 'hard' }],
      ['Soft bounces', '/bounces', { type: 'soft' }],
      ['Validate a list', '/validation', {}],
    ],
  },
  high_complaints: {
    next: 'Send less often, only to people who asked for it, and let them unsubscribe with one click.',
    links: [
      ['Complaints', '/bounces', { type: 'complaint' }],
      ['Unsubscribe header setting', '/settings', {}],
    ],
  },
  low_engagement: {
    next: 'Send less often to people who have not opened for months: email that is never read ends up in spam.',
    links: [['Opens', '/events', { event: 'email.opened' }]],
  },
}

function Finding({ of: { code, severity, message, evidence }, from }: { readonly of: Json; readonly from: string }) {
  const { next, links } = ADVICE[code] ?? { next: null, links: [] }
  return (
    <li>
      <p>
        <State name={severity} /> {message}
        {typeof evidence.value === 'number' &&
          `. It is ${percent(shareOf(code, evidence))}: ${percent(evidence.warning)} earns full points, ${percent(evidence.critical)} none.`}
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

/** Calculated from the counts where they are known: a rate rounded twice would differ from the overview's. */
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
          ? NOT_YET
          : health.score === null
            ? withoutScore(health)
            : `Grade ${health.grade}: ${health.score} of 100 points${sinceThen(health)}, based on ${figure(health.metrics.sent)} emails sent since ${health.period.from_date}.`
      }
      actions={<Button onClick={() => void anew()}>Recalculate</Button>}
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
              {health.findings.length === 0 && <li className="text-quiet">Nothing to fix.</li>}
            </ul>
          </Section>
          <Section title="Components">
            <Table
              caption="Components of the score"
              rows={health.components as readonly Json[]}
              keyOf={(one) => one.name}
              columns={[
                { head: 'Component', main: true, cell: ({ name }) => PARTS[name] ?? name },
                {
                  head: 'Rate',
                  right: true,
                  named: true,
                  cell: ({ name, value }) =>
                    value === null ? '–' : percent(shareOf(name, { ...health.metrics, value })),
                },
                { head: 'Full points at', right: true, named: true, cell: ({ warning }) => percent(warning) },
                { head: 'No points at', right: true, named: true, cell: ({ critical }) => percent(critical) },
                {
                  head: 'Points out of 100',
                  right: true,
                  named: true,
                  cell: ({ score }) => (score === null ? '–' : Math.round(score)),
                },
                { head: 'Weight', right: true, wide: true, cell: ({ weight }) => `${Math.round(weight)} %` },
              ]}
              empty="Shown once there is a score."
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
                  // All digits of the response: rounded again, it would differ from the overview's.
                  cell: (day: Json) => (day[field] === null ? '–' : `${(day[field] * 100).toFixed(2)}\u00a0%`),
                })),
              ]}
              empty="No history yet. The score is recorded once a day."
            />
          </Section>
          <p className="mt-4 text-quiet">
            Calculated <Time full at={health.calculated_at} />; next update{' '}
            <Time full at={health.next_calculation_at} />
          </p>
        </>
      )}
    </Page>
  )
}
