// The verifier in its thread: its verdicts, that a mail which costs too much does not hold it up, and that the next mail gets a
// new thread.

import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import { test } from 'node:test'
import { declaredZones } from '../../../test/world/zones.ts'
import { createSigner, generateDkimKeys, sign } from '../../mail/authentication/dkim.ts'
import { OF_TLS_REPORT } from '../../mail/authentication/dkim-check.ts'
import { systemClock } from '../../platform/clock.ts'
import { signatureReader } from './signatures.ts'

const HEADER = 'From: tls@reporter.example\r\nSubject: s\r\n\r\n'

test('a thread verifies mails; one that costs too much is unknown, and those around it are verified', async () => {
  const { privateKey, publicKey } = await generateDkimKeys()
  const signer = createSigner({ domain: 'reporter.example', selector: 'k', key: createPrivateKey(privateKey) })
  const clock = systemClock()
  const resolver = declaredZones({ 'k._domainkey.reporter.example': { TXT: [`v=DKIM1; p=${publicKey}`] } })
  const reader = signatureReader({ resolver, clock })
  const signed = async (body: string): Promise<Buffer> => {
    const mail = Buffer.from(HEADER + body)
    return Buffer.concat([await sign(mail, [signer], { signedAt: clock.now(), expiresAfterSeconds: 3_600 }), mail])
  }
  const mails = [await signed('small\r\n'), await signed('x '.repeat(25_000_000)), await signed('after it\r\n')]
  const told = await Promise.all(mails.map((mail) => reader.check(mail, OF_TLS_REPORT)))
  assert.deepEqual(
    told.map(({ result, domain, reason }) => [result, domain ?? reason]),
    [
      ['pass', 'reporter.example'],
      ['unknown', 'too_costly'],
      ['pass', 'reporter.example'],
    ],
  )
  await reader.close()
})
