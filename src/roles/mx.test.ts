import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ACCOUNT, type Fixture, fixture } from '../../test/world/delivery-fixture.ts'
import { MX_HOST, startMx } from '../../test/world/inbound-mx.ts'
import { type SmtpSession, smtpSession } from '../../test/world/submission.ts'
import { declaredZones } from '../../test/world/zones.ts'
import { feedbackAddress, returnPath } from '../mail/verp.ts'
import {
  type Inbound,
  type InboundOptions,
  inboundOf,
  type ReportReader,
  recallReports,
  reportReader,
} from '../modules/bounces/index.ts'
import { dmarcIntake } from '../modules/dmarc/index.ts'
import { lockReportedEmail, markBounced, markComplained } from '../modules/outbox/index.ts'
import { tlsIntake } from '../modules/transport/index.ts'
import { statement } from '../platform/db.ts'
import type { DnsAnswer } from '../platform/dns.ts'
import { createLogger } from '../platform/log.ts'
import type { Mx } from './mx.ts'

const OUTCOMES = statement('test_outcomes', 'select kind, state, tries, outcome, raw from inbound_report order by id')
const POISON = statement(
  'test_poison',
  `insert into inbound_report (id, hash, kind, local_part, received_at, free_at, raw, tries)
   values ($1, '\\x00', 'return_path', 'x', $2, $2, 'x', 3)`,
)

interface Inside extends AsyncDisposable {
  readonly h: Fixture
  readonly inbound: Inbound
  /** The intake of another process on the same database, not started. */
  beside(): Inbound
  readonly mx: Mx
  readonly forwarded: string[]
  /** Sends and delivers a mail. */
  delivered(to: string): Promise<{ readonly id: string; readonly returnPath: string; readonly mail: string }>
  /** @returns the last reply */
  /** @param sender the envelope sender; empty when absent */
  send(to: string, message: string, sender?: string): Promise<string>
  /** The mail that the recipient got. */
  mailTo(to: string): string
  outcomes(): Promise<readonly { outcome: string | null; state: number; tries: number; raw: Buffer | null }[]>
  /** Waits until every report has been read. */
  settle(): Promise<void>
}

async function inside(own: Partial<Pick<InboundOptions, 'reader' | 'resolver'>> = {}): Promise<Inside> {
  const h = await fixture({ 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.2'] } })
  const receiver = await h.receiver('127.0.0.2')
  const { database, clock, ids } = h
  const forwarded: string[] = []
  const ownersOf = async (domain: string): Promise<readonly string[]> => (domain === 'shop.test' ? [ACCOUNT] : [])
  const aggregated = { clock, ids, ownersOf }
  const options: InboundOptions = {
    database,
    clock,
    ids,
    log: createLogger('silent'),
    verpMac: h.options.verpMac,
    emails: {
      byToken: lockReportedEmail,
      byMessageId: async () => null,
      markBounced: (db, email, refusal) => markBounced(db, { ...email, status: 'delivered' }, refusal),
      markComplained: (db, email) => markComplained(db, { ...email, status: 'delivered' }),
    },
    resolver: h.options.resolver,
    forward: async (_db, { localPart }) => {
      forwarded.push(localPart)
      return { outcome: 'forwarded', keepRaw: false }
    },
    aggregates: { tls: tlsIntake(aggregated), dmarc: dmarcIntake(aggregated) },
    onRead: () => undefined,
  }
  const inbound = inboundOf({ ...options, ...own })
  const mx = await startMx({ inbound, clock, rateLimits: false })
  await inbound.service.start()
  let count = 0
  const outcomes: Inside['outcomes'] = () => database.system.query(OUTCOMES)
  return {
    h,
    inbound,
    beside: () => inboundOf(options),
    mx,
    forwarded,
    outcomes,
    mailTo: (to) =>
      receiver.messages.find(({ recipients }) => recipients.includes(to))?.data.toString('latin1') ?? assert.fail(to),
    delivered: async (to) => {
      const id = await h.put(to)
      await h.delivery.turn()
      await receiver.received(++count)
      const mail = receiver.messages.find(({ recipients }) => recipients.includes(to))
      assert.equal(await h.status(id), 'delivered')
      return { id, returnPath: mail?.from ?? '', mail: mail?.data.toString('latin1') ?? '' }
    },
    send: async (to, message, sender = '') => {
      const session = await smtpSession(mx.port())
      await greet(session)
      await session.ask(`MAIL FROM:<${sender}>`)
      const rcpt = await session.ask(`RCPT TO:<${to}>`)
      const last = rcpt.startsWith('250') ? await afterData(session, message) : rcpt
      session.close()
      return last
    },
    settle: async () => {
      for (let tries = 0; tries < 2_400; tries++) {
        h.clock.advance(50)
        if ((await outcomes()).every(({ state }) => state > 0)) return
        await new Promise((resolve) => setTimeout(resolve, 25))
      }
      assert.fail('reports still wait')
    },
    [Symbol.asyncDispose]: async () => {
      await mx.stop(AbortSignal.timeout(500))
      await inbound.service.stop(AbortSignal.timeout(2_000))
      await h[Symbol.asyncDispose]()
    },
  }
}

async function greet(session: SmtpSession): Promise<void> {
  await session.ask('EHLO mx.example.net')
}

async function afterData(session: SmtpSession, message: string): Promise<string> {
  await session.ask('DATA')
  return session.ask(`${message}\r\n.`)
}

const dsn = (fields: string): string =>
  `From: MAILER-DAEMON@example.net\nSubject: Undelivered\nMIME-Version: 1.0\nContent-Type: multipart/report; report-type=delivery-status; boundary="b"\n\n--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; example.net\n\n${fields}\n--b--\n`.replaceAll(
    '\n',
    '\r\n',
  )
const UNKNOWN = dsn(
  'Final-Recipient: rfc822; somebody-else@example.net\nAction: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 5.1.1 no such user\n',
)
const complaint = (mail: string): string =>
  `From: fbl@example.net\r\nSubject: complaint\r\nContent-Type: multipart/report; report-type=feedback-report; boundary="b"\r\n\r\n--b\r\nContent-Type: message/feedback-report\r\n\r\nFeedback-Type: abuse\r\nUser-Agent: x\r\nVersion: 1\r\n\r\n--b\r\nContent-Type: message/rfc822\r\n\r\n${mail}\r\n--b--`

describe('the inbound MX', { concurrency: false }, () => {
  test('a late report ends the email as bounced, once, and suppresses only the address of the token', async () => {
    await using w = await inside()
    const { id, returnPath } = await w.delivered('bob@example.net')
    for (let copy = 0; copy < 5; copy++) {
      const trace = `Received: from x by y; ${copy}\r\n`
      assert.match(await w.send(copy % 2 === 0 ? returnPath : returnPath.toUpperCase(), trace + UNKNOWN), /^250 /)
    }
    await w.settle()
    assert.equal(await w.h.status(id), 'bounced')
    const events = (await w.h.events(id)).filter(({ event }) => event === 'email.bounced')
    assert.equal(events.length, 1)
    assert.equal(events[0]?.data['source'], 'dsn')
    assert.equal(events[0]?.data['type'], 'hard')
    assert.equal(await w.h.suppressed('bob@example.net'), 'hard_bounce')
    assert.equal(await w.h.suppressed('somebody-else@example.net'), null)
    const kept = await w.outcomes()
    assert.equal(kept.length, 1)
    assert.equal(kept[0]?.raw, null)
  })

  test('an opt-out by feedback report unsubscribes and is no complaint; a not-spam report has no effect', async () => {
    await using w = await inside()
    const { id, mail } = await w.delivered('bob@example.net')
    for (const type of ['not-spam', 'auth-failure', 'opt-out', 'opt-out-list'])
      await w.send(`fbl@${MX_HOST}`, complaint(mail).replace('Feedback-Type: abuse', `Feedback-Type: ${type}`))
    await w.settle()
    assert.deepEqual(
      (await w.outcomes()).map(({ outcome }) => outcome),
      ['not_applicable', 'not_applicable', 'unsubscribed', 'unsubscribed'],
    )
    assert.equal(await w.h.status(id), 'delivered')
    assert.equal(await w.h.suppressed('bob@example.net'), null)
    const [event, ...more] = (await w.h.events(id)).filter(({ event }) => /unsubscribed|complained/.test(event))
    assert.deepEqual([event?.event, event?.data['source'], more], ['email.unsubscribed', 'mailto', []])
  })

  test('a letter from a person is no report, whatever its words; the same words without a sender are one', async () => {
    await using w = await inside()
    const { id, returnPath } = await w.delivered('bob@example.net')
    const letter =
      'From: Jane <jane@example.net>\r\nSubject: Undelivered\r\n\r\nYour message to bob@example.net was not delivered: 550 5.1.1 user unknown'
    assert.match(await w.send(returnPath, `Return-Path: <>\r\n${letter}`, 'jane@example.net'), /^250 /)
    await w.settle()
    assert.equal(await w.h.status(id), 'delivered')
    assert.match(await w.send(returnPath, `${letter}.`), /^250 /)
    await w.settle()
    assert.equal(await w.h.status(id), 'bounced')
  })

  test('a process paused for longer than its claim on a report leaves it to the next one', async () => {
    const [begun, goesOn, real] = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), reportReader()]
    const read: ReportReader['read'] = async (raw) => {
      begun.resolve()
      await goesOn.promise
      return real.read(raw)
    }
    await using w = await inside({ reader: { read, close: () => real.close() } })
    const { id, returnPath } = await w.delivered('bob@example.net')
    await w.send(returnPath, UNKNOWN)
    await begun.promise
    w.h.clock.advance(61_000)
    const other = w.beside()
    await other.service.start()
    await w.settle()
    await other.service.stop(AbortSignal.timeout(2_000))
    assert.equal(await w.h.status(id), 'bounced')
    goesOn.resolve()
    await w.inbound.service.stop(AbortSignal.timeout(5_000))
    assert.deepEqual(
      (await w.outcomes()).map(({ outcome, state }) => [outcome, state]),
      [['bounced', 1]],
    )
  })

  test('a bounce does not wait for complaints whose signers are looked up, and each of these counts once', async () => {
    const answers = Promise.withResolvers<DnsAnswer<string>>()
    await using w = await inside({ resolver: { ...declaredZones({}), txt: () => answers.promise } })
    using _silence = { [Symbol.dispose]: () => answers.resolve({ kind: 'timeout' }) }
    const signed = (i: number): string =>
      `DKIM-Signature: v=1; a=rsa-sha256; d=s${i}.example; s=k; h=from; bh=AA==; b=AA==\r\n`
    const eves = await Promise.all(Array.from({ length: 40 }, (_, i) => w.h.put(`eve${i}@example.net`)))
    const { id, returnPath } = await w.delivered('bob@example.net')
    for (const i of eves.keys()) {
      const mail = w.mailTo(`eve${i}@example.net`)
      assert.match(await w.send(`fbl@${MX_HOST}`, signed(i) + complaint(mail)), /^250 /)
    }
    assert.match(await w.send(returnPath, UNKNOWN), /^250 /)
    for (let tries = 0; tries < 800 && (await w.h.status(id)) !== 'bounced'; tries++)
      await new Promise((resolve) => setTimeout(resolve, 25))
    assert.equal(await w.h.status(id), 'bounced')
    const states = async (): Promise<readonly string[]> => Promise.all(eves.map((eve) => w.h.status(eve)))
    const held = (await states()).filter((status) => status === 'delivered').length
    assert.equal(held, 32)
    answers.resolve({ kind: 'timeout' })
    await w.settle()
    assert.deepEqual(new Set(await states()), new Set(['complained']))
    assert.deepEqual(new Set((await w.outcomes()).map(({ tries }) => tries)), new Set([1]))
  })

  test('a delay, a success and an automatic reply change nothing', async () => {
    await using w = await inside()
    const { id, returnPath } = await w.delivered('bob@example.net')
    await w.send(returnPath, dsn('Final-Recipient: rfc822; bob@example.net\nAction: delayed\nStatus: 4.2.0\n'))
    await w.send(returnPath, dsn('Final-Recipient: rfc822; bob@example.net\nAction: delivered\nStatus: 2.0.0\n'))
    await w.send(
      returnPath,
      'From: bob@example.net\r\nAuto-Submitted: auto-replied\r\nSubject: away\r\n\r\n550 no such user',
    )
    await w.settle()
    assert.deepEqual(
      (await w.outcomes()).map(({ outcome }) => outcome),
      ['delayed', 'delivered', 'auto_reply'],
    )
    assert.equal(await w.h.status(id), 'delivered')
    assert.equal(await w.h.suppressed('bob@example.net'), null)
  })

  test('in a report about several recipients only ours counts; if it is not named, only when all of them failed', async () => {
    await using w = await inside()
    const of = (address: string, action: string, status: string): string =>
      `Final-Recipient: rfc822; ${address}\nAction: ${action}\nStatus: ${status}\n\n`
    const other = of('other@forwarded.example', 'failed', '5.1.1')
    for (const [index, [fields, status]] of (
      [
        [of('bob0@example.net', 'delayed', '4.4.1') + other, 'delivered'],
        [of('BOB1@example.net', 'expanded', '2.0.0') + other, 'delivered'],
        [of('third@forwarded.example', 'delivered', '2.0.0') + other, 'delivered'],
        [other + of('bob3@example.net', 'failed', '5.2.2'), 'bounced'],
        [other + of('third@forwarded.example', 'failed', '5.2.2'), 'bounced'],
      ] as const
    ).entries()) {
      const address = `bob${index}@example.net`
      const { id, returnPath } = await w.delivered(address)
      assert.match(await w.send(returnPath, dsn(fields)), /^250 /)
      await w.settle()
      assert.equal(await w.h.status(id), status, fields)
      assert.equal(await w.h.suppressed(address), null, fields)
    }
  })

  test('a complaint is matched by the signed id in the returned mail; a forged one is not matched', async () => {
    await using w = await inside()
    const { id, mail } = await w.delivered('bob@example.net')
    assert.match(mail, /CFBL-Address: fbl@mail\.posthorn\.test; report=arf\r\n/)
    const forged = mail.replace(/(CFBL-Feedback-ID: b\+)../, '$1aa').replace(/^Return-Path.*\r\n/m, '')
    assert.match(await w.send(`fbl@${MX_HOST}`, complaint(forged)), /^250 /)
    await w.settle()
    assert.equal(await w.h.status(id), 'delivered')
    assert.match(await w.send(`FBL@${MX_HOST}`, complaint(mail)), /^250 /)
    await w.settle()
    assert.equal(await w.h.status(id), 'complained')
    const last = await w.h.last(id)
    assert.equal(last.event, 'email.complained')
    assert.deepEqual(
      { type: last.data['feedback_type'], suppressed: last.data['suppressed'] },
      { type: 'abuse', suppressed: true },
    )
    assert.equal(await w.h.suppressed('bob@example.net'), 'complaint')
    assert.deepEqual(
      (await w.outcomes()).map(({ outcome }) => outcome),
      ['unmatched', 'complained'],
    )
  })

  test('a report to a return path is about its email, whatever other one it returns', async () => {
    await using w = await inside()
    const bob = await w.delivered('bob@example.net')
    const eve = await w.delivered('eve@example.net')
    assert.match(await w.send(bob.returnPath, complaint(eve.mail)), /^250 /)
    await w.settle()
    assert.deepEqual([await w.h.status(bob.id), await w.h.status(eve.id)], ['complained', 'delivered'])
  })

  test('a complaint to the address of a provider counts; a guessed address is refused', async () => {
    await using w = await inside()
    const { id, mail } = await w.delivered('bob@example.net')
    const address = feedbackAddress(w.h.options.verpMac, 'yahoo', MX_HOST) ?? ''
    const [local = ''] = address.split('@', 1)
    for (const guess of [
      `fbl+yahoo@${MX_HOST}`,
      `fbl+gmail.${local.slice(10)}@${MX_HOST}`,
      `${local.slice(0, -1)}@${MX_HOST}`,
    ])
      assert.match(await w.send(guess, complaint(mail)), /^550 5\.7\.1 /, guess)
    assert.match(await w.send(address.toUpperCase(), complaint(mail)), /^250 /)
    await w.settle()
    assert.equal(await w.h.status(id), 'complained')
    assert.equal(await w.h.suppressed('bob@example.net'), 'complaint')
  })

  test('a report is taken at a return path of a sending domain as at our own', async () => {
    await using w = await inside()
    const { id, returnPath } = await w.delivered('bob@example.net')
    const [token = ''] = returnPath.split('@', 1)
    assert.match(await w.send(`${token}@bounce.shop.example`, UNKNOWN), /^250 /)
    await w.settle()
    assert.equal(await w.h.status(id), 'bounced')
  })

  test('all other recipients are refused at RCPT, in every spelling', async () => {
    await using w = await inside()
    const { returnPath } = await w.delivered('bob@example.net')
    const [token = ''] = returnPath.split('@', 1)
    const foreign = [
      'user@example.net',
      `user@${MX_HOST}`,
      `bounces@${MX_HOST}`,
      `b+@${MX_HOST}`,
      `${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}@${MX_HOST}`,
      `${token}@example.net`,
      `${token}%example.net@${MX_HOST}`,
      `victim%example.net@${MX_HOST}`,
      `example.net!victim@${MX_HOST}`,
      `"victim@example.net"@${MX_HOST}`,
      `@${MX_HOST}:victim@example.net`,
      `postmaster@${MX_HOST}@example.net`,
      `postmaster@${MX_HOST}.example.net`,
      `postmaster@[127.0.0.1]`,
      `"fbl"@example.net`,
      'postmaster@bounce.shop.example',
      'fbl@bounce.shop.example',
      `${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}@bounce.shop.example`,
      `${token}@x.bounce.shop.example`,
    ]
    for (const address of foreign) assert.match(await w.send(address, 'x'), /^5\d\d /, address)
    w.h.clock.advance(61 * 86_400_000)
    assert.match(await w.send(returnPath, UNKNOWN), /^550 5\.7\.1 /)
    assert.equal((await w.outcomes()).length, 0)
  })

  test('there is no AUTH, and mail for the operator is forwarded', async () => {
    await using w = await inside()
    const session = await smtpSession(w.mx.port())
    assert.doesNotMatch(await session.ask('EHLO x'), /AUTH/)
    assert.match(await session.ask('AUTH PLAIN AAAA'), /^5\d\d /)
    session.close()
    assert.match(await w.send(`Postmaster@${MX_HOST}`, 'Subject: x\r\n\r\nhello'), /^250 /)
    assert.match(await w.send('Postmaster', 'Subject: x\r\n\r\nwithout a host'), /^250 /)
    await w.settle()
    assert.deepEqual(w.forwarded, ['postmaster', 'postmaster'])
  })

  test('a report with bare line ends is taken and gets CRLF; none of them ends the data', async () => {
    await using w = await inside()
    const { id, returnPath } = await w.delivered('bob@example.net')
    const smuggled = `\n.\nMAIL FROM:<>\r\n.\nRCPT TO:<abuse@${MX_HOST}>\n.\r\nDATA\r.\r`
    assert.match(await w.send(returnPath, `${UNKNOWN.replaceAll('\r\n', '\n')}${smuggled}`), /^250 /)
    await w.settle()
    assert.deepEqual(w.forwarded, [])
    assert.deepEqual(
      (await w.outcomes()).map(({ outcome }) => outcome),
      ['bounced'],
    )
    assert.equal(await w.h.status(id), 'bounced')
  })

  test('a report is taken from senders of every spelling; parameters that were not offered are refused', async () => {
    await using w = await inside()
    const session = await smtpSession(w.mx.port())
    await greet(session)
    for (const sender of ['', 'MAILER-DAEMON', '"a b"@c.example', 'a.@b.example', 'a_b@c_d.example', 'a@[192.0.2.1]']) {
      assert.match(await session.ask(`MAIL FROM:<${sender}> SIZE=100 BODY=8BITMIME`), /^250 2\.1\.0 /, sender)
      await session.ask('RSET')
    }
    for (const parameter of ['NOTIFY=NEVER', 'RET=HDRS', 'REQUIRETLS', 'AUTH=<>']) {
      assert.match(await session.ask(`MAIL FROM:<> ${parameter}`), /^555 5\.5\.4 /, parameter)
    }
    await session.ask('MAIL FROM:<>')
    assert.match(await session.ask(`RCPT TO:<fbl@${MX_HOST}> NOTIFY=NEVER`), /^555 5\.5\.4 /)
    assert.match(await session.ask(`RCPT TO:<fbl@${MX_HOST}>`), /^250 /)
    session.close()
  })

  test('a report that has ended its process three times goes into quarantine, and the next is read', async () => {
    await using w = await inside()
    const { id, returnPath } = await w.delivered('bob@example.net')
    await w.h.database.system.execute(POISON, [w.h.ids.next(), w.h.clock.now()])
    await w.send(returnPath, UNKNOWN)
    await w.settle()
    assert.deepEqual(
      (await w.outcomes()).map(({ state, outcome }) => [state, outcome]),
      [
        [2, 'unparsed'],
        [1, 'bounced'],
      ],
    )
    assert.equal(await w.h.status(id), 'bounced')
  })

  test('the return path of a mail that waited 30 days for its time takes reports for 30 more', async () => {
    await using w = await inside()
    const [local = ''] = returnPath(w.h.options.verpMac, await w.h.put('bob@example.net'), ACCOUNT, MX_HOST).split('@')
    w.h.clock.advance(59 * 86_400_000)
    assert.notEqual(w.inbound.tokenOf(local), null)
    w.h.clock.advance(2 * 86_400_000)
    assert.equal(w.inbound.tokenOf(local), null)
  })

  test('a report that overtakes the record of its delivery waits for it', async () => {
    await using w = await inside()
    const id = await w.h.put('bob@example.net')
    const address = returnPath(w.h.options.verpMac, id, ACCOUNT, MX_HOST)
    assert.match(await w.send(address, UNKNOWN), /^250 /)
    const waits = async (): Promise<string> =>
      (await w.outcomes()).map(({ state, tries }) => `${state} ${tries}`).join()
    // It is being read, or has been read and the try not counted.
    for (let tries = 0; tries < 200 && (tries < 12 || (await waits()) !== '0 0'); tries++)
      await new Promise((resolve) => setTimeout(resolve, 25))
    assert.equal(await waits(), '0 0')
    await w.h.delivery.turn()
    await w.settle()
    assert.equal(await w.h.status(id), 'bounced')
  })

  test('a report that overtakes the record of its delivery keeps no other waiting while the clock is put back', async () => {
    await using w = await inside()
    const address = returnPath(w.h.options.verpMac, await w.h.put('bob@example.net'), ACCOUNT, MX_HOST)
    assert.match(await w.send(address, UNKNOWN), /^250 /)
    w.h.clock.advance(-3 * 3_600_000)
    await recallReports(w.h.database.system, w.h.clock.now())
    assert.match(await w.send(`postmaster@${MX_HOST}`, UNKNOWN), /^250 /)
    for (let tries = 0; tries < 120 && w.forwarded.length === 0; tries++)
      await new Promise((resolve) => setTimeout(resolve, 25))
    assert.deepEqual(w.forwarded, ['postmaster'])
  })

  test('reports that harm their reader are tried three times and kept; those around them take effect', async () => {
    const code = new URL('../../test/world/poison-thread.ts', import.meta.url)
    await using w = await inside({ reader: reportReader({ code, withinMs: 1_500, memoryMb: 16 }) })
    const [first, second] = [await w.delivered('bob@example.net'), await w.delivered('eve@example.net')]
    // The reader runs out of memory, never ends, ends its thread, or throws.
    for (const poison of ['oom', 'loop', 'exit', 'throw']) {
      assert.match(await w.send(first.returnPath, `Subject: x\r\n\r\nPOISON ${poison}`), /^250 /)
    }
    assert.match(await w.send(second.returnPath, UNKNOWN), /^250 /)
    assert.match(await w.send(first.returnPath, UNKNOWN), /^250 /)
    await w.settle()
    const [tried, read] = [
      [2, 3, 'unparsed', false],
      [1, 1, 'bounced', true],
    ]
    assert.deepEqual(
      (await w.outcomes()).map(({ state, tries, outcome, raw }) => [state, tries, outcome, raw === null]),
      [tried, tried, tried, tried, read, read],
    )
    assert.deepEqual([await w.h.status(first.id), await w.h.status(second.id)], ['bounced', 'bounced'])
  })
})
