import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SENDERS_RULE, tlsVerdict } from '../../modules/delivery/smtp-verdict.ts'
import { explain, isListReason } from './explain.ts'

interface Response {
  readonly smtp_code: number | null
  readonly enhanced_code: string | null
  readonly response: string
}

const NEXT = '2026-01-01T12:06:00.000Z'
const END = '2026-01-01T12:10:00.000Z'
const FULL: Response = { smtp_code: 452, enhanced_code: '4.2.2', response: '452 4.2.2 mailbox full' }
const LIMITED: Response = {
  smtp_code: 421,
  enhanced_code: '4.7.28',
  response: '421 4.7.28 Gmail has detected an unusual rate of unsolicited mail originating from your DKIM domain',
}
const MUTE: Response = { smtp_code: 451, enhanced_code: null, response: '451 later' }
const NO_TLS = tlsVerdict(
  { code: null, enhanced: '4.7.5', text: '4.7.5 the server does not offer STARTTLS' },
  SENDERS_RULE,
)
const PLAIN: Response = { smtp_code: null, enhanced_code: '4.7.5', response: NO_TLS.finalReply.text }

const NOW = new Date('2026-01-01T12:05:00.000Z')
const deferred = (data: Response, next_attempt_at: string | null = NEXT, now = NOW) =>
  explain(
    {
      status: 'deferred',
      next_attempt_at,
      expires_at: END,
      events: [{ event: 'email.deferred', data }],
      attempts: [data],
    },
    now,
  )
const failed = (reason: string, last?: Response) =>
  explain(
    {
      status: 'failed',
      events: [{ event: 'email.failed', data: { reason, last_response: last?.response ?? null } }],
      attempts: last === undefined ? [] : [last],
    },
    NOW,
  )

test('a deferred email names the cause of its last response, and its next attempt', () => {
  const { reason, matter, next } = deferred(LIMITED)
  assert.deepEqual([reason, matter], ['rate_limited', 'reputation'])
  assert.match(
    next,
    /next attempt is at 2026-01-01T12:06:00\.000Z, automatically\. If it keeps failing: If it continues, send/,
  )
})

test('an email that waits for TLS breaks no rule of the receiver', () => {
  const { reason, meaning, next } = deferred(PLAIN)
  assert.equal(reason, 'tls_required')
  assert.match(meaning, /requires TLS/)
  assert.match(next, /tls_policy opportunistic/)
  const { reason: _, ...ended } = failed('tls_required', PLAIN)
  assert.ok(next.endsWith(ended.next))
})

test('a domain that does not exist, or takes no mail, is a problem of the address from the first attempt on', () => {
  for (const response of ['4.1.2 the recipient domain does not exist', '4.4.4 no address for example.net']) {
    const [enhanced_code = ''] = response.split(' ')
    const { matter, reason, meaning } = deferred({ smtp_code: null, enhanced_code, response })
    assert.deepEqual([matter, reason], ['address', 'bad_domain'])
    assert.match(meaning, /does not exist or takes no mail/)
  }
  const silent = deferred({ smtp_code: null, enhanced_code: '4.4.3', response: '4.4.3 SERVFAIL' })
  assert.deepEqual([silent.matter, silent.reason], ['receiver', 'dns_failure'])
})

test('an email that was deferred to its end names the cause of its last response', () => {
  const full = failed('retry_exhausted', FULL)
  assert.deepEqual([full.reason, full.matter], ['retry_exhausted', 'receiver'])
  assert.match(full.meaning, /deferred every attempt.*mailbox exists but is full/)
  assert.match(full.next, /^Retry it once that is resolved\. Three such emails/)
  assert.match(failed('expired', LIMITED).next, /^Retry it once that is resolved\. If it continues, send more slowly/)
})

test('a response that tells nothing, or none, leaves the advice of the reason', () => {
  for (const last of [MUTE, undefined]) {
    assert.match(failed('retry_exhausted', last).next, /responses of the attempts/)
    assert.match(failed('expired', last).meaning, /^It expired before the receiver accepted it\.$/)
  }
  assert.match(failed('domain_removed', FULL).meaning, /sending domain was removed/)
})

test('a domain with servers that we send nothing to has no fault of its DNS', () => {
  const refused = (last_response: string) =>
    explain(
      { status: 'failed', last_response, events: [{ event: 'email.failed', data: { reason: 'dns_failure' } }] },
      NOW,
    )
  const inside = refused('5.4.6 mx.example.net is at an address that mail is not sent to')
  assert.deepEqual([inside.reason, inside.matter], ['dns_failure', 'setup'])
  assert.match(inside.meaning, /private or reserved addresses/)
  assert.match(inside.next, /POSTHORN_ALLOW_PRIVATE_NETWORKS/)
  const loop = refused('5.4.6 the mail would loop: mail.example.net is this service itself')
  assert.match(loop.meaning, /names this service itself/)
  assert.match(refused('4.4.3 addresses of mx.example.net: SERVFAIL').meaning, /DNS does not answer/)
})

test('an email without a further attempt says when it expires', () => {
  for (const last of [LIMITED, MUTE])
    assert.match(deferred(last, null).next, /no further attempt before it expires at 2026-01-01T12:10/)
})

test('an email that was not attempted names the cause, and no receiver', () => {
  const untried = (cause: string) =>
    explain({ status: 'deferred', next_attempt_at: NEXT, last_response: `4.7.0 not tried: ${cause}`, events: [] }, NOW)
  const { matter, meaning, next } = untried('the sending domain is not verified')
  assert.deepEqual([matter, meaning], ['setup', 'It was not attempted: the sending domain is not verified.'])
  assert.equal(
    next,
    `Verify the domain again: its page shows the missing records. The next attempt is at ${NEXT}, automatically.`,
  )
  assert.match(untried('the operator has suspended the sending domain').next, /^Ask the operator\. /)
})

test('an email that is due and not attempted waits for no receiver', () => {
  const later = new Date('2026-01-01T12:30:00.000Z')
  for (const status of ['queued', 'deferred']) {
    const { matter, meaning } = explain({ status, next_attempt_at: NEXT, events: [], attempts: [] }, later)
    assert.equal(matter, 'setup')
    assert.match(meaning, /due since 2026-01-01T12:06:00\.000Z.*paused/)
  }
  assert.match(explain({ status: 'queued', next_attempt_at: NEXT, events: [], attempts: [] }, NOW).meaning, /soon/)
  assert.match(explain({ status: 'scheduled', scheduled_at: NEXT, next_attempt_at: NEXT }, later).meaning, /scheduled/)
})

// Each row: the reason of email.suppressed, the words of its explanation, and whether a list names the recipient.
const BLOCKED: readonly (readonly [reason: string, words: RegExp, isListed: boolean])[] = [
  ['unsubscribed', /unsubscribed/, true],
  ['recipient_unsubscribed', /unsubscribed/, true],
  ['previous_complaint', /marked an earlier email as spam/, true],
  ['manual', /suppressed manually/, true],
  ['disposable_high_confidence', /because of its risk \(disposable_high_confidence\)/, false],
  ['risk_score_critical', /because of its risk/, false],
]
for (const [reason, words, isListed] of BLOCKED) {
  test(`an email blocked for ${reason} is ${isListed ? '' : 'not '}said to be on a list`, () => {
    const events = [{ event: 'email.suppressed', data: { reason } }]
    const said = explain({ status: 'suppressed', events }, NOW)
    assert.match(said.meaning, words)
    assert.deepEqual([said.reason, isListReason(said.reason)], [reason, isListed])
  })
}
