// What arrives at the inbound MX of a full process, and what becomes of it.

import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { createSigner, generateDkimKeys, sign } from '../src/mail/authentication/dkim.ts'
import { reportCommands } from '../src/modules/bounces/index.ts'
import type { CommandContext, OptionValues } from '../src/platform/command.ts'
import { statement } from '../src/platform/db.ts'
import { type ReceivedMessage, type Receiver, startReceiver } from './world/receiver.ts'
import { mailFromNobody, smtpSession } from './world/submission.ts'
import { startWorld, type World } from './world/world.ts'

const HOST = 'mail.posthorn.test'
const UNDER_WAY = statement('test_under_way', 'select count(*)::int as count from email where status = 1')
const WAITING = statement('test_waiting', 'select count(*)::int as count from inbound_report where state = 0')

describe('the inbound MX of a process', () => {
  let world: World
  let mx: Receiver
  before(async () => {
    mx = await startReceiver({})
    world = await startWorld({
      zones: {
        'example.net': { MX: ['10 mx.example.net'] },
        'operator.example': { MX: ['10 mx.example.net'] },
        'mx.example.net': { A: ['127.0.0.1'] },
      },
      settings: { POSTHORN_SMTP_PORT: String(mx.port), POSTHORN_OPERATOR_EMAIL: 'ops@operator.example' },
    })
    await world.verifiedDomain('shop.example')
  })
  after(async () => {
    await world[Symbol.asyncDispose]()
    await mx[Symbol.asyncDispose]()
  })

  const mail = (to: string, message: string): Promise<string> => mailFromNobody(world.mxPort, to, message)
  /** Waits until everything that arrived has been read. */
  const settle = (): Promise<true> =>
    until('the reports', async () => {
      const row = await world.rooms.database.system.one<{ count: number }>(WAITING, [])
      return row?.count === 0 ? true : null
    })
  const until = async <T>(what: string, look: () => Promise<T | null> | T | null): Promise<T> => {
    for (let i = 0; i < 2_000; i++) {
      const found = await look()
      if (found !== null) return found
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
    throw new Error(`${what} did not come within 50 seconds`)
  }
  const posthorn = async (
    words: string,
    values: OptionValues = {},
    more: readonly string[] = [],
  ): Promise<string[]> => {
    const command = reportCommands.find(({ path }) => path.join(' ') === words)
    const lines: string[] = []
    const { database } = world.rooms
    const context = {
      ...world.operator,
      database,
      print: (line: string | Buffer) => lines.push(Buffer.from(line).toString()),
    } as unknown as CommandContext
    await command?.run(context, values, more)
    return lines
  }
  const outcomes = async (): Promise<Record<string, number>> => {
    const told = (await posthorn('reports count', { json: true })).join('')
    const counts = JSON.parse(told) as { kind: string; outcome: string; count: number }[]
    return Object.fromEntries(counts.map(({ kind, outcome, count }) => [`${kind} ${outcome}`, count]))
  }
  /** A mail that a receiver has accepted. */
  const delivered = async (to: string, more: object = {}): Promise<{ id: string; got: ReceivedMessage }> => {
    const sent = await world.api.post('/api/v1/send', { from: 'a@shop.example', to, subject: 's', text: 't', ...more })
    assert.equal(sent.status, 202, JSON.stringify(sent.body))
    const id: string = sent.body.data.email_id
    await until('the delivery', async () => {
      const { body } = await world.api.get(`/api/v1/emails/${id}`)
      return body.data.status === 'delivered' ? true : null
    })
    const got = mx.messages.findLast(({ recipients }) => recipients.includes(to))
    assert.ok(got !== undefined)
    return { id, got }
  }
  const toOperator = (): readonly ReceivedMessage[] =>
    mx.messages.filter(({ recipients }) => recipients.includes('ops@operator.example'))

  const HELLO = 'From: Neighbour <n@example.net>\r\nSubject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=\r\nMessage-ID: <1@example.net>'
  const LETTER = `${HELLO}\r\n\r\nYour mail broke mine. \xfc`

  test('mail for postmaster and abuse goes to the operator whole, once, with a return path that is no mailbox', async () => {
    assert.match(await mail(`PostMaster@${HOST}`, LETTER), /^250 /)
    assert.match(await mail(`PostMaster@${HOST}`, `Received: from a by b\r\n${LETTER}`), /^250 /)
    const got = await until('the mail', () => toOperator()[0] ?? null)
    await settle()
    assert.equal(toOperator().length, 1)
    const text = got.data.toString('latin1')
    assert.match(got.from, /^b\+[a-z2-7]{61}@mail\.posthorn\.test$/)
    assert.match(text, /^From: Posthorn <posthorn@mail\.posthorn\.test>\r\n/m)
    assert.match(text, /^Subject: \[postmaster@mail\.posthorn\.test\] =\?utf-8\?/im)
    assert.match(text, /^Auto-Submitted: auto-generated\r\n/m)
    assert.match(text, /Content-Type: message\/rfc822\r\n[^]*From: Neighbour <n@example\.net>/)
    assert.ok(/^[\0-\x7f]*$/.test(text))
  })

  test('forwarded mail and automatic answers are not forwarded again, and a large mail is forwarded as its header', async () => {
    const before = toOperator().length
    const sentOn = toOperator()[0]?.data.toString('latin1') ?? ''
    assert.match(await mail(`abuse@${HOST}`, sentOn.trimEnd()), /^250 /)
    assert.match(await mail(`abuse@${HOST}`, `Content-Type: message/rfc822\r\n\r\n${sentOn.trimEnd()}`), /^250 /)
    assert.match(await mail(`abuse@${HOST}`, 'Auto-Submitted: auto-replied\r\nSubject: away\r\n\r\nx'), /^250 /)
    await settle()
    assert.equal(toOperator().length, before)
    assert.equal((await outcomes())['operator loop'], 3)
    const letter = `${HELLO}\r\n\r\nGrüße\r\n${`${'x'.repeat(998)}\r\n`.repeat(6_000)}`
    assert.match(await mail(`abuse@${HOST}`, letter), /^250 /)
    const large = await until('the header', () => toOperator()[before] ?? null)
    assert.ok(large.data.length < 10_000)
    assert.match(large.data.toString('latin1'), /Content-Type: text\/rfc822-headers\r\n/)
    const [kept] = JSON.parse((await posthorn('reports list', { json: true, kind: 'operator' })).join(''))
    assert.ok(kept.bytes > 5_000_000)
    await assert.rejects(posthorn('reports list', { kind: 'mail' }), /--kind must be one of return_path, feedback/)
    assert.equal((await posthorn('reports show', {}, [kept.id])).join().trimEnd(), letter.trimEnd())
  })

  test('a subject with control characters and half a surrogate pair in its encoded words is forwarded too', async () => {
    const before = toOperator().length
    const subject = '=?utf-8?Q?a=00b=0D=0ABcc:_x@example.net?= =?utf-16be?B?2D0=?='
    assert.match(await mail(`abuse@${HOST}`, `From: n@example.net\r\nSubject: ${subject}\r\n\r\nx`), /^250 /)
    const got = await until('the mail', () => toOperator()[before] ?? null)
    const head = got.data.toString('latin1').split('\r\n\r\n', 1)[0] ?? ''
    assert.match(head, /^Subject: \[abuse@mail\.posthorn\.test\] /m)
    assert.ok(!/^Bcc:/m.test(head) && !head.includes('\0'))
  })

  test('at most a hundred an hour are forwarded, and the others are kept', async () => {
    const before = toOperator().length
    await Promise.all(Array.from({ length: 105 }, (_, i) => mail(`abuse@${HOST}`, `Subject: ${i}\r\n\r\nx`)))
    await settle()
    const kept = (await outcomes())['operator kept'] ?? 0
    assert.equal(kept, 105 - (100 - before))
  })

  test('unsubscribe mail to the signed address unsubscribes its recipient, once, whatever it says', async () => {
    const { id, got } = await delivered('reader@example.net', { stream: 'broadcast' })
    const [, address = ''] = /<mailto:(u\+[a-z2-7]{61}@mail\.posthorn\.test)/.exec(got.data.toString('latin1')) ?? []
    const changed = address.replace(/.@/, (at) => (at === 'a@' ? 'b@' : 'a@'))
    assert.match(await mail(changed, 'Subject: unsubscribe\r\n\r\nx'), /^550 5\.7\.1 /)
    const machines = [
      'Auto-Submitted: auto-replied\r\nSubject: Re: s\r\n\r\nx',
      'Auto-Submitted: auto-generated (by x)\r\nSubject: ticket 1\r\n\r\nx',
      'Subject: Out of office\r\n\r\nx',
      'From: MAILER-DAEMON@example.net\r\nSubject: failure notice\r\n\r\nx',
      'Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n--b--',
    ]
    for (const machine of machines) assert.match(await mail(address, machine), /^250 /)
    assert.deepEqual((await world.api.get('/api/v1/customer/unsubscribes')).body.data, [])
    const text = await (await fetch(`${world.url}/metrics`)).text()
    assert.match(text, /^posthorn_reports_total\{kind="unsubscribe",outcome="auto_reply"\} 5$/m)
    for (let i = 0; i < 3; i++)
      assert.match(
        await mail(address.toUpperCase(), 'From: other@example.net\r\nSubject: unsubscribe\r\n\r\nother@example.net'),
        /^250 /,
      )
    const { body } = await world.api.get('/api/v1/customer/unsubscribes')
    assert.deepEqual(
      body.data.map(({ email, source }: { email: string; source: string }) => [email, source]),
      [['reader@example.net', 'mailto']],
    )
    const { events } = (await world.api.get(`/api/v1/emails/${id}`)).body.data
    assert.equal(events.filter(({ event }: { event: string }) => event === 'email.unsubscribed').length, 1)
    const again = await world.api.post('/api/v1/send', {
      from: 'a@shop.example',
      to: 'reader@example.net',
      subject: 's',
      text: 't',
    })
    assert.equal(again.body.code, 'recipient_unsubscribed')
  })

  test('three emails that were accepted and then reported as soft-bounced suppress the recipient', async () => {
    const to = 'full@example.net'
    const suppression = async (): Promise<string | null> => {
      const { status, body } = await world.api.get(`/api/v1/customer/suppressions/${to}`)
      return status === 404 ? null : body.data.reason
    }
    for (let i = 1; i <= 3; i++) {
      assert.equal(await suppression(), null)
      const { id, got } = await delivered(to)
      const fields = `Final-Recipient: rfc822; ${to}\r\nAction: failed\r\nStatus: 5.2.2\r\nDiagnostic-Code: smtp; 552 5.2.2 mailbox full`
      const parts = `--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx\r\n\r\n${fields}\r\n\r\n--b--`
      const type = 'Content-Type: multipart/report; report-type=delivery-status; boundary=b'
      assert.match(await mail(got.from, `From: MAILER-DAEMON@example.net\r\n${type}\r\n\r\n${parts}`), /^250 /)
      const bounce = await until('the bounce', async () => {
        const { body } = await world.api.get(`/api/v1/customer/bounces?email_id=${id}`)
        return body.data[0] ?? null
      })
      assert.deepEqual([bounce.type, bounce.category, bounce.suppressed], ['soft', 'mailbox_full', i === 3])
    }
    assert.equal(await suppression(), 'repeated_soft_bounce')
  })

  test('a failure behind a forward or an alias of the recipient names the address there', async () => {
    const elsewhere = 'other@forwarded.test'
    const rows = [
      ['away@example.net', 'Final-Recipient: rfc822; other@forwarded.test', elsewhere],
      ['inside@example.net', 'Final-Recipient: rfc822; inside@store.example.net', null],
      ['team@example.net', 'Final-Recipient: rfc822; gone@example.net', 'gone@example.net'],
      [
        'twice@example.net',
        'Original-Recipient: rfc822; twice@second.test\r\nFinal-Recipient: rfc822; other@forwarded.test',
        elsewhere,
      ],
      [
        'told@example.net',
        'Original-Recipient: rfc822; told@example.net\r\nFinal-Recipient: rfc822; other@forwarded.test',
        elsewhere,
      ],
      // Exim names it in the text alone.
      [
        'all@example.net',
        'Final-Recipient: rfc822; all@example.net',
        elsewhere,
        `  ${elsewhere}\r\n    (generated from all@example.net)\r\n    host mx.forwarded.test [192.0.2.1]`,
      ],
    ] as const
    for (const [to, named, forward, text = ''] of rows) {
      const { id, got } = await delivered(to)
      const fields = `${named}\r\nAction: failed\r\nStatus: 5.1.1\r\nDiagnostic-Code: smtp; 550 5.1.1 no such user`
      const parts = `--b\r\n\r\n${text}\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx\r\n\r\n${fields}\r\n\r\n--b--`
      const as = 'Content-Type: multipart/report; report-type=delivery-status; boundary=b'
      assert.match(await mail(got.from, `From: MAILER-DAEMON@example.net\r\n${as}\r\n\r\n${parts}`), /^250 /)
      const bounce = await until('the bounce', async () => {
        const { body } = await world.api.get(`/api/v1/customer/bounces?email_id=${id}`)
        return body.data[0] ?? null
      })
      assert.deepEqual([bounce.type, bounce.suppressed, bounce.enhanced_code], ['hard', true, '5.1.1'], to)
      const words = '550 5.1.1 no such user'
      assert.equal(bounce.error_message, forward === null ? words : `forwarded to ${forward}: ${words}`)
      const { body } = await world.api.get(`/api/v1/emails/${id}`)
      const { status, ended_at: endedAt, last_smtp_code: code, last_response: last } = body.data
      assert.deepEqual([status, endedAt, code, last], ['bounced', bounce.bounced_at, 550, bounce.error_message])
    }
  })

  test('an email that is retried after a late bounce is delivered only when a receiver takes it again', async () => {
    const { id } = await delivered('again@example.net')
    const report = { email_id: id, type: 'soft', smtp_code: 452, enhanced_code: '4.2.2' }
    assert.equal((await world.api.post('/api/v1/inbound/bounces', report)).body.data.type, 'soft')
    mx.script({ rcpt: '550 5.7.1 not today' })
    assert.equal((await world.api.post(`/api/v1/emails/${id}/retry`)).status, 200)
    const email = await until('the refusal', async () => {
      const { body } = await world.api.get(`/api/v1/emails/${id}`)
      return body.data.status === 'bounced' ? body.data : null
    })
    mx.script({ rcpt: 'default' })
    assert.deepEqual([email.delivered_at, email.last_response], [null, '550 5.7.1 not today'])
  })

  test('RFC 9477: the signed message names the complaint address, its id alone is enough, and a forged id is counted', async () => {
    const { id, got } = await delivered('eve@example.net')
    const text = got.data.toString('latin1')
    const [, address = ''] = /^CFBL-Address: (\S+); report=arf\r\n/m.exec(text) ?? []
    const [, feedbackId = ''] = /^CFBL-Feedback-ID: (\S+)\r\n/m.exec(text) ?? []
    // Section 5.1: the signature covers both fields.
    assert.match(text.replaceAll(/\r\n[ \t]+/g, ''), /^DKIM-Signature: .*h=[^;]*cfbl-address:[^;]*cfbl-feedback-id/im)
    const complaint = (with_: string): string =>
      `From: fbl@example.net\r\nSubject: FBL\r\nContent-Type: multipart/report; report-type=feedback-report; boundary=b\r\n\r\n--b\r\nContent-Type: message/feedback-report\r\n\r\nFeedback-Type: abuse\r\nUser-Agent: x/1\r\nVersion: 1\r\nOriginal-Rcpt-To: eve@example.net\r\n${with_}\r\n--b\r\nContent-Type: text/rfc822-headers\r\n\r\nFrom: a@shop.example\r\nTo: eve@example.net\r\n\r\n--b--`
    const unmatched = (await outcomes())['feedback unmatched'] ?? 0
    assert.match(await mail(address, complaint('')), /^250 /)
    assert.match(
      await mail(
        address,
        complaint(`CFBL-Feedback-ID: ${feedbackId.replace(/.$/, (at) => (at === 'a' ? 'b' : 'a'))}\r\n`),
      ),
      /^250 /,
    )
    await settle()
    assert.equal((await outcomes())['feedback unmatched'], unmatched + 2)
    assert.equal((await world.api.get(`/api/v1/emails/${id}`)).body.data.status, 'delivered')
    assert.match(await mail(address, complaint(`CFBL-Feedback-ID: ${feedbackId}\r\n`)), /^250 /)
    await settle()
    assert.equal((await world.api.get(`/api/v1/emails/${id}`)).body.data.status, 'complained')
    const { data } = (await world.api.get('/api/v1/customer/bounces?type=complaint')).body
    assert.deepEqual(
      [data[0]?.recipient, data[0]?.source, data[0]?.feedback_type, data[0]?.suppressed],
      ['eve@example.net', 'arf', 'abuse', true],
    )
  })

  test('the signer of a complaint is reported in place of the host it names; no bad signature or silent DNS loses a complaint', async () => {
    const { privateKey, publicKey } = await generateDkimKeys()
    const key = createPrivateKey(privateKey)
    world.zones.declare({
      'k._domainkey.fbl.example': { TXT: [`v=DKIM1; k=rsa; p=${publicKey}`] },
      'silent._domainkey.fbl.example': 'timeout',
    })
    const complaint = (about: string, reporter: string): string =>
      `From: fbl@fbl.example\r\nSubject: FBL\r\nContent-Type: multipart/report; report-type=feedback-report; boundary=b\r\n\r\n--b\r\nContent-Type: message/feedback-report\r\n\r\nFeedback-Type: abuse\r\nVersion: 1\r\nReporting-MTA: dns; ${reporter}\r\nCFBL-Feedback-ID: ${about}\r\n\r\n--b--`
    const signed = async (mail_: string, selector: string): Promise<string> => {
      const when = { signedAt: world.clock.now(), expiresAfterSeconds: 86_400 }
      const signer = createSigner({ domain: 'fbl.example', selector, key })
      return (await sign(Buffer.from(`${mail_}\r\n`), [signer], when)).toString() + mail_
    }
    const rows: readonly (readonly [string, (mail_: string) => Promise<string>, string, string | null, object])[] = [
      // Each row: the reporter it names, how it is signed, the reporter on record, and what is reported about the signature.
      ['mx.fbl.example', (m) => signed(m, 'k'), 'mx.fbl.example', null, { result: 'pass', domain: 'fbl.example' }],
      ['big.example', (m) => signed(m, 'k'), 'fbl.example', null, { result: 'pass', domain: 'fbl.example' }],
      ['big.example', async (m) => m, 'big.example', 'unsigned', { result: 'none', domain: null }],
      [
        'big.example',
        async (m) => (await signed(m, 'k')).replace('FBL\r\n', 'FBL 2\r\n'),
        'big.example',
        'bad_signature',
        { result: 'fail', domain: null },
      ],
      ['big.example', (m) => signed(m, 'silent'), 'big.example', 'no_answer', { result: 'unknown', domain: null }],
    ]
    for (const [i, [named, sign_, reporter, reason, told]] of rows.entries()) {
      const { id, got } = await delivered(`reader${i}@example.net`)
      const [, feedbackId = ''] = /^CFBL-Feedback-ID: (\S+)\r\n/m.exec(got.data.toString('latin1')) ?? []
      assert.match(await mail(`fbl@${HOST}`, await sign_(complaint(feedbackId, named))), /^250 /)
      await settle()
      const [bounce] = (await world.api.get(`/api/v1/customer/bounces?email_id=${id}`)).body.data
      assert.deepEqual([bounce.type, bounce.suppressed, bounce.remote_mta.host], ['complaint', true, reporter])
      assert.deepEqual(bounce.report_dkim, { ...told, reason })
      const { data: events } = (await world.api.get(`/api/v1/events?email_id=${id}&limit=50`)).body
      const complained = events.find(({ event }: { event: string }) => event === 'email.complained')
      assert.equal(complained?.data.reporting_mta, reporter)
    }
  })

  test('one report is too large, two hundred arrive at once, and those are all taken', async () => {
    const session = await smtpSession(world.mxPort)
    const said = await session.ask('EHLO x')
    assert.match(said, /SIZE 26214400/)
    assert.match(await session.ask('MAIL FROM:<> SIZE=26214401'), /^552 5\.3\.4 /)
    session.close()
    const { got } = await delivered('many@example.net')
    const replies = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        mail(got.from, `From: MAILER-DAEMON@x\r\nSubject: Undelivered ${i}\r\n\r\n452 try ${i}`),
      ),
    )
    assert.deepEqual([...new Set(replies.map((reply) => reply.slice(0, 3)))], ['250'])
    await settle()
  })

  test('the bounce of a mail to the operator makes no mail, and nothing more goes to the operator for a day', async () => {
    world.clock.advance(2 * 3_600_000)
    assert.match(await mail(`postmaster@${HOST}`, 'Subject: first\r\n\r\nx'), /^250 /)
    const sentOn = await until(
      'the mail',
      () => toOperator().find(({ data }) => /^Subject: .*first/m.test(data.toString())) ?? null,
    )
    const bounce = 'From: MAILER-DAEMON@x\r\nSubject: failure notice\r\n\r\n550 5.1.1 no such user'
    await settle()
    const { ['operator kept']: before = 0 } = await outcomes()
    // A bounce of a mail that is not delivered yet has no effect.
    await until('the delivery', async () => {
      const row = await world.rooms.database.system.one<{ count: number }>(UNDER_WAY, [])
      return row?.count === 0 ? true : null
    })
    assert.match(await mail(sentOn.from, bounce), /^250 /)
    await settle()
    const sent = toOperator().length
    assert.match(await mail(`postmaster@${HOST}`, 'Subject: second\r\n\r\nx'), /^250 /)
    await settle()
    assert.equal((await outcomes())['operator kept'], before + 1)
    assert.equal(toOperator().length, sent)
  })
})
