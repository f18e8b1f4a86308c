import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { adviceFor } from '../../../src/mail/bounce-advice.ts'
import { call, type Json, refresh, useApi, withQuery } from '../api.ts'
import { Listing, words } from '../listing.tsx'
import { Preview } from '../preview.tsx'
import { Button, Code, Facts, Page, Problem, Section, State, Time, Waiting } from '../ui.tsx'

const STATUSES = words(
  'scheduled',
  'queued',
  'deferred',
  'delivered',
  'bounced',
  'failed',
  'suppressed',
  'canceled',
  'complained',
)

export function Emails() {
  return (
    <Page
      title="Emails"
      sentence="Every email, newest first. One of them tells its whole story: each attempt, each answer."
    >
      <Listing
        path="/emails"
        caption="Emails"
        every={5_000}
        filters={[
          { name: 'search', label: 'Subject' },
          { name: 'recipient', label: 'Recipient' },
          { name: 'tag', label: 'Tag' },
          { name: 'status', label: 'Status', options: STATUSES },
        ]}
        columns={[
          { head: 'Status', cell: ({ status }) => <State name={status} /> },
          {
            head: 'Subject',
            cell: ({ id, subject, sandbox }) => (
              <>
                <Link to="/emails/$id" params={{ id }} className="underline">
                  {subject === '' ? '(no subject)' : subject}
                </Link>
                {sandbox && <span className="text-quiet"> · sandbox</span>}
              </>
            ),
          },
          { head: 'To', cell: ({ to }) => to },
          {
            head: 'Last answer',
            wide: true,
            cell: ({ last_response: said }) => <span className="text-quiet">{said ?? ''}</span>,
          },
          { head: 'Accepted', wide: true, cell: ({ created_at: at }) => <Time at={at} /> },
        ]}
        empty="No mail yet: the overview has the line that sends a first one."
      />
    </Page>
  )
}

const MATTERS: Readonly<Record<string, string>> = {
  address: 'the address',
  content: 'the content',
  reputation: 'our standing',
  receiver: 'the receiving side',
  setup: 'the set-up',
  unclear: 'unclear',
}

export function Email() {
  const { id } = useParams({ strict: false }) as { id: string }
  const found = useApi(`/emails/${id}`, { every: 5_000 })
  const bounces = useApi(withQuery('/customer/bounces', { email_id: id, include_sandbox: true }))
  const [error, setError] = useState<unknown>(null)
  if (found.error !== null)
    return (
      <Page title="Email">
        <Problem error={found.error} />
      </Page>
    )
  if (found.data === undefined)
    return (
      <Page title="Email">
        <Waiting />
      </Page>
    )
  const email: Json = found.data.data
  const act = async (what: 'cancel' | 'retry'): Promise<void> => {
    setError(null)
    await call('POST', `/emails/${id}/${what}`).catch(setError)
    await refresh('/emails')
  }
  const open = ['scheduled', 'queued', 'deferred'].includes(email.status)
  const again = ['deferred', 'failed', 'bounced'].includes(email.status)
  return (
    <Page
      title={email.subject === '' ? '(no subject)' : email.subject}
      sentence={storyOf(email)}
      actions={
        <div className="flex gap-2">
          {again && <Button onClick={() => void act('retry')}>Try again</Button>}
          {open && (
            <Button kind="danger" onClick={() => void act('cancel')}>
              Cancel
            </Button>
          )}
        </div>
      }
    >
      <Problem error={error} />
      <Facts
        facts={[
          ['Status', <State key="s" name={email.status} />],
          ['From', email.from_name === null ? email.from : `${email.from_name} <${email.from}>`],
          ['To', email.to],
          ['Accepted', <Time key="t" at={email.created_at} />],
          ['Next try', email.next_attempt_at === null ? null : <Time key="n" at={email.next_attempt_at} />],
          ['Stream', email.stream],
          ['Tag', email.tag],
          ['Risk', email.risk === null ? null : `${email.risk.risk_level}, ${email.risk.risk_score} points`],
          [
            'Id',
            <code key="i" className="font-mono text-xs">
              {email.id}
            </code>,
          ],
        ]}
      />
      {bounces.data?.data.map((bounce: Json) => (
        <div key={bounce.id} className="mt-4 rounded border border-line p-3">
          <p>
            <State name={bounce.type} /> {bounce.category.replaceAll('_', ' ')}: it is about{' '}
            {MATTERS[adviceFor(bounce.category).matter]}. {adviceFor(bounce.category).meaning}
          </p>
          <p className="mt-1">{adviceFor(bounce.category).next}</p>
          {bounce.diagnostic_code !== null && (
            <p className="mt-1 font-mono text-xs text-quiet">{bounce.diagnostic_code}</p>
          )}
        </div>
      ))}
      <Section title="What happened">
        <ol className="border-l-2 border-line pl-4">
          {timelineOf(email).map((step) => (
            <li key={step.key} className="mb-4">
              <p>
                <span className="font-medium">{step.title}</span>{' '}
                <span className="text-quiet">
                  <Time at={step.at} />
                </span>
              </p>
              {step.lines.map((line) => (
                <p key={line} className="text-quiet break-words">
                  {line}
                </p>
              ))}
              {step.dialogue.length > 0 && (
                <details className="mt-1">
                  <summary className="cursor-pointer text-quiet">Dialogue, {step.dialogue.length} lines</summary>
                  <Code text={step.dialogue.join('\n')} />
                </details>
              )}
            </li>
          ))}
        </ol>
      </Section>
      <Section title="The mail">
        <Preview base={`/emails/${id}`} html={email.html !== null} text={email.text} />
      </Section>
    </Page>
  )
}

function storyOf(email: Json): string {
  switch (email.status) {
    case 'delivered':
      return `The receiving server took it after ${email.attempts_count} ${email.attempts_count === 1 ? 'attempt' : 'attempts'}.`
    case 'deferred':
      return `The receiving server put it off; it will be tried again. It said: ${email.last_response ?? 'nothing'}`
    case 'bounced':
      return `It was refused. The receiving server said: ${email.last_response ?? 'nothing'}`
    case 'failed':
      return `It could not be delivered. The last answer: ${email.last_response ?? 'none'}`
    case 'suppressed':
      return 'It was not sent: the address is on a list of those who must not be mailed.'
    case 'complained':
      return 'It was delivered, and the recipient marked it as spam.'
    case 'scheduled':
      return 'It waits for its time.'
    case 'canceled':
      return 'It was canceled before it was sent.'
    default:
      return 'It is on its way.'
  }
}

interface Step {
  readonly key: string
  readonly at: string
  readonly title: string
  readonly lines: readonly string[]
  readonly dialogue: readonly string[]
}

const OUTCOMES: Readonly<Record<string, string>> = {
  delivered: 'was delivered',
  deferred: 'was put off',
  bounced: 'was refused',
  error: 'did not come about',
}

function timelineOf(email: Json): readonly Step[] {
  const attempts: Step[] = email.attempts.map((one: Json) => ({
    key: `attempt ${one.attempt}`,
    at: one.started_at,
    title: `Attempt ${one.attempt} ${OUTCOMES[one.outcome] ?? one.outcome}`,
    lines: [
      [one.mx, one.ip === null ? null : `${one.ip}:${one.port}`, tlsOf(one.tls), `${one.duration_ms} ms`]
        .filter(Boolean)
        .join(' · '),
      ...(one.response === null ? [] : [one.response]),
      ...(one.next_attempt_at === null ? [] : [`next try ${new Date(one.next_attempt_at).toLocaleString()}`]),
    ],
    dialogue: one.dialogue.map((line: unknown) => (typeof line === 'string' ? line : JSON.stringify(line))),
  }))
  const attempted = new Set(['email.delivered', 'email.deferred'])
  const events: Step[] = email.events
    .filter(({ event }: Json) => !attempted.has(event))
    .map((one: Json) => ({
      key: one.event_id,
      at: one.timestamp,
      title: titleOf(one.event),
      lines: linesOf(one),
      dialogue: [],
    }))
  return [...attempts, ...events].toSorted((a, b) => (a.at < b.at ? -1 : 1))
}

function tlsOf(tls: Json): string {
  if (tls === null) return 'no TLS'
  return typeof tls === 'string' ? tls : [tls.version, tls.cipher].filter(Boolean).join(' ')
}

function titleOf(event: string): string {
  const name = event.replace('email.', '')
  const titles: Readonly<Record<string, string>> = {
    sent: 'Accepted',
    opened: 'Opened',
    clicked: 'Clicked',
    bounced: 'Bounced',
    failed: 'Given up',
    complained: 'Marked as spam',
    unsubscribed: 'Unsubscribed',
    suppressed: 'Not sent',
  }
  return titles[name] ?? name
}

function linesOf({ event, data }: Json): readonly string[] {
  if (event === 'email.opened' || event === 'email.clicked') {
    const who =
      data.is_machine === true || data.machine === true
        ? `by a machine (${data.machine_reason ?? data.reason ?? 'unnamed'})`
        : 'by a person, as far as can be told'
    return [who, ...(data.url === undefined ? [] : [String(data.url)])]
  }
  if (event === 'email.suppressed' || event === 'email.failed') return [`reason: ${data.reason}`]
  return []
}
