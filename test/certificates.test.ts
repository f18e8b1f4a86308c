// New connections get the operator's renewed certificate without a restart.

import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import tls from 'node:tls'
import { systemClock } from '../src/platform/clock.ts'
import { createLogger } from '../src/platform/log.ts'
import { certificateWatch } from '../src/platform/network/certificate-watch.ts'
import { type Certificate, instanceCertificate, selfSigned } from '../src/platform/network/certificates.ts'
import { smtpSession, submissionWorld } from './world/submission.ts'

/** Fingerprint of the certificate that the port presents. */
function shownBy(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(new X509Certificate(socket.getPeerCertificate().raw).fingerprint256)
      socket.destroy()
    })
    socket.once('error', reject)
  })
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 6_000; turn++) {
    if (await holds()) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error('not within a minute')
}

test('submission presents a renewed certificate, by STARTTLS and by implicit TLS; half a renewal changes nothing', async () => {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'posthorn-renewal-'))
  const [certFile, keyFile] = [path.join(dir, 'cert.pem'), path.join(dir, 'key.pem')]
  const put = async (file: string, text: string): Promise<void> => {
    await writeFile(`${file}.new`, text)
    await rename(`${file}.new`, file)
  }
  const fingerprint = ({ cert }: Certificate): string => new X509Certificate(cert).fingerprint256
  const [first, second] = [selfSigned({ names: ['mail.test'] }), selfSigned({ names: ['mail.test'] })]
  await Promise.all([put(certFile, first.cert), put(keyFile, first.key)])
  const read = (): Promise<Certificate> =>
    instanceCertificate({ certFile, keyFile, dataDir: dir, names: ['mail.test'], now: new Date() })
  await using world = await submissionWorld({ certificate: await read() })
  const use = (certificate: Certificate): void => world.service.useCertificate(certificate)
  let looks = 0
  const counted = (): Promise<Certificate> => {
    looks++
    return read()
  }
  const lines: string[] = []
  const told = createLogger('info', null, { write: (line) => void lines.push(JSON.parse(line).msg) })
  const watch = certificateWatch({ present: first, read: counted, use, clock: systemClock(), log: told, everyMs: 5 })
  await watch.start()
  const held = await smtpSession(world.tlsPort, { secure: true })
  try {
    assert.equal(await shownBy(world.tlsPort), fingerprint(first))
    for (const broken of [second.cert, 'nothing', '']) {
      await put(certFile, broken)
      const before = looks
      await until(async () => looks > before + 2)
      assert.equal(await shownBy(world.tlsPort), fingerprint(first))
    }
    await put(certFile, second.cert)
    await put(keyFile, second.key)
    await until(async () => (await shownBy(world.tlsPort)) === fingerprint(second))
    await until(async () => lines.length === 3)
    assert.deepEqual(lines, [
      'a renewed certificate cannot be used, the present one stays',
      'a renewed certificate is in use',
      'the certificate files can be used again',
    ])
    const starttls = await smtpSession(world.port)
    await starttls.ask('EHLO client.test')
    await starttls.ask('STARTTLS')
    assert.equal(new X509Certificate(await starttls.secure()).fingerprint256, fingerprint(second))
    assert.match(await held.ask('NOOP'), /^250/, 'who was connected goes on')
    starttls.close()
  } finally {
    held.close()
    await watch.stop(AbortSignal.timeout(1_000))
    await rm(dir, { recursive: true, force: true })
  }
})
