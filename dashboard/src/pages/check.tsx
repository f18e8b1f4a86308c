import { type FormEvent, useState } from 'react'
import { call, type Json, refresh, useApi } from '../api.ts'
import { Table } from '../table.tsx'
import { Button, Field, Page, Problem, Section, State, Time, Waiting } from '../ui.tsx'

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
      <Problem error={found.error ?? error} />
      {health === undefined ? (
        <Waiting />
      ) : (
        <>
          <Section title="Findings">
            <ul className="grid gap-2">
              {health.findings.map((one: Json) => (
                <li key={one.code + one.message}>
                  <State name={one.severity === 'info' ? 'ok' : one.severity} /> {one.message}
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
                { head: 'What', cell: ({ name }) => name },
                {
                  head: 'Rate',
                  right: true,
                  cell: ({ value }) => (value === null ? '–' : `${(value * 100).toFixed(2)} %`),
                },
                { head: 'Points', right: true, cell: ({ score }) => score ?? '–' },
                { head: 'Weight', right: true, cell: ({ weight }) => weight },
              ]}
              empty="They come with the score."
            />
          </Section>
          <Section title="History">
            <Table
              caption="Score by day"
              rows={history.data?.data as readonly Json[] | undefined}
              keyOf={(one) => one.date}
              columns={[
                { head: 'Day', cell: ({ date }) => date },
                { head: 'Score', right: true, cell: ({ score }) => score ?? '–' },
                { head: 'Grade', cell: ({ grade }) => grade ?? '–' },
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

export function Risk() {
  const [subject, setSubject] = useState('')
  const [html, setHtml] = useState('')
  const [result, setResult] = useState<Json>(null)
  const [error, setError] = useState<unknown>(null)
  const score = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setError(null)
    await call('POST', '/content-score', { subject, html }).then((answer: Json) => setResult(answer.data), setError)
  }
  return (
    <Page title="Content and risk" sentence="What filters will think of a text, and what to change.">
      <form onSubmit={(event) => void score(event)} className="grid gap-3">
        <Field label="Subject" required value={subject} onChange={setSubject} />
        <Field label="HTML" rows={10} required value={html} onChange={setHtml} />
        <div>
          <Button type="submit" kind="main">
            Score
          </Button>
        </div>
      </form>
      <Problem error={error} />
      {result !== null && (
        <Section title={`${result.score} of 100, risk ${result.risk_level}`}>
          <Table
            caption="What was found"
            rows={result.matches as readonly Json[]}
            keyOf={(one) => `${one.rule} ${one.location} ${one.match}`}
            columns={[
              { head: 'Points', right: true, cell: ({ points }) => points },
              { head: 'Where', cell: ({ location }) => location },
              {
                head: 'What',
                cell: ({ description, match }) => (
                  <>
                    {description} <span className="font-mono text-xs text-quiet">{match}</span>
                  </>
                ),
              },
              { head: 'Do', cell: ({ suggestion }) => suggestion },
            ]}
            empty="Nothing stands out."
          />
        </Section>
      )}
    </Page>
  )
}
