import assert from 'node:assert/strict'
import { createHash, createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { parseHeaderBlock } from '../mime/headers.ts'
import { createSigner, generateDkimKeys, hashBody, publicKeyOf, sign } from './dkim.ts'

const when = { signedAt: new Date('2026-02-03T04:05:06Z'), expiresAfterSeconds: 864_000 }
const rsaKeys = await generateDkimKeys()
const edKeys = await generateDkimKeys('ed25519')
const rsa = createSigner({ domain: 'shop.example', selector: 'rsa', key: createPrivateKey(rsaKeys.privateKey) })
const ed = createSigner({ domain: 'shop.example', selector: 'ed', key: createPrivateKey(edKeys.privateKey) })
const records: Record<string, string> = {
  'rsa._domainkey.shop.example': `v=DKIM1; k=rsa; p=${rsaKeys.publicKey}`,
  'ed._domainkey.shop.example': `v=DKIM1; k=ed25519; p=${edKeys.publicKey}`,
}

const message = [
  'From: The  Shop <news@shop.example>',
  'To: ann@example.net',
  'Subject: Your',
  '\torder   is  here ',
  'Date: Tue, 03 Feb 2026 04:05:06 +0000',
  'Message-ID: <a@shop.example>',
  'List-Unsubscribe: <https://t.shop.example/u/abc>',
  'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
  'MIME-Version: 1.0',
  'Content-Type: text/plain; charset=utf-8',
  '',
  'Hello  \t Ann, \t',
  ' indented',
  '',
  'end',
  '',
].join('\r\n')

async function verdicts(text: string | Buffer): Promise<string[]> {
  const { results } = await dkimVerify(Buffer.from(text), {
    curTime: new Date('2026-02-04T00:00:00Z'),
    resolver: async (name: string, type: string) => {
      const record = type === 'TXT' ? records[name] : undefined
      if (record === undefined) throw Object.assign(new Error('none'), { code: 'ENOTFOUND' })
      return [[record]]
    },
  })
  return results.map((one: { status: { result: string } }) => one.status.result)
}

async function signed(text: string | Buffer, signers = [rsa]): Promise<Buffer> {
  const raw = Buffer.from(text)
  return Buffer.concat([await sign(raw, signers, when), raw])
}

test('an independent verifier passes both signatures of a message', async () => {
  assert.deepEqual(await verdicts(await signed(message, [rsa, ed])), ['pass', 'pass'])
})

test('a field added after signing breaks the signature', async () => {
  const good = (await signed(message)).toString()
  for (const field of [
    'From: ceo@bank.test',
    'Subject: other',
    'List-Unsubscribe: <https://evil.test>',
    'Cc: v@evil.test',
  ]) {
    assert.deepEqual(await verdicts(`${field}\r\n${good}`), ['fail'], field)
    assert.deepEqual(await verdicts(good.replace('\r\nDate:', `\r\n${field}\r\nDate:`)), ['fail'], field)
  }
})

test('a changed or missing field or body breaks the signature, changed blanks do not', async () => {
  const good = (await signed(message)).toString()
  assert.deepEqual(await verdicts(good.replace('List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n', '')), ['fail'])
  assert.deepEqual(await verdicts(good.replace('news@shop', 'news2@shop')), ['fail'])
  assert.deepEqual(await verdicts(good.replace('Ann', 'Bob')), ['neutral'])
  assert.deepEqual(await verdicts(`${good}appended\r\n`), ['neutral'])
  const blanks = good
    .replace('The  Shop', 'The \t Shop')
    .replace('Hello  \t Ann, \t', 'Hello Ann,')
    .replace('To: ', 'TO :')
  assert.deepEqual(await verdicts(blanks), ['pass'])
})

const HEAD = 'From: a@shop.example\r\nSubject: x\r\n\r\n'
// Each row: a description, and a body that must verify.
const BODIES: [what: string, body: string][] = [
  ['empty', ''],
  ['of one empty line', '\r\n'],
  ['without a final line end', 'no end'],
  ['with 1,000 empty lines at the end', `text\r\n${'\r\n'.repeat(1_000)}`],
  ['with blank lines at the end', 'text\r\n \r\n\t \r\n  '],
  ['of one line of 100,000 characters', `${'x '.repeat(50_000)}\r\n`],
  ['of 8-bit text', 'Grüße \t aus Köln\r\n'],
  ['of blanks alone', ' \t '],
  ['with lines of dots', '.\r\n..\r\n'],
]
for (const [what, body] of BODIES) {
  test(`a body ${what} verifies`, async () => {
    assert.deepEqual(await verdicts(await signed(HEAD + body, [rsa, ed])), ['pass', 'pass'])
  })
}

test('a message without a body, and one with raw UTF-8 in a header, verify', async () => {
  assert.deepEqual(await verdicts(await signed('From: a@shop.example\r\nSubject: x\r\n\r\n')), ['pass'])
  assert.deepEqual(await verdicts(await signed('From: jørgen@shop.example\r\nSubject: x \u010d\u010a\r\n\r\nb\r\n')), [
    'pass',
  ])
})

test('the field has the required tags, no l=, and lines of at most 78', async () => {
  const field = (await sign(Buffer.from(message), [rsa], when)).toString()
  for (const line of field.split('\r\n')) assert.ok(line.length <= 78, line)
  assert.equal(parseHeaderBlock(Buffer.from(`${field}\r\n`)).fields.length, 1)
  const tags = new Map(
    field
      .slice(field.indexOf(':') + 1)
      .replace(/\s/g, '')
      .split(';')
      .map((tag) => [tag.slice(0, tag.indexOf('=')), tag.slice(tag.indexOf('=') + 1)]),
  )
  assert.deepEqual([...tags.keys()], ['v', 'a', 'c', 'd', 's', 't', 'x', 'h', 'bh', 'b'])
  assert.equal(Number(tags.get('x')) - Number(tags.get('t')), 864_000)
  const names = (tags.get('h') ?? '').toLowerCase().split(':')
  const count = (name: string) => names.filter((one) => one === name).length
  for (const name of ['from', 'subject', 'list-unsubscribe', 'list-unsubscribe-post'])
    assert.equal(count(name), 2, name)
  for (const name of ['cc', 'reply-to', 'feedback-id']) assert.equal(count(name), 1, name)
})

test('the signature of a given key and message has the bytes of its golden file', async () => {
  // The Ed25519 example key of RFC 8463 appendix A.2; Ed25519 signatures are deterministic.
  const signer = createSigner({ domain: 'football.example.com', selector: 'brisbane', key: footballKey() })
  const field = await sign(Buffer.from(message), [signer], when)
  const path = new URL('../../../test/golden/dkim-ed25519.eml', import.meta.url)
  const whole = Buffer.concat([field, Buffer.from(message)])
  if (process.env['UPDATE'] === '1') writeFileSync(path, whole)
  assert.equal(whole.toString(), readFileSync(path, 'utf8'), 'run with UPDATE=1 to accept')
})

function footballKey() {
  const seed = Buffer.from('nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=', 'base64')
  const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed])
  return createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })
}

test('our key and body hash match RFC 8463 appendix A', () => {
  assert.equal(publicKeyOf(footballKey()), '11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=')
  const body = 'Hi.\r\n\r\nWe lost the game.  Are you hungry yet?\r\n\r\nJoe.\r\n\r\n'
  assert.equal(hashBody(Buffer.from(body)), '2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=')
})

test('keys that DKIM does not allow are refused', () => {
  const weak = generateKeyPairSync('rsa', { modulusLength: 768 }).privateKey
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  for (const key of [weak, publicKey, generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey]) {
    assert.throws(() => createSigner({ domain: 'a.test', selector: 's', key }), TypeError)
  }
  assert.equal(createSigner({ domain: 'a.test', selector: 's', key: privateKey }).algorithm, 'ed25519-sha256')
})

test('the fast body hash equals a literal implementation of RFC 6376', () => {
  const slow = (body: string): string => {
    const lines = body.split('\r\n').map((line) => line.replace(/[\t ]+/g, ' ').replace(/ $/, ''))
    while (lines.at(-1) === '') lines.pop()
    return createHash('sha256')
      .update(lines.map((line) => `${line}\r\n`).join(''))
      .digest('base64')
  }
  const piece = fc.constantFrom('a', ' ', '  ', '\t', '\r\n', '\r\n\r\n', 'é', '.', ' \r\n')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      assert.equal(hashBody(Buffer.from(pieces.join(''))), slow(pieces.join('')))
    }),
    { numRuns: 2_000 },
  )
})
