import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { instanceCertificate, selfSigned } from './certificates.ts'

const NOW = new Date('2026-11-21T00:00:00Z')

async function folder(): Promise<AsyncDisposable & { readonly path: string }> {
  const made = await mkdtemp(path.join(os.tmpdir(), 'posthorn-certificate-'))
  return { path: made, [Symbol.asyncDispose]: () => rm(made, { recursive: true, force: true }) }
}

test('a certificate is made at the first start, for the host alone, and kept', async () => {
  await using dir = await folder()
  const ask = { certFile: null, keyFile: null, dataDir: dir.path, names: ['mail.example'], now: NOW }
  const first = await instanceCertificate(ask)
  const read = new X509Certificate(first.cert)
  assert.equal(read.checkHost('mail.example'), 'mail.example')
  assert.equal(read.checkHost('other.example'), undefined)
  assert.ok(read.verify(read.publicKey))
  assert.ok(read.validFromDate < NOW)
  assert.equal((await stat(path.join(dir.path, 'self-signed.pem'))).mode & 0o777, 0o600)
  assert.deepEqual(await instanceCertificate(ask), first)
})

test('it is made anew for another host, before it expires, and when the file is broken', async () => {
  await using dir = await folder()
  const ask = { certFile: null, keyFile: null, dataDir: dir.path, names: ['mail.example'], now: NOW }
  const first = await instanceCertificate(ask)
  const renamed = await instanceCertificate({ ...ask, names: ['mx.example'] })
  assert.notEqual(renamed.cert, first.cert)
  const later = await instanceCertificate({ ...ask, names: ['mx.example'], now: new Date('2036-11-10T00:00:00Z') })
  assert.notEqual(later.cert, renamed.cert)
  await writeFile(path.join(dir.path, 'self-signed.pem'), 'nothing')
  assert.match((await instanceCertificate(ask)).key, /PRIVATE KEY/)
})

test("the operator's certificate is taken as it is, and needs its key", async () => {
  await using dir = await folder()
  const own = selfSigned({ names: ['mail.example'] })
  const certFile = path.join(dir.path, 'cert.pem')
  const keyFile = path.join(dir.path, 'key.pem')
  await Promise.all([writeFile(certFile, own.cert), writeFile(keyFile, own.key)])
  const ask = { dataDir: dir.path, names: ['mail.example'], now: NOW }
  assert.deepEqual(await instanceCertificate({ ...ask, certFile, keyFile }), own)
  await assert.rejects(instanceCertificate({ ...ask, certFile, keyFile: null }), /needs its key/)
})

test('a certificate that cannot be used is refused by the name of its setting', async () => {
  await using dir = await folder()
  const own = selfSigned({ names: ['mail.example'] })
  const file = async (name: string, text: string): Promise<string> => {
    const made = path.join(dir.path, name)
    await writeFile(made, text)
    return made
  }
  const cert = await file('cert.pem', own.cert)
  const key = await file('key.pem', own.key)
  const other = await file('other.pem', selfSigned().key)
  const missing = path.join(dir.path, 'missing.pem')
  for (const [certFile, keyFile, wanted] of [
    [missing, key, /^POSTHORN_TLS_CERT_FILE: the file cannot be read$/],
    [cert, missing, /^POSTHORN_TLS_KEY_FILE: the file cannot be read$/],
    [dir.path, key, /^POSTHORN_TLS_CERT_FILE: the file cannot be read$/],
    [key, key, /^POSTHORN_TLS_CERT_FILE: the file holds no certificate/],
    [cert, cert, /^POSTHORN_TLS_KEY_FILE: the file holds no private key/],
    [cert, other, /^POSTHORN_TLS_KEY_FILE: the key is not that of the certificate$/],
  ] as const) {
    const asked = instanceCertificate({ dataDir: dir.path, names: ['mail.example'], now: NOW, certFile, keyFile })
    await assert.rejects(asked, ({ message }: Error) => wanted.test(message), `${certFile} ${keyFile}`)
  }
})
