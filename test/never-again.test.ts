// Addresses on a list get no mail. After any sequence of sends (single call, template, SMTP submission, scheduled mail),
// bounces, complaints, removals, unsubscribes and erasures, the receiver gets no RCPT TO for an address that was on a list,
// and the lists of another account make no difference. The test derives what must be on a list from what the receiver
// answered and from what was acknowledged to us, not from the product's lists. `RUNS=200` for the long form.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { statement } from '../src/platform/db.ts'
import { type Receiver, startReceiver } from './world/receiver.ts'
import { plain, type SmtpSession, smtpSession } from './world/submission.ts'
import { startWorld, type TestAccount, type World } from './world/world.ts'

const HOST = 'mail.posthorn.test'
const RUNS = Number(process.env['RUNS'] ?? 6)
const PEOPLE = 3
const HOUR_MS = 3_600_000
const ANSWERS = {
  takes: '250 2.1.5 ok',
  unknown: '550 5.1.1 no such user',
  full: '552 5.2.2 mailbox full',
  later: '450 4.2.0 mailbox busy',
} as const
type Answer = keyof typeof ANSWERS

type Step =
  | {
      readonly do: 'send' | 'burst' | 'template' | 'submission' | 'schedule' | 'retry'
      readonly who: number
      readonly answer: Answer
    }
  | {
      readonly do: 'bounce' | 'complaint' | 'unsubscribe mail' | 'suppress' | 'unsubscribe' | 'import'
      readonly who: number
    }
  | { readonly do: 'allow' | 'resubscribe' | 'erase' | 'an hour passes' | 'elsewhere'; readonly who: number }

const who = fc.nat({ max: PEOPLE - 1 })
const answer = fc.constantFrom(...(Object.keys(ANSWERS) as Answer[]))
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 7,
      arbitrary: fc.record({
        do: fc.constantFrom(...(['send', 'burst', 'template', 'submission', 'schedule'] as const)),
        who,
        answer,
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('retry' as const), who, answer }) },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constantFrom(
          ...(['bounce', 'complaint', 'unsubscribe mail', 'suppress', 'unsubscribe', 'import'] as const),
        ),
        who,
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('allow' as const, 'resubscribe' as const), who }) },
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constantFrom(...(['erase', 'an hour passes', 'elsewhere'] as const)), who }),
    },
  ),
  { minLength: 6, maxLength: 14 },
)

/** Histories that always run: everybody has mail on its way, each opts out in another way, and the mail becomes due. */
const whoever = <Rest extends object>(...rest: readonly Rest[]): (Rest & { readonly who: number })[] =>
  rest.map((one, index) => ({ ...one, who: index % PEOPLE }))
const ON_ITS_WAY: readonly Step[][] = [
  [
    ...Array.from({ length: PEOPLE }, (_, who): Step => ({ do: 'schedule', who, answer: 'takes' })),
    ...whoever({ do: 'suppress' as const }, { do: 'unsubscribe' as const }, { do: 'import' as const }),
    { do: 'an hour passes', who: 0 },
  ],
  [
    ...Array.from({ length: PEOPLE }, (_, who): Step => ({ do: 'send', who, answer: 'takes' })),
    ...Array.from({ length: PEOPLE }, (_, who): Step => ({ do: 'schedule', who, answer: 'takes' })),
    ...whoever({ do: 'bounce' as const }, { do: 'complaint' as const }, { do: 'unsubscribe mail' as const }),
    { do: 'an hour passes', who: 0 },
  ],
  [
    ...Array.from({ length: PEOPLE }, (_, who): Step => ({ do: 'send', who, answer: 'later' })),
    ...whoever({ do: 'erase' as const }, { do: 'suppress' as const }, { do: 'unsubscribe' as const }),
    { do: 'an hour passes', who: 0 },
  ],
]

let world: World
let mx: Receiver
let inbound: SmtpSession
let submission: SmtpSession
let stranger: TestAccount
let templateId: string
const answers = new Map<string, Answer>()
const asked: { readonly to: string; readonly answer: Answer }[] = []
before(async () => {
  mx = await startReceiver({
    rcpt: (address) => {
      const to = address.toLowerCase()
      const said = answers.get(to) ?? 'takes'
      asked.push({ to, answer: said })
      return ANSWERS[said]
    },
  })
  world = await startWorld({
    zones: { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.1'] } },
    settings: { POSTHORN_SMTP_PORT: String(mx.port) },
  })
  await world.verifiedDomain('shop.example')
  inbound = await smtpSession(world.mxPort)
  await inbound.ask('EHLO mx.example.net')
  submission = await smtpSession(world.submissionPorts.implicitTls[0] ?? 0, { secure: true })
  await submission.ask('EHLO client.example')
  assert.match(await submission.ask(`AUTH PLAIN ${plain('apikey', world.account.apiKey)}`), /^235/)
  stranger = await world.newAccount('Stranger')
  const made = await world.api.post('/api/v1/templates', { name: 't', subject: 'Hi {{name}}', text: 'Dear {{name}}' })
  templateId = made.body.data.id
})
after(async () => {
  inbound.close()
  submission.close()
  await world[Symbol.asyncDispose]()
  await mx[Symbol.asyncDispose]()
})

const BUSY = statement(
  'test_busy',
  `select (select count(*) from queue where state < 2 or at <= $1)::int + (select count(*) from email where status = 1)::int
     + (select count(*) from inbound_report where state = 0)::int as count`,
)

/** Waits until nothing is under way and nothing that is due still waits; the clock may just have been turned. */
async function settled(): Promise<void> {
  for (let tries = 0; tries < 3_000; tries++) {
    const row = await world.rooms.database.system.one<{ count: number }>(BUSY, [world.clock.now()])
    if (row?.count === 0) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  assert.fail('something is still under way')
}

async function mailIn(to: string, message: string): Promise<void> {
  await inbound.ask('MAIL FROM:<>')
  assert.match(await inbound.ask(`RCPT TO:<${to}>`), /^250 /)
  await inbound.ask('DATA')
  assert.match(await inbound.ask(`${message}\r\n.`), /^250 /)
}

const DSN =
  'From: MAILER-DAEMON@x\r\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; x\r\n\r\nFinal-Recipient: rfc822; x@y.example\r\nAction: failed\r\nStatus: 5.1.1\r\nDiagnostic-Code: smtp; 550 5.1.1 no such user\r\n\r\n--b--'
const complaintOf = (mail: string): string =>
  `From: fbl@x\r\nContent-Type: multipart/report; report-type=feedback-report; boundary=b\r\n\r\n--b\r\nContent-Type: message/feedback-report\r\n\r\nFeedback-Type: abuse\r\nUser-Agent: x\r\nVersion: 1\r\n\r\n--b\r\nContent-Type: message/rfc822\r\n\r\n${mail}\r\n--b--`

/** What the test knows about a person without asking the product. */
interface Person {
  readonly address: string
  suppressed: boolean
  unsubscribed: boolean
  /** True until somebody names the address and takes it off. */
  erased: boolean
  softBounces: number
  readonly emails: string[]
}

async function act(person: Person, step: Step): Promise<void> {
  const { address } = person
  const to = person.emails.length % 2 === 0 ? address : address.toUpperCase().replace('EXAMPLE.NET', 'Example.Net')
  const send = async (text: string, more: object = {}): Promise<void> => {
    const mail = { from: 'a@shop.example', to, subject: 's', text, stream: 'broadcast', ...more }
    const { status, body } = await world.api.post('/api/v1/send', mail)
    assert.ok(status === 202 || status === 422, JSON.stringify(body))
    if (status === 202) person.emails.push(body.data.email_id)
  }
  // The last mail that the receiver accepted, as a report would return it.
  const taken = mx.messages.findLast((one) => one.accepted && one.recipients[0]?.toLowerCase() === address)
  const text = taken?.data.toString('latin1') ?? ''
  const suppression = `/api/v1/customer/suppressions/${encodeURIComponent(address)}`
  const unsubscribe = `/api/v1/customer/unsubscribes/${encodeURIComponent(address)}`
  if ('answer' in step) answers.set(address, step.answer)
  switch (step.do) {
    case 'send':
      return send('one')
    case 'burst':
      await Promise.all(['one', 'two', 'three', 'four'].map((one) => send(one)))
      return
    case 'template':
      return await send('', { text: undefined, subject: undefined, template_id: templateId, variables: { name: 'Jo' } })
    case 'schedule':
      return send('later', { scheduled_at: new Date(world.clock.now().getTime() + HOUR_MS).toISOString() })
    case 'submission': {
      await submission.ask('RSET')
      assert.match(await submission.ask('MAIL FROM:<a@shop.example>'), /^250/)
      if (!(await submission.ask(`RCPT TO:<${to}>`)).startsWith('250')) return
      await submission.ask('DATA')
      const said = await submission.ask(`From: a@shop.example\r\nTo: ${to}\r\nSubject: s\r\n\r\nt\r\n.`)
      const id = /^250 2\.0\.0 queued as (\S+)$/.exec(said)?.[1]
      if (id !== undefined) person.emails.push(id)
      return
    }
    case 'an hour passes':
      world.clock.advance(HOUR_MS + 60_000)
      return
    case 'elsewhere': {
      const before = (await world.api.get(suppression)).status
      await stranger.api.post('/api/v1/customer/suppressions', { email: address })
      await stranger.api.post('/api/v1/customer/unsubscribes', { email: address })
      assert.equal((await world.api.get(suppression)).status, before)
      return
    }
    case 'erase': {
      const contact = await world.api.post('/api/v1/customer/contacts', { email: address, double_opt_in: false })
      if (contact.status !== 201) return
      const gone = await world.api.delete(`/api/v1/customer/contacts/${contact.body.data.id}?erase=true`)
      assert.equal(gone.body.data.erased, true)
      Object.assign(person, { erased: true, suppressed: false, unsubscribed: false, softBounces: 0 })
      return
    }
    case 'retry':
      for (const id of person.emails) await world.api.post(`/api/v1/emails/${id}/retry`)
      return
    case 'bounce':
      return taken === undefined ? undefined : mailIn(taken.from, `Subject: ${asked.length}\r\n${DSN}`)
    case 'complaint':
      return taken === undefined ? undefined : mailIn(`fbl@${HOST}`, `Subject: ${asked.length}\r\n${complaintOf(text)}`)
    case 'unsubscribe mail': {
      const [, to] = /<mailto:(u\+[a-z2-7]{61}@mail\.posthorn\.test)/.exec(text) ?? []
      if (to === undefined) return
      await mailIn(to, 'Subject: unsubscribe\r\n\r\nx')
      person.unsubscribed = true
      return
    }
    case 'suppress':
      await world.api.post('/api/v1/customer/suppressions', { email: address })
      person.suppressed = true
      return
    case 'import': {
      const csv = await world.api.post('/api/v1/customer/suppressions/import', `email,reason\n${address},manual\n`, {
        'content-type': 'text/csv',
      })
      assert.equal(csv.status, 200, JSON.stringify(csv.body))
      person.suppressed = true
      return
    }
    case 'unsubscribe':
      await world.api.post('/api/v1/customer/unsubscribes', { email: address })
      person.unsubscribed = true
      return
    case 'allow':
      await world.api.delete(suppression)
      Object.assign(person, { suppressed: false, erased: false })
      return
    case 'resubscribe':
      await world.api.delete(unsubscribe)
      Object.assign(person, { unsubscribed: false, erased: false })
      return
  }
}

function isBlocked({ suppressed, unsubscribed, erased }: Person): boolean {
  return suppressed || unsubscribed || erased
}

async function statusOf(id: string | undefined): Promise<string> {
  return id === undefined ? '' : ((await world.api.get(`/api/v1/emails/${id}`)).body.data?.status ?? '')
}

test(`no RCPT TO for an address that stands on a list, after any of ${RUNS} histories`, async (t) => {
  let [run, refusals] = [0, 0]
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      run++
      const people = Array.from({ length: PEOPLE }, (_, i): Person => {
        const address = `reader${i}.${run}@example.net`
        return { address, suppressed: false, unsubscribed: false, erased: false, softBounces: 0, emails: [] }
      })
      for (const step of history) {
        const person = people[step.who]
        assert.ok(person !== undefined)
        const { address } = person
        const from = asked.length
        const wasBlocked = isBlocked(person)
        const reports = step.do === 'bounce' || step.do === 'complaint'
        const taken = mx.messages.findLast((one) => one.accepted && one.recipients[0]?.toLowerCase() === address)
        const [, id] = /^Message-ID: <([^@>]+)@/im.exec(taken?.data.toString('latin1') ?? '') ?? []
        const before = reports ? await statusOf(id) : ''
        await act(person, step)
        await settled()
        const here = asked.slice(from)
        for (const other of people) {
          const reached = here.filter(({ to }) => to === other.address)
          const blocked = other === person ? wasBlocked : isBlocked(other)
          if (blocked) assert.deepEqual(reached, [], `${step.do} mailed ${other.address}`)
        }
        if (wasBlocked) refusals++
        for (const one of people) {
          // Scheduled mail also reaches people other than the one of this step.
          const said = here.filter(({ to }) => to === one.address).map(({ answer: told }) => told)
          if (said.includes('unknown')) one.suppressed = true
          if (said.includes('takes')) one.softBounces = 0
          one.softBounces += said.filter((told) => told === 'full').length
          if (one.softBounces >= 3) Object.assign(one, { suppressed: true, softBounces: 0 })
        }
        const counts = step.do === 'bounce' ? ['delivered'] : ['delivered', 'bounced']
        if (reports && counts.includes(before)) person.suppressed = true
      }
    }),
    { numRuns: RUNS + ON_ITS_WAY.length, examples: ON_ITS_WAY.map((history) => [history]), endOnFailure: true },
  )
  t.diagnostic(`${asked.length} RCPT TO, ${refusals} steps about somebody on a list`)
  assert.ok(asked.length > 0 && refusals > 0)
})
