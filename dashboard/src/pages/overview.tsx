import { Link } from '@tanstack/react-router'
import { type Json, useApi, withQuery } from '../api.ts'
import { StackedDays } from '../charts.tsx'
import { Code, Page, Problem, rate, Section, State, Waiting } from '../ui.tsx'

const DAYS = 30
const DAY_MS = 86_400_000

export function Overview() {
  const from_date = new Date(Date.now() - (DAYS - 1) * DAY_MS).toISOString().slice(0, 10)
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const range = { from_date, timezone, include_sandbox: true }
  const totals = useApi(withQuery('/stats/outbound', range), { every: 15_000 })
  const sends = useApi(withQuery('/stats/outbound/sends', range), { every: 15_000 })
  const bounces = useApi(withQuery('/stats/outbound/bounces', range), { every: 15_000 })
  const health = useApi('/customer/health-score')
  const recent = useApi(withQuery('/emails', { limit: 8 }), { every: 5_000 })
  const figures: Json = totals.data?.data
  return (
    <Page title="Overview" sentence={figures === undefined ? undefined : sentenceOf(figures)}>
      <Problem error={totals.error} />
      {figures === undefined ? (
        <Waiting />
      ) : (
        <>
          <dl className="grid grid-cols-2 gap-px overflow-hidden rounded border border-line bg-line sm:grid-cols-3 lg:grid-cols-6">
            <Figure name="Sent" value={figures.sent} note="last 30 days" />
            <Figure name="Delivered" value={figures.delivered} note={rate(figures.delivered, figures.sent)} />
            <Figure
              name="Bounced"
              value={figures.bounces}
              note={`${rate(figures.bounces, figures.sent)}, keep under 2 %`}
            />
            <Figure
              name="Complaints"
              value={figures.spam_complaints}
              note={`${rate(figures.spam_complaints, figures.delivered)}, keep under 0.1 %`}
            />
            <Figure name="Opened" value={figures.unique_opens} note={`${figures.machine_opens} by machines beside`} />
            <Figure name="Clicked" value={figures.unique_clicks} note={`${figures.bot_clicks} by machines beside`} />
          </dl>
          {sends.data !== undefined && bounces.data !== undefined && (
            <StackedDays
              title="Emails a day"
              days={sends.data.data.map(({ date }: Json) => date)}
              series={[
                { name: 'not bounced', color: 'good', values: daysOf(sends.data, bounces.data) },
                { name: 'bounced', color: 'bad', values: bounces.data.data.map(bouncedOn) },
              ]}
            />
          )}
        </>
      )}
      <Section title="Health">
        {health.data === undefined ? <Waiting /> : <HealthLine health={health.data.data} />}
      </Section>
      <Section
        title="Latest emails"
        actions={
          <Link to="/emails" className="underline">
            All emails
          </Link>
        }
      >
        {recent.data?.data.length === 0 ? (
          <FirstMail />
        ) : (
          <ul className="divide-y divide-line border-y border-line">
            {recent.data?.data.map((email: Json) => (
              <li key={email.id}>
                <Link
                  to="/emails/$id"
                  params={{ id: email.id }}
                  className="flex flex-wrap gap-x-4 py-2 hover:bg-line/30"
                >
                  <span className="w-28 shrink-0">
                    <State name={email.status} />
                  </span>
                  <span className="min-w-0 flex-1 truncate">
                    {email.subject === '' ? '(no subject)' : email.subject}
                  </span>
                  <span className="truncate text-quiet">{email.to}</span>
                </Link>
              </li>
            ))}
          </ul>
        )}
      </Section>
    </Page>
  )
}

function bouncedOn(day: Json): number {
  return Number(day.bounces ?? day.total ?? 0)
}

function daysOf(sends: Json, bounces: Json): readonly number[] {
  return sends.data.map(({ sent }: Json, i: number) => Math.max(0, sent - bouncedOn(bounces.data[i] ?? {})))
}

function sentenceOf(figures: Json): string {
  if (figures.sent === 0) return 'Nothing was sent in the last 30 days.'
  const delivered = `${rate(figures.delivered, figures.sent)} of ${figures.sent.toLocaleString()} emails of the last 30 days are delivered`
  if (figures.bounces === 0) return `${delivered}; none bounced.`
  return `${delivered}; ${figures.bounces.toLocaleString()} bounced, ${figures.hard.toLocaleString()} of them for good.`
}

function Figure({ name, value, note }: { readonly name: string; readonly value: number; readonly note: string }) {
  return (
    <div className="bg-paper p-3">
      <dt className="text-quiet">{name}</dt>
      <dd className="text-2xl font-semibold">{value.toLocaleString()}</dd>
      <dd className="text-xs text-quiet">{note}</dd>
    </div>
  )
}

function HealthLine({ health }: { readonly health: Json }) {
  return (
    <div>
      <p>
        {health.score === null ? 'No score yet.' : `Grade ${health.grade}, ${health.score} of 100.`}{' '}
        <Link to="/health" className="underline">
          Findings
        </Link>
      </p>
      <ul className="mt-1 text-quiet">
        {health.findings.slice(0, 3).map((finding: Json) => (
          <li key={finding.code}>{finding.message}</li>
        ))}
      </ul>
    </div>
  )
}

function FirstMail() {
  const mail = JSON.stringify({
    from: 'you@example.com',
    to: 'someone@example.net',
    subject: 'Hello',
    text: 'It works.',
  })
  return (
    <div className="rounded border border-dashed border-line p-4">
      <p className="mb-2 text-quiet">No mail yet. A first one, with a test key, into the built-in inbox:</p>
      <Code
        text={`curl -sS ${location.origin}/api/v1/send -H 'X-API-Key: ph_test_...' -H 'Content-Type: application/json' -d '${mail}'`}
      />
    </div>
  )
}
