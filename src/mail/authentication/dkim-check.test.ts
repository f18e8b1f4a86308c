// Checks mails signed by our own signer, by mailauth's, and with OpenSSL by the steps of RFC 6376, the message of RFC 8463, and
// changed versions of them.

import assert from 'node:assert/strict'
import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject, sign as signBytes } from 'node:crypto'
import { test } from 'node:test'
import { dkimSign } from 'mailauth/lib/dkim/sign.js'
import { declaredZones, type Zones } from '../../../test/world/zones.ts'
import { systemClock } from '../../platform/clock.ts'
import { createSigner, generateDkimKeys, publicKeyOf, sign } from './dkim.ts'
import { type DkimQuestion, type DkimWork, dkimCheck, OF_COMPLAINT, OF_TLS_REPORT } from './dkim-check.ts'
import { verifyDkim } from './dkim-verify.ts'

const NOW = new Date('2026-02-04T00:00:00Z')
const SIGNED_AT = new Date('2026-02-03T04:05:06Z')
const clock = { ...systemClock(), now: () => NOW }
const rsa = createPrivateKey((await generateDkimKeys()).privateKey)
const ed = createPrivateKey((await generateDkimKeys('ed25519')).privateKey)
const other = createPrivateKey((await generateDkimKeys('ed25519')).privateKey)
const short = generateKeyPairSync('rsa', { modulusLength: 1_016 }).privateKey

const record = (key: KeyObject, more = ''): { TXT: string[] } => ({
  TXT: [`v=DKIM1; ${more}k=${key.asymmetricKeyType}; p=${publicKeyOf(key)}`],
})
const KEYS: Zones = {
  'rsa._domainkey.reporter.example': record(rsa),
  'ed._domainkey.reporter.example': record(ed),
  'mail._domainkey.mta.reporter.example': record(ed),
  'tls._domainkey.reporter.example': record(ed, 's=tlsrpt; '),
  'web._domainkey.reporter.example': record(ed, 's=web; '),
  'sha1._domainkey.reporter.example': record(ed, 'h=sha1; '),
  'short._domainkey.reporter.example': record(short),
  'gone._domainkey.reporter.example': { TXT: ['v=DKIM1; k=rsa; p='] },
  'wrong._domainkey.reporter.example': record(other),
  'broken._domainkey.reporter.example': { TXT: ['v=DKIM1; k=rsa; p=AAAA'] },
  'text._domainkey.reporter.example': { TXT: ['hello'] },
  'two._domainkey.reporter.example': { TXT: ['hello', ...record(ed).TXT] },
  'slow._domainkey.reporter.example': 'timeout',
  'ill._domainkey.reporter.example': 'servfail',
  'ed._domainkey.stranger.example': record(ed),
}

const MAIL = [
  'From: "Reports, @ TLS" <tls@reporter.example>',
  'To: tlsrpt@mail.posthorn.test',
  'Subject: Report Domain: shop.example',
  'Date: Tue, 03 Feb 2026 04:05:06 +0000',
  'Content-Type: text/plain',
  '',
  'All went \t well.  ',
  '',
  '',
].join('\r\n')

async function checked(
  mail: string | Buffer,
  question: DkimQuestion = OF_COMPLAINT,
  over: { readonly verify?: typeof verifyDkim; readonly zones?: Zones } = {},
): Promise<string> {
  const resolver = declaredZones({ ...KEYS, ...over.zones })
  const check = dkimCheck({ resolver, clock, verify: over.verify ?? verifyDkim })
  const { result, domain, reason } = await check(Buffer.from(mail), question)
  assert.equal(reason === null, result === 'pass')
  assert.equal(domain !== null, result === 'pass')
  return `${result} ${domain ?? reason}`
}

async function ours(selector: string, domain = 'reporter.example', key = ed, mail = MAIL): Promise<string> {
  const signer = createSigner({ domain, selector, key })
  const field = await sign(Buffer.from(mail), [signer], { signedAt: SIGNED_AT, expiresAfterSeconds: 864_000 })
  return field.toString() + mail
}

type SignOptions = Partial<Parameters<typeof dkimSign>[1]>
async function theirs(selector: string, key: KeyObject, more: SignOptions = {}): Promise<string> {
  const own = {
    signingDomain: 'reporter.example',
    selector,
    privateKey: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    signTime: SIGNED_AT,
    ...more,
  }
  const { signatures } = await dkimSign(MAIL, { ...own, signatureData: [own] })
  assert.match(signatures, /^DKIM-Signature:/)
  return `${signatures.trimEnd()}\r\n${MAIL}`
}

test('mails signed by our signer and by mailauth pass in every canonicalization, with the signing domain', async () => {
  for (const question of [OF_COMPLAINT, OF_TLS_REPORT]) {
    assert.equal(await checked(await ours('rsa', undefined, rsa), question), 'pass reporter.example')
    assert.equal(await checked(await ours('ed'), question), 'pass reporter.example')
    assert.equal(await checked(await ours('mail', 'mta.reporter.example'), question), 'pass mta.reporter.example')
    for (const canonicalization of ['simple/simple', 'simple/relaxed', 'relaxed/simple', 'relaxed/relaxed'])
      for (const [selector, key] of [
        ['rsa', rsa],
        ['ed', ed],
      ] as const)
        assert.equal(
          await checked(await theirs(selector, key, { canonicalization }), question),
          'pass reporter.example',
        )
  }
})

test('a mail signed by hand, step by step as in RFC 6376 section 3.7, passes', async () => {
  const lines = MAIL.split('\r\n')
  const bodyHash = createHash('sha256').update('All went well.\r\n').digest('base64')
  const head = `v=1; a=rsa-sha256; c=simple/relaxed; d=reporter.example; s=rsa; h=subject:from; bh=${bodyHash}; b=`
  const signed = `${lines[2]}\r\n${lines[0]}\r\nDKIM-Signature: ${head}`
  const b = signBytes('sha256', Buffer.from(signed), rsa).toString('base64')
  assert.equal(await checked(`DKIM-Signature: ${head}${b}\r\n${MAIL}`), 'pass reporter.example')
})

const FOOTBALL = [
  'DKIM-Signature: v=1; a=ed25519-sha256; c=relaxed/relaxed;',
  ' d=football.example.com; i=@football.example.com;',
  ' q=dns/txt; s=brisbane; t=1528637909; h=from : to :',
  ' subject : date : message-id : from : subject : date;',
  ' bh=2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=;',
  ' b=/gCrinpcQOoIfuHNQIbq4pgh9kyIK3AQUdt9OdqQehSwhEIug4D11Bus',
  ' Fa3bT3FY5OsU7ZbnKELq+eXdp1Q1Dw==',
  'From: Joe SixPack <joe@football.example.com>',
  'To: Suzie Q <suzie@shopping.example.net>',
  'Subject: Is dinner ready?',
  'Date: Fri, 11 Jul 2003 21:00:37 -0700 (PDT)',
  'Message-ID: <20030712040037.46341.5F8J@football.example.com>',
  '',
  'Hi.',
  '',
  'We lost the game.  Are you hungry yet?',
  '',
  'Joe.',
  '',
].join('\r\n')

test('the message of RFC 8463 appendix A.3 passes with its own key only', async () => {
  const name = 'brisbane._domainkey.football.example.com'
  const key = 'v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo='
  assert.equal(
    await checked(FOOTBALL, OF_TLS_REPORT, { zones: { [name]: { TXT: [key] } } }),
    'pass football.example.com',
  )
  assert.equal(await checked(FOOTBALL, OF_TLS_REPORT, { zones: { [name]: record(other) } }), 'fail bad_signature')
})

test('a mail that was changed after signing fails, with the reason', async () => {
  const good = await ours('ed')
  assert.equal(await checked(good.replace('All went', 'None went')), 'fail body_changed')
  assert.equal(await checked(`${good}more\r\n`), 'fail body_changed')
  assert.equal(await checked(good.replace('Domain: shop', 'Domain: other')), 'fail bad_signature')
  assert.equal(await checked(`Subject: other\r\n${good}`), 'fail bad_signature')
  assert.equal(await checked(good.replace(' d=reporter.example', ' d=stranger.example')), 'fail bad_signature')
  assert.equal(await checked(good.replace(/ b=[^]*?\r\n(?=\S)/, ' b=AAAA\r\n')), 'fail bad_signature')
})

test('a signature that has expired, or that covers only part of the body, does not count', async () => {
  assert.equal(await checked(await theirs('ed', ed, { expires: new Date('2026-02-03T23:59:59Z') })), 'fail expired')
  assert.equal(
    await checked(await theirs('ed', ed, { expires: new Date('2026-02-04T00:00:01Z') })),
    'pass reporter.example',
  )
  for (const maxBodyLength of [0, 4, 1_000]) {
    const limited = await theirs('ed', ed, { maxBodyLength })
    assert.equal(await checked(limited), 'fail length_limited')
    assert.equal(await checked(`${limited}{"organization-name":"another"}\r\n`), 'fail length_limited')
  }
})

test('weak algorithms and keys, and keys for another purpose, are not accepted', async () => {
  const rows: readonly (readonly [string, KeyObject, SignOptions, string])[] = [
    ['rsa', rsa, { algorithm: 'rsa-sha1' }, 'fail weak_algorithm'],
    ['short', short, {}, 'fail weak_key'],
    ['gone', ed, {}, 'fail revoked_key'],
    ['wrong', ed, {}, 'fail bad_signature'],
    ['broken', ed, {}, 'fail unusable_key'],
    ['rsa', ed, {}, 'fail unusable_key'],
    ['web', ed, {}, 'fail unusable_key'],
    ['sha1', ed, {}, 'fail unusable_key'],
    ['text', ed, {}, 'fail no_key'],
    ['absent', ed, {}, 'fail no_key'],
    ['two', ed, {}, 'pass reporter.example'],
  ]
  for (const [selector, key, more, expected] of rows)
    assert.equal(await checked(await theirs(selector, key, more)), expected, selector)
})

test('a key for TLS reports is valid only for these (RFC 8460 section 3)', async () => {
  const mail = await theirs('tls', ed)
  assert.equal(await checked(mail, OF_TLS_REPORT), 'pass reporter.example')
  assert.equal(await checked(mail, OF_COMPLAINT), 'fail unusable_key')
  assert.equal(await checked(await theirs('web', ed), OF_TLS_REPORT), 'fail unusable_key')
})

test('a TLS report must be signed by its author; for a complaint, any signer counts and is returned', async () => {
  const strange = await ours('ed', 'stranger.example')
  assert.equal(await checked(strange, OF_TLS_REPORT), 'fail other_domain')
  assert.equal(await checked(strange, OF_COMPLAINT), 'pass stranger.example')
  const both = await ours('ed', 'stranger.example', ed, await ours('ed'))
  assert.equal(await checked(both, OF_TLS_REPORT), 'pass reporter.example')
  assert.equal(await checked(both, OF_COMPLAINT), 'pass reporter.example', 'its author comes first')
  for (const from of [
    'From: tls@reporter.example, tls@stranger.example',
    'From: x@reporter.example\r\nFrom: y@reporter.example',
    'From: Reporter',
    'From: <tls@>',
    'From: <tls@evil-reporter.example>',
    `From: ${'x'.repeat(3_000)} <tls@reporter.example>`,
    'X-From: tls@reporter.example',
  ]) {
    const mail = MAIL.replace(/^From:.*/, from)
    assert.equal(await checked(await ours('ed', undefined, ed, mail), OF_TLS_REPORT), 'fail other_domain', from)
  }
  // Two tenants under one public suffix are two organizations.
  const tenant = MAIL.replace('@reporter.example', '@a.github.io')
  const zones = { 'ed._domainkey.b.github.io': record(ed) }
  const foreign = await ours('ed', 'b.github.io', ed, tenant)
  assert.equal(await checked(foreign, OF_TLS_REPORT, { zones }), 'fail other_domain')
})

test('an unsigned mail is `none`, and an undecidable one `unknown`', async () => {
  assert.equal(await checked(MAIL), 'none unsigned')
  assert.equal(await checked(''), 'none unsigned')
  assert.equal(await checked(await theirs('slow', ed)), 'unknown no_answer')
  assert.equal(await checked(await theirs('ill', ed)), 'unknown no_answer')
  const alsoGood = await ours('ed', undefined, ed, await ours('slow'))
  assert.equal(await checked(alsoGood), 'pass reporter.example', 'one good signature is enough')
  const alsoBad = await ours('wrong', undefined, ed, await ours('slow'))
  assert.equal(await checked(alsoBad), 'unknown no_answer', 'the one without an answer may be good')
  const good = await ours('ed')
  assert.equal(await checked(`X-Long: ${'x'.repeat(70_000)}\r\n${good}`), 'unknown too_large')
  assert.equal(await checked(`${'x\r\n'.repeat(4_000)}${good}`), 'unknown too_large')
  const verify = (): Promise<never> => Promise.reject(new Error('took too long'))
  assert.equal(await checked(good, OF_COMPLAINT, { verify }), 'unknown too_costly')
})

test('only four of many signatures are looked up and verified', async () => {
  const resolver = declaredZones(KEYS)
  const works: DkimWork[] = []
  const check = dkimCheck({
    resolver,
    clock,
    verify: (work) => {
      works.push(work)
      return verifyDkim(work)
    },
  })
  const good = await ours('ed')
  const [field = ''] = /^DKIM-Signature:[^]*?\r\n(?=\S)/.exec(good) ?? []
  const forged = Array.from({ length: 60 }, (_, i) => field.replace('s=ed;', `s=f${i};`)).join('')
  assert.deepEqual(await check(Buffer.from(good.replace(field, field + forged)), OF_COMPLAINT), {
    result: 'pass',
    domain: 'reporter.example',
    reason: null,
  })
  assert.equal(resolver.queries(), 4)
  assert.equal(Buffer.from(works[0]?.raw ?? []).toString(), good)
  assert.equal((await check(Buffer.from(forged + good), OF_COMPLAINT)).reason, 'no_key')
  assert.deepEqual([resolver.queries(), works.length], [8, 1])
})

test('no header makes it throw, look up an invalid name, or pass', async () => {
  const good = await ours('ed')
  const [field = ''] = /^DKIM-Signature:[^]*?\r\n(?=\S)/.exec(good) ?? []
  const rest = good.slice(field.length)
  const hostile = [
    'DKIM-Signature:\r\n',
    'DKIM-Signature: ;;;===;;;\r\n',
    `DKIM-Signature: ${'a=b;'.repeat(10_000)}\r\n`,
    field.replace('d=reporter.example', 'd=example'),
    field.replace('d=reporter.example', 'd=reporter.example.'),
    field.replace('d=reporter.example', `d=${'a.'.repeat(200)}example`),
    field.replace('d=reporter.example', 'd=reporter.example; d=stranger.example'),
    field.replace('d=reporter.example', 'd=r\u00e9porter.example'),
    field.replace('s=ed;', 's=../ed;'),
    field.replace('s=ed;', 's=;'),
    field.replace('v=1;', 'v=2;'),
    field.replace('v=1;', ''),
    field.replace('h=From:', 'h=X:'),
    field.replace('c=relaxed/relaxed', 'c=nowsp/nowsp'),
    field.replace('a=ed25519-sha256', 'a=constructor'),
    field.replace('t=', 'q=http; t='),
    field.replace('t=', 'i=@stranger.example; t='),
    field.replace('; ', '; __proto__=x; '),
    field.replace('DKIM-Signature:', 'DKIM-Signature\r\n :'),
  ]
  for (const one of hostile) assert.match(await checked(one + rest), /^(?:fail|none) /, one)
})
