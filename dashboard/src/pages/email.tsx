// One email: its status and the reason, the timeline, and its content.

import { Link, useParams } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { adviceFor } from '../../../src/mail/reports/bounce-advice.ts'
import { explain, isListReason, isOverdue, untriedFor } from '../../../src/mail/reports/explain.ts'
import { besides, call, faultOf, type Json, refresh, useApi, withQuery } from '../api/api.ts'
import { IfPermitted } from '../api/permissions.tsx'
import { useEmailFilters } from '../emails/email-filters.ts'
import { Preview } from '../emails/preview.tsx'
import { bouncesBehind, storyOf } from '../emails/story.ts'
import { answerIn, deferralOf, type Step, timelineOf } from '../emails/timeline.ts'
import { announce } from '../ui/announcements.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { DateTimeInput, localOf, momentOf } from '../ui/date-time-input.tsx'
import { Neighbours } from '../ui/neighbours.tsx'
import { entrySearch } from '../ui/search.ts'
import {
  Button,
  Copy,
  Facts,
  LIKE_A_BUTTON,
  MARKS,
  Page,
  Pending,
  Problem,
  Section,
  State,
  Time,
  TONE_CLASSES,
} from '../ui/ui.tsx'
import { WebhookDeliveries } from '../webhooks/deliveries.tsx'
import { figure } from '../words/number-format.ts'

export function Email() {
  const { id } = useParams({ strict: false }) as { id: string }
  const found = useApi(`/emails/${id}`, { every: 5_000 })
  const bounces = useApi(withQuery('/customer/bounces', { email_id: id, include_sandbox: true }))
  const [error, setError] = useState<unknown>(null)
  const filters = useEmailFilters()
  if (found.data === undefined)
    return (
      <Page title="Email">
        <Pending error={found.error} lines={10} />
      </Page>
    )
  const email: Json = found.data.data
  const act = async (what: 'cancel' | 'retry', done: string): Promise<void> => {
    setError(null)
    await call('POST', `/emails/${id}/${what}`).then(() => announce(done), setError)
    await refresh('/emails')
  }
  const open = ['scheduled', 'queued', 'deferred'].includes(email.status)
  const again = ['deferred', 'failed', 'bounced'].includes(email.status)
  return (
    <Page
      title={email.subject === '' ? '(no subject)' : email.subject}
      sentence={
        <>
          <State name={email.status} /> <span className="text-ink">{storyOf(email)}</span>
        </>
      }
      actions={
        <div className="flex flex-wrap gap-2">
          <Neighbours path="/emails" to="/emails/$id" filters={filters} id={id} every={5_000} />
          <Link to="/emails" search={{ recipient: email.to } as never} className={LIKE_A_BUTTON}>
            All to this address
          </Link>
          {again && (
            <Button scope="send" onClick={() => void act('retry', 'Retrying now.')}>
              Retry
            </Button>
          )}
          {open && (
            <Confirm
              scope="send"
              label="Cancel"
              yes="Cancel email"
              question="Cancel this email? It will not be sent. This cannot be undone."
              onYes={() => void act('cancel', 'Canceled.')}
            />
          )}
        </div>
      }
    >
      <Problem error={error ?? found.error} />
      <Why email={email} bounces={bouncesBehind(email, bounces.data?.data ?? [])} />
      {email.status === 'scheduled' && (
        <IfPermitted scope="send">
          <Replan email={email} />
        </IfPermitted>
      )}
      <div className="grid gap-x-10 gap-y-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <section aria-labelledby="happened">
          <h2 id="happened" className="mb-3 text-base font-semibold">
            Activity
          </h2>
          <ol aria-live="polite">
            {timelineOf(email).map((step) => (
              <StepLine key={step.key} step={step} />
            ))}
            {open && (
              <li className="flex gap-3 text-quiet">
                <span aria-hidden="true">○</span>
                <span>
                  <Ahead email={email} />
                </span>
              </li>
            )}
          </ol>
        </section>
        <About email={email} />
      </div>
      <Section title="Message">
        <Preview base={`/emails/${id}`} mail={email} />
      </Section>
      <WebhookDeliveries emailId={id} />
    </Page>
  )
}

/** The next step of an email that has not ended. */
function Ahead({ email: { status, next_attempt_at: next, expires_at: end } }: { readonly email: Json }) {
  const given = (
    <>
      expires <Time at={end} /> if not delivered by then
    </>
  )
  if (next === null && status === 'deferred') {
    return (
      <>
        No further attempt before it expires <Time at={end} />
      </>
    )
  }
  if (next === null || Date.parse(next) <= Date.now()) return <>Waiting to be sent, {given}</>
  return (
    <>
      {status === 'scheduled' ? 'Scheduled for' : 'Next attempt'} <Time at={next} />, {given}
    </>
  )
}

/** Reschedules a scheduled email. */
function Replan({ email }: { readonly email: Json }) {
  const [at, setAt] = useState(localOf(email.scheduled_at))
  const [error, setError] = useState<unknown>(null)
  const move = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setError(null)
    await call('PATCH', `/emails/${email.id}`, { scheduled_at: momentOf(at) }).then(
      () => announce('Rescheduled.'),
      setError,
    )
    await refresh('/emails')
  }
  return (
    <form onSubmit={(event) => void move(event)} className="mb-6 flex flex-wrap items-start gap-3">
      <DateTimeInput label="Send at" required value={at} onChange={setAt} fault={faultOf(error, 'scheduled_at')} />
      <div className="pt-[25px]">
        <Button type="submit" disabled={at === localOf(email.scheduled_at)}>
          Reschedule
        </Button>
      </div>
      <div className="basis-full">
        <Problem error={besides(error, ['scheduled_at'])} />
      </div>
    </form>
  )
}

const MATTERS: Readonly<Record<string, string>> = {
  address: 'The problem is the address.',
  content: 'The problem is the content.',
  reputation: 'The problem is sending reputation, not the address.',
  receiver: 'The problem is on the receiving side.',
  setup: 'The problem is the setup.',
  sender: 'The problem is on your side.',
  unclear: 'The response does not say where the problem is.',
}

/** Why it did not arrive and what to do about it; nothing when it did. */
function Why({ email, bounces }: { readonly email: Json; readonly bounces: readonly Json[] }) {
  const now = new Date()
  const overdue = isOverdue(email, now)
  if (bounces.length === 0 && !overdue && !['suppressed', 'deferred', 'failed'].includes(email.status)) return null
  const frame = 'mb-6 grid grid-cols-[minmax(0,1fr)] gap-1 rounded border-l-4 border-line bg-raised p-4'
  const isLast = email.status === 'deferred' && email.next_attempt_at === null
  const isExplained = overdue || isLast || email.status === 'failed' || untriedFor(email) !== null
  if (bounces.length === 0)
    return (
      <div className={frame}>
        <p className="font-mono text-xs break-words">{email.last_response}</p>
        {email.status === 'suppressed' && <Refused email={email} />}
        {email.status === 'deferred' && !isExplained && <Deferral email={email} />}
        {isExplained && <Advice {...explain(email, now)} />}
      </div>
    )
  return bounces.map((bounce) => {
    const advice = adviceFor(bounce.category)
    const answer = answerIn(bounce.diagnostic_code)
    return (
      <div key={bounce.id} className={frame}>
        <p>
          <span className="font-semibold">
            <State name={bounce.type} />, {bounce.category.replaceAll('_', ' ')}.
          </span>{' '}
          {MATTERS[advice.matter]} {advice.meaning}
        </p>
        <p>
          <span className="text-quiet">What to do:</span> {advice.next}
        </p>
        {answer !== null && <p className="font-mono text-xs break-words text-quiet">{answer}</p>}
        {bounce.suppressed === true && (
          <p>
            <Link to="/suppressions" search={entrySearch(email.to, email) as never} className="underline">
              See the suppression
            </Link>
          </p>
        )}
      </div>
    )
  })
}

/** Why an email was blocked, with the list that names the recipient, if one does. */
function Refused({ email }: { readonly email: Json }) {
  const { reason, ...advice } = explain(email, new Date())
  const asked = reason?.includes('unsubscribed') === true
  return (
    <>
      <Advice {...advice} />
      {isListReason(reason) && (
        <p>
          <Link
            to={asked ? '/unsubscribes' : '/suppressions'}
            search={entrySearch(email.to, email) as never}
            className="underline"
          >
            {asked ? 'See when and how they unsubscribed' : 'See the suppression'}
          </Link>
        </p>
      )}
    </>
  )
}

function Deferral({ email }: { readonly email: Json }) {
  const advice = deferralOf(email)
  if (advice === null)
    return <p className="text-quiet">No action needed: most deferred email arrives within the hour.</p>
  return <Advice {...advice} />
}

function Advice({ matter, meaning, next }: Readonly<Record<'matter' | 'meaning' | 'next', string>>) {
  return (
    <>
      <p>
        {MATTERS[matter]} {meaning}
      </p>
      <p>
        <span className="text-quiet">What to do:</span> {next}
      </p>
    </>
  )
}

function times(count: number): string {
  return count === 1 ? 'once' : `${figure(count)} times`
}

function StepLine({ step }: { readonly step: Step }) {
  const { tone, title, at, facts, answer, notes, dialogue } = step
  return (
    <li className="relative flex gap-3 pb-4 before:absolute before:top-5 before:bottom-0 before:left-[0.4rem] before:w-px before:bg-line last:before:hidden">
      <span aria-hidden="true" className={TONE_CLASSES[tone]}>
        {MARKS[tone]}
      </span>
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap justify-between gap-x-4">
          <span className="font-semibold">{title}</span>
          <span className="text-quiet">
            <Time at={at} />
          </span>
        </p>
        {facts.length > 0 && <p className="text-quiet">{facts.join(' · ')}</p>}
        {answer !== null && <p className="mt-1 font-mono text-xs break-words">{answer}</p>}
        {notes.map((note) => (
          <p key={note} className="break-words text-quiet">
            {note}
          </p>
        ))}
        {dialogue.length > 0 && (
          <details className="mt-1">
            <summary className="cursor-pointer text-quiet">SMTP transcript, {dialogue.length} lines</summary>
            <Dialogue step={step} />
          </details>
        )}
      </div>
    </li>
  )
}

function Dialogue({ step: { dialogue } }: { readonly step: Step }) {
  return (
    <table className="mt-2 w-full font-mono text-xs">
      <caption className="sr-only">SMTP transcript with the receiving server</caption>
      <tbody>
        {dialogue.map(({ at, from, line }, i) => (
          // oxlint-disable-next-line react/no-array-index-key -- lines may be equal, and none is inserted between others
          <tr key={i} className="align-top">
            <td className="w-16 pr-3 text-right whitespace-nowrap text-quiet">{at} ms</td>
            <td className="w-6 text-quiet">{from === 'client' ? 'C:' : 'S:'}</td>
            <td className={`break-all ${from === 'client' ? '' : 'font-semibold'}`}>{line}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function About({ email }: { readonly email: Json }) {
  const given = email.metadata === null ? null : JSON.stringify(email.metadata)
  return (
    <aside aria-label="Email details" className="min-w-0">
      <Facts
        facts={[
          ['From', <Sender key="from" name={email.from_name} address={email.from} />],
          ['To', email.to],
          ['Cc', email.cc.length === 0 ? null : email.cc.join(', ')],
          ['Reply-To', email.reply_to.length === 0 ? null : email.reply_to.join(', ')],
          ['Accepted', <Time key="t" full at={email.created_at} />],
          ['Delivered', email.delivered_at === null ? null : <Time key="d" full at={email.delivered_at} />],
          ['Scheduled for', email.scheduled_at === null ? null : <Time key="p" full at={email.scheduled_at} />],
          ['Opened', email.open_count === 0 ? null : times(email.open_count)],
          ['Clicked', email.click_count === 0 ? null : times(email.click_count)],
          ['Stream', email.stream],
          ['Tag', email.tag],
          ['Metadata', given === null ? null : <code className="font-mono text-xs break-all">{given}</code>],
          ['Risk', email.risk === null ? null : `${email.risk.risk_level}, ${email.risk.risk_score} of 100`],
          [
            'ID',
            <span key="i" className="flex items-start gap-2">
              <code className="min-w-0 font-mono text-xs break-all">{email.id}</code>
              <Copy text={email.id} what="the ID" />
            </span>,
          ],
        ]}
      />
    </aside>
  )
}

/** Isolated from each other: a name may contain characters that reverse what follows. */
function Sender({ name, address }: { readonly name: string | null; readonly address: string }) {
  if (name === null) return address
  return (
    <>
      <bdi>{name}</bdi> <bdi>&lt;{address}&gt;</bdi>
    </>
  )
}
