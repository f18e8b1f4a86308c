import { useState } from 'react'
import { call, type Json, refresh, useApi } from '../api.ts'
import { percent } from '../charts.tsx'
import { Table } from '../table.tsx'
import { Button, Page, Pending, Problem, Section, State, Time } from '../ui.tsx'

const PARTS: Readonly<Record<string, string>> = {
  delivery: 'Delivered',
  bounce: 'Bounced for good',
  complaint: 'Complained about',
  engagement: 'Opened or clicked',
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
            : `Grade ${health.grade}: ${health.score} of 100 points.`
      }
      actions={<Button onClick={() => void anew()}>Calculate anew</Button>}
    >
      <Problem error={error} />
      {health === undefined ? (
        <Pending error={found.error} />
      ) : (
        <>
          <Section title="Findings">
            <ul className="grid gap-2">
              {health.findings.map((one: Json) => (
                <li key={one.code + one.message}>
                  <State name={one.severity} /> {one.message}
                </li>
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
                  cell: ({ value }) => (value === null ? '–' : percent(value)),
                },
                { head: 'Warning at', right: true, named: true, cell: ({ warning }) => percent(warning) },
                { head: 'Critical at', right: true, named: true, cell: ({ critical }) => percent(critical) },
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
              ]}
              empty="It is written once a day."
            />
          </Section>
          <p className="mt-4 text-quiet">
            Calculated <Time at={health.calculated_at} />
          </p>
        </>
      )}
    </Page>
  )
}
