// From an empty data directory to signed mails in real mailboxes: a domain in BIND, Debian's Postfix and Exim as receivers,
// and all mails read back by programs that share no code with ours.

import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { Resolver } from 'node:dns/promises'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { type Bind, startBind, txt } from './bind.ts'
import { eximProgram, startExim } from './exim.ts'
import { freePort, run, scratch, waitFor } from './fixture.ts'
import { type Mailboxes, startPostfix } from './postfix.ts'
import { type Account, type Posthorn, type Reply, startPosthorn } from './posthorn.ts'

const DOMAIN = 'shop.test'
const MAILS = 200
const POSTFIX = '127.0.0.10'
const EXIM = '127.0.0.11'
const HOST = 'mail.posthorn.test'

interface Part {
  readonly type: string
  readonly name: string | null
  readonly sha256: string
}

interface Sent {
  readonly id: string
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
  readonly files: readonly { readonly name: string; readonly sha256: string }[]
}

const stack = new AsyncDisposableStack()
let bind: Bind
let postfix: Mailboxes
let exim: Mailboxes | null = null
let posthorn: Posthorn
let account: Account
let folder: string

before(async () => {
  folder = stack.use(await scratch('mailbox')).path
  bind = stack.use(
    await startBind(folder, {
      [DOMAIN]: [],
      'posthorn.test': ['mail A 127.0.0.1'],
      'dest.test': ['@ MX 10 mx', `mx A ${POSTFIX}`],
      'exim.test': ['@ MX 10 mx', `mx A ${EXIM}`],
      'null.test': ['@ MX 0 .'],
    }),
  )
  const port = await freePort(POSTFIX)
  postfix = stack.use(
    await startPostfix({
      folder,
      address: POSTFIX,
      port,
      domain: 'dest.test',
      mailboxes: ['box'],
      full: 'full',
      greylisted: 'grey',
    }),
  )
  const program = await eximProgram()
  if (program !== null) {
    exim = stack.use(await startExim(program, { folder, address: EXIM, port, domain: 'exim.test', mailboxes: ['box'] }))
  }
  posthorn = stack.use(
    await startPosthorn(folder, {
      POSTHORN_DELIVERY: 'direct',
      POSTHORN_DNS_SERVERS: bind.server,
      POSTHORN_SMTP_PORT: String(port),
      POSTHORN_ALLOW_PRIVATE_NETWORKS: 'true',
      POSTHORN_HOSTNAME: HOST,
      POSTHORN_RATE_LIMITS: 'off',
    }),
  )
  account = await posthorn.account('Shop')
})
after(() => stack.disposeAsync())

const call = (method: string, where: string, body?: unknown): Promise<Reply> =>
  posthorn.call(account.api_key, method, where, body)

test('a domain is verified when its records are published exactly as given', async () => {
  const made = await call('POST', '/api/v1/customer/domains', { domain: DOMAIN })
  assert.equal(made.status, 201)
  const { id } = made.body.data
  const early = await call('POST', `/api/v1/customer/domains/${id}/verify`)
  assert.deepEqual([early.status, early.body.verified], [200, false])
  const { body } = await call('GET', `/api/v1/customer/domains/${id}/dns`)
  assert.equal(body.dns_records.length, 4)
  await bind.publish(
    DOMAIN,
    body.dns_records.map(({ host, value }: { host: string; value: string }) => txt(host, value)),
  )
  const verified = await waitFor('verification', async () => {
    const reply = await call('POST', `/api/v1/customer/domains/${id}/verify`)
    return reply.body.verified === true ? reply : null
  })
  assert.equal(verified.body.verification_status, 'verified')
  assert.equal(verified.body.domain.is_active, true)
})

const sha256 = (data: Buffer | string): string => createHash('sha256').update(data).digest('hex')
const NAMES = ['Jürg Müller', '山田太郎', 'O’Brien, "Bo"', 'Мария', '‏שלום', '=?utf-8?q?x?=', 'Zoë 👩🏽‍🚀', '']

function variant(i: number): Record<string, unknown> {
  const name = NAMES[i % NAMES.length] ?? ''
  const base = {
    from: `news@${DOMAIN}`,
    from_name: name,
    to: [{ email: 'box@dest.test', name }],
    subject: `Mail ${i} – ${name} ${'lang '.repeat(i % 40)}`.trim(),
    metadata: { n: i },
  }
  const image = randomBytes(300 + i)
  switch (i % 8) {
    case 0:
      return {
        ...base,
        html: `<html><body><h1>Größe ${i}</h1>${'<p>Angebot &amp; mehr</p>\n'.repeat(60)}</body></html>`,
        text: `Angebot ${i}\nGrüße\n`,
      }
    case 1:
      return { ...base, text: `.\n..zwei\nFrom here\n${'x'.repeat(i)}\n` }
    case 2:
      return { ...base, html: `<p>${'a'.repeat(60_000)}</p>` }
    case 3:
      return {
        ...base,
        html: '<img src="cid:logo">',
        text: 'Bild',
        attachments: [
          {
            filename: 'logo.png',
            content: image.toString('base64'),
            content_type: 'image/png',
            content_id: 'logo',
            disposition: 'inline',
          },
        ],
      }
    case 4:
      return {
        ...base,
        text: 'Anhang',
        attachments: [
          {
            filename: `Übersicht ${name || 'ohne'} ${i}.pdf`,
            content: image.toString('base64'),
            content_type: 'application/pdf',
          },
        ],
      }
    case 5:
      return { ...base, html: '<p>nur html</p>', text: '' }
    case 6:
      return {
        ...base,
        text: `${'日本語のメール。'.repeat(200)}\n\t \n`,
        headers: { 'X-Campaign': `Größe ${i}`, 'List-Id': '<a.shop.test>' },
      }
    default:
      return {
        ...base,
        html: `<p>trailing \t \n\n\n</p>${' '.repeat(200)}`,
        text: 'trailing \n \n',
        stream: 'broadcast',
      }
  }
}

async function sendAll(): Promise<readonly Sent[]> {
  const big = {
    ...variant(4),
    subject: 'Mail big',
    attachments: [{ filename: 'big.bin', content: randomBytes(5 * 1_048_576).toString('base64') }],
  }
  const bodies = [...Array.from({ length: MAILS - 1 }, (_, i) => variant(i)), big]
  const sent: Sent[] = []
  for (const body of bodies) {
    const reply = await call('POST', '/api/v1/send', body)
    assert.equal(reply.status, 202, JSON.stringify(reply.body))
    const {
      html = null,
      text = null,
      subject,
      attachments = [],
    } = body as { html?: string; text?: string; subject: string; attachments?: { filename: string; content: string }[] }
    sent.push({
      id: reply.body.data.message_id.replaceAll(/[<>]/g, ''),
      subject,
      html,
      text,
      files: attachments.map(({ filename, content }) => ({
        name: filename,
        sha256: sha256(Buffer.from(content, 'base64')),
      })),
    })
  }
  return sent
}

test(`${MAILS} varied mails arrive in a real mailbox, signed and byte for byte as sent`, {
  timeout: 240_000,
}, async () => {
  const sent = await sendAll()
  const arrived = await waitFor(
    'all mails',
    async () => {
      const messages = await postfix.messages('box')
      return messages.length >= MAILS ? messages : null
    },
    120_000,
  )
  assert.equal(arrived.length, MAILS)
  const files = await Promise.all(
    arrived.map(async (message, i) => {
      const file = path.join(folder, `arrived-${i}.eml`)
      await writeFile(file, message)
      return file
    }),
  )
  await parsesInPython(files, sent)
  await signedForMailauth(arrived)
  await signedForOpendkim(files)
})

async function parsesInPython(files: readonly string[], sent: readonly Sent[]): Promise<void> {
  const out = await run('python3', [path.join(import.meta.dirname, 'verify.py')], `${files.join('\n')}\n`)
  const read = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { defects: string[]; headers: [string, string][]; parts: Part[] })
  const byId = new Map(sent.map((mail) => [mail.id, mail]))
  for (const { defects, headers, parts } of read) {
    assert.deepEqual(defects, [])
    const header = (name: string): string => headers.find(([key]) => key.toLowerCase() === name)?.[1] ?? ''
    const mail = byId.get(header('message-id').replaceAll(/[<>]/g, ''))
    assert.ok(mail, `a mail that was not sent: ${header('message-id')}`)
    byId.delete(mail.id)
    assert.equal(header('subject'), mail.subject)
    assert.equal(headers.filter(([key]) => key.toLowerCase() === 'bcc').length, 0)
    if (mail.html !== null) assert.ok(hasText(parts, 'text/html', mail.html), `html of ${mail.subject}`)
    if (mail.text !== null && mail.text !== '')
      assert.ok(hasText(parts, 'text/plain', mail.text), `text of ${mail.subject}`)
    for (const file of mail.files) {
      assert.ok(
        parts.some(({ name, sha256: hash }) => name === file.name && hash === file.sha256),
        `${file.name} of ${mail.subject}`,
      )
    }
  }
  assert.equal(byId.size, 0)
}

/** A received text part ends with a line end whether or not the sender wrote one. */
function hasText(parts: readonly Part[], type: string, text: string): boolean {
  const same = [text, `${text}\n`, text.replace(/\n$/, '')].map(sha256)
  return parts.some((part) => part.type === type && same.includes(part.sha256))
}

async function signedForMailauth(messages: readonly Buffer[]): Promise<void> {
  const resolver = new Resolver()
  resolver.setServers([bind.server])
  const resolve = (name: string): Promise<string[][]> => resolver.resolveTxt(name)
  for (const message of messages) {
    const { results } = await dkimVerify(message, { resolver: resolve })
    assert.ok(results.some(({ status, signingDomain }) => status?.result === 'pass' && signingDomain === DOMAIN))
  }
}

/**
 * opendkim-testmsg uses the system's resolver, so it gets its own network and resolv.conf, with BIND on port 53. A key look-up
 * that times out says nothing about the signature, and is tried again.
 */
async function signedForOpendkim(files: readonly string[]): Promise<void> {
  const script = path.join(folder, 'opendkim.sh')
  await writeFile(path.join(folder, 'resolv.conf'), 'nameserver 127.0.0.1\n')
  await writeFile(
    script,
    `set -e
ip link set lo up
mount --bind ${folder}/resolv.conf /etc/resolv.conf
sed 's/port [0-9]* { 127/port 53 { 127/; s/^ *controls.*$/controls { };/' ${folder}/named.conf > ${folder}/named53.conf
named -g -c ${folder}/named53.conf > ${folder}/named53.log 2>&1 & dns=$!
trap "kill $dns" EXIT
for i in $(seq 300); do grep -q ' running$' ${folder}/named53.log && break; sleep 0.1; done
while read -r file; do
  for try in 1 2 3; do
    said=$(opendkim-testmsg < "$file" 2>&1) && break
    case "$try $said" in [12]*'Key retrieval failed'*) ;; *) echo "$file: $said"; tail -n 20 ${folder}/named53.log; exit 1 ;; esac
  done
done
`,
  )
  await run('unshare', ['--net', '--mount', 'sh', script], `${files.join('\n')}\n`)
}

async function outcomeOf(id: string): Promise<Reply['body']> {
  return waitFor('an outcome', async () => {
    const { body } = await call('GET', `/api/v1/emails/${id}`)
    return ['queued', 'scheduled'].includes(body.data.status) ? null : body.data
  })
}

async function sendTo(to: string): Promise<string> {
  const { status, body } = await call('POST', '/api/v1/send', { from: `news@${DOMAIN}`, to, subject: 'Hi', text: 'Hi' })
  assert.equal(status, 202, JSON.stringify(body))
  return body.data.email_id
}

test('an unknown user at Postfix is a hard bounce, and the address is suppressed', async () => {
  const email = await outcomeOf(await sendTo('nobody@dest.test'))
  assert.equal(email.status, 'bounced')
  assert.equal(email.last_smtp_code, 550)
  const { body } = await call('GET', '/api/v1/customer/suppressions/nobody@dest.test')
  assert.equal(body.data.reason, 'hard_bounce')
  const again = await call('POST', '/api/v1/send', {
    from: `news@${DOMAIN}`,
    to: 'nobody@dest.test',
    subject: 'Hi',
    text: 'Hi',
  })
  assert.deepEqual([again.status, again.body.code], [422, 'previous_hard_bounce'])
})

test('a full mailbox at Postfix is a soft bounce, and nobody is suppressed', async () => {
  const id = await sendTo('full@dest.test')
  const email = await outcomeOf(id)
  assert.equal(email.status, 'bounced')
  const { body } = await call('GET', `/api/v1/customer/bounces?email_id=${id}`)
  assert.deepEqual([body.data[0].type, body.data[0].category], ['soft', 'mailbox_full'])
  assert.equal((await call('GET', '/api/v1/customer/suppressions/full@dest.test')).status, 404)
})

test('a greylisted mail is deferred, and arrives at a retry', async () => {
  const id = await sendTo('grey@dest.test')
  assert.equal((await outcomeOf(id)).status, 'deferred')
  const email = await waitFor('the greylist to lift', async () => {
    await call('POST', `/api/v1/emails/${id}/retry`)
    const { body } = await call('GET', `/api/v1/emails/${id}`)
    return body.data.status === 'delivered' ? body.data : null
  })
  assert.ok(email.attempts_count >= 2)
  // Postfix has accepted it, and may still be putting it there.
  await waitFor('the mailbox', async () => (await postfix.messages('grey')).length > 0)
  assert.equal((await postfix.messages('grey')).length, 1)
})

test('a null MX is a hard bounce without a connection', async () => {
  const email = await outcomeOf(await sendTo('a@null.test'))
  assert.equal(email.status, 'bounced')
})

test('Exim accepts the mail too, and refuses unknown users', async (t) => {
  if (exim === null) {
    t.skip('Exim is not installed')
    return
  }
  assert.equal((await outcomeOf(await sendTo('box@exim.test'))).status, 'delivered')
  assert.equal((await exim.messages('box')).length, 1)
  assert.equal((await outcomeOf(await sendTo('nobody@exim.test'))).status, 'bounced')
})

test('keys are replaced while mail goes out, and every mail is verified by the records that stand', async () => {
  const { body: list } = await call('GET', '/api/v1/customer/domains')
  const [domain] = list.data
  const recordsNow = async (): Promise<readonly { host: string; value: string; purpose: string }[]> => {
    const { body } = await call('GET', `/api/v1/customer/domains/${domain.id}/dns`)
    return [...body.dns_records, ...body.optional_records]
  }
  const published = (await recordsNow()).filter(({ purpose }) => purpose !== 'bimi' && purpose !== 'return_path')
  const before = (await postfix.messages('box')).length
  const mails = 60
  const sending = (async () => {
    for (let n = 0; n < mails; n++) await sendTo('box@dest.test')
  })()
  await posthorn.cli('domain', 'rotate-dkim', DOMAIN)
  const next = (await recordsNow()).filter(({ purpose }) => purpose === 'dkim_next')
  await bind.publish(
    DOMAIN,
    [...published, ...next].map(({ host, value }) => txt(host, value)),
  )
  await waitFor('the new keys', async () => {
    const { body } = await call('POST', `/api/v1/customer/domains/${domain.id}/verify`)
    return body.domain.dkim_selector !== domain.dkim_selector
  })
  for (let n = 0; n < 3; n++) await sendTo('box@dest.test')
  await sending
  const messages = await waitFor('the mails', async () => {
    const all = await postfix.messages('box')
    return all.length >= before + mails + 3 ? all : null
  })
  await signedForMailauth(messages)
  const selectors = new Set(
    messages.flatMap((one) => [...one.toString('latin1').matchAll(/\bs=(ph[0-9a-f]{10})\b/g)].map(([, s]) => s)),
  )
  assert.equal(selectors.size, 2, [...selectors].join())
})
