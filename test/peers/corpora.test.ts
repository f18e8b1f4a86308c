// Submits mails written by other people's programs over SMTP. Each arrives at Debian's Postfix with a valid signature and
// with its structure and parts unchanged. Python parses both the sent and the received mail.
//
// POSTHORN_CORPORA names the folder of the mails; without it the test is skipped.

import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { plain, type SmtpSession, smtpSession } from '../world/submission.ts'
import { startBind } from './bind.ts'
import { freePort, run, scratch, waitFor } from './fixture.ts'
import { startPostfix } from './postfix.ts'
import { startPosthorn } from './posthorn.ts'
import { assertSigned, verifiedDomain } from './signed.ts'

const DOMAIN = 'shop.test'
const POSTFIX = '127.0.0.12'
const CORPORA = process.env['POSTHORN_CORPORA']
/** Without the folder `malformed`, whose mails are broken on purpose. */
const FOLDERS = ['rfc', 'legacy', 'thirdparty']

interface Mail {
  readonly name: string
  readonly file: string
  readonly raw: Buffer
}

interface Taken {
  readonly defects: readonly string[]
  /** SHA-256 of everything after the header. */
  readonly body: string
  /** Whether an unencoded part is not 7-bit. */
  readonly eight: boolean
  readonly name: string | null
  readonly parts: readonly (Record<string, unknown> & { readonly encoding: string })[]
}

test('every well-formed mail of the corpora arrives signed, with its MIME structure and parts unchanged', {
  skip: CORPORA === undefined && 'POSTHORN_CORPORA is not set',
  timeout: 240_000,
}, async () => {
  await using folder = await scratch('corpora')
  await using bind = await startBind(folder.path, {
    [DOMAIN]: [],
    'posthorn.test': ['mail A 127.0.0.1'],
    'dest.test': ['@ MX 10 mx', `mx A ${POSTFIX}`],
  })
  const port = await freePort(POSTFIX)
  await using postfix = await startPostfix({
    folder: folder.path,
    address: POSTFIX,
    port,
    domain: 'dest.test',
    mailboxes: ['box'],
  })
  await using posthorn = await startPosthorn(folder.path, {
    POSTHORN_DELIVERY: 'direct',
    POSTHORN_DNS_SERVERS: bind.server,
    POSTHORN_SMTP_PORT: String(port),
    POSTHORN_ALLOW_PRIVATE_NETWORKS: 'true',
    POSTHORN_HOSTNAME: 'mail.posthorn.test',
    POSTHORN_RATE_LIMITS: 'off',
  })
  const { api_key: key } = await posthorn.account('Shop')
  await verifiedDomain(posthorn, key, bind, DOMAIN)

  const mails = await wellFormed(CORPORA ?? '', folder.path)
  assert.ok(mails.length >= 60, `${mails.length} mails`)
  const { username, password } = (await posthorn.call(key, 'GET', '/api/v1/smtp-credentials')).body
  const session = await smtpSession(Number(posthorn.env['POSTHORN_SUBMISSION_TLS_PORT']), { secure: true })
  await session.ask('EHLO client.test')
  assert.match(await session.ask(`AUTH PLAIN ${plain(username, password)}`), /^235/)
  for (const { name, raw } of mails) {
    const id = /^250 2\.0\.0 queued as (\S+)$/.exec(await submit(session, raw))?.[1] ?? ''
    const email = await waitFor(name, async () => {
      const { body } = await posthorn.call(key, 'GET', `/api/v1/emails/${id}`)
      return ['queued', 'scheduled'].includes(body.data.status) ? null : body.data
    })
    assert.equal(email.status, 'delivered', `${name}: ${email.last_response}`)
  }
  session.close()

  const arrived = await waitFor('all mails', async () => {
    const messages = await postfix.messages('box')
    return messages.length >= mails.length ? messages : null
  })
  assert.equal(arrived.length, mails.length)
  await assertSigned(arrived, bind, DOMAIN)
  const files = await Promise.all(
    arrived.map(async (message, i) => {
      const file = path.join(folder.path, `arrived-${i}.eml`)
      await writeFile(file, message)
      return file
    }),
  )
  const after = new Map((await takenApart(files)).map((taken) => [taken.name, taken]))
  const before = await takenApart(mails.map(({ file }) => file))
  for (const [i, sent] of before.entries()) assertSame(sent, after.get(sent.name), mails[i]?.name ?? '')
})

/** The mails in which Python finds no defect, with our sender domain, written to files for Python. */
async function wellFormed(corpora: string, folder: string): Promise<readonly Mail[]> {
  const mails: Mail[] = []
  for (const kind of FOLDERS) {
    const place = path.join(corpora, 'mime', 'resources', 'eml', kind)
    for (const file of (await readdir(place)).filter((one) => one.endsWith('.eml')).sort()) {
      const name = `${kind}-${file}`
      const raw = fromOurDomain(await readFile(path.join(place, file)), name)
      const copy = path.join(folder, name)
      await writeFile(copy, raw)
      mails.push({ name, file: copy, raw })
    }
  }
  const taken = await takenApart(mails.map(({ file }) => file))
  return mails.filter((_, i) => taken[i]?.defects.length === 0)
}

/** Sets CRLF line ends, our From, an identifying name and no tracking, and removes Bcc; changes nothing else. */
function fromOurDomain(mail: Buffer, name: string): Buffer {
  const text = mail.toString('latin1').replaceAll(/\r\n?|\n/g, '\r\n')
  const ended = text.endsWith('\r\n') ? text : `${text}\r\n`
  const bare = ended.replace(/^From [^\r]*\r\n/, '')
  const header = bare.slice(0, bare.indexOf('\r\n\r\n') + 2)
  const others = header.replaceAll(/^(?:From|Bcc|X-Corpus)[ \t]*:.*\r\n(?:[ \t].*\r\n)*/gim, '')
  const ours = `From: Shop <news@${DOMAIN}>\r\nX-Corpus: ${name}\r\nX-Track-Opens: false\r\nX-Track-Clicks: false\r\n`
  return Buffer.from(ours + others + bare.slice(header.length), 'latin1')
}

async function submit(session: SmtpSession, raw: Buffer): Promise<string> {
  await session.ask(`MAIL FROM:<news@${DOMAIN}> BODY=8BITMIME`)
  await session.ask('RCPT TO:<box@dest.test>')
  await session.ask('DATA')
  session.write(Buffer.from(raw.toString('latin1').replaceAll(/^\./gm, '..'), 'latin1'))
  return session.ask('.')
}

async function takenApart(files: readonly string[]): Promise<readonly Taken[]> {
  const out = await run('python3', [path.join(import.meta.dirname, 'parts.py')], `${files.join('\n')}\n`)
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Taken)
}

/**
 * Compares byte for byte when everything is 7-bit. Otherwise compares the decoded parts: their encoding may have changed, and
 * text without a type may have got one.
 */
function assertSame(sent: Taken, arrived: Taken | undefined, name: string): void {
  assert.ok(arrived, `${name} did not arrive`)
  assert.deepEqual(arrived.defects, [], name)
  if (!sent.eight) assert.equal(arrived.body, sent.body, name)
  assert.equal(arrived.eight, false, name)
  const compared = ({ parts }: Taken): unknown =>
    parts.map(({ encoding, sha256, lf_sha256, type, ...rest }, i) => {
      const origin = sent.parts[i]
      const hash = origin?.encoding === 'base64' ? sha256 : lf_sha256
      const typed =
        origin?.['type'] === null && sent.eight
          ? (typeof type === 'string' ? type : 'text/plain').split(';', 1)[0]
          : type
      return { ...rest, type: typed, hash, ...(!sent.eight && { encoding }) }
    })
  assert.deepEqual(compared(arrived), compared(sent), name)
}
