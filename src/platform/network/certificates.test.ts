import assert from 'node:assert/strict'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { instanceCertificate, selfSigned } from './certificates.ts'

const NOW = new Date('2026-11-21T00:00:00Z')
/** RSA with 1024 bits, which TLS libraries no longer accept. */
const SMALL = {
  cert: `-----BEGIN CERTIFICATE-----
MIICDDCCAXWgAwIBAgIUGg1vabOSMpBjKCu7h8TZlsXv3TowDQYJKoZIhvcNAQEL
BQAwFzEVMBMGA1UEAwwMbWFpbC5leGFtcGxlMCAXDTI2MTEyMzE5NTUxNVoYDzIw
NTEwNzE1MTk1NTE1WjAXMRUwEwYDVQQDDAxtYWlsLmV4YW1wbGUwgZ8wDQYJKoZI
hvcNAQEBBQADgY0AMIGJAoGBANAGTVciVahhr8iGVr9Mx8052646BcWS6Wxp+dhq
/mM9GleNwwvrqZELvWBpQgRdKRq84YhUTYSesyiu1plxetLsbRFBBx/LWDwMOW8R
mO/hzmv6KbggPAtlBN/JGUr2ZtEhIjst6Sx8Sqcv43dJpFy7lsYZ7Az4PrCzYUEB
aXh/AgMBAAGjUzBRMB0GA1UdDgQWBBSy2u42jLDZpNYyjmcpde9iH5DQ0TAfBgNV
HSMEGDAWgBSy2u42jLDZpNYyjmcpde9iH5DQ0TAPBgNVHRMBAf8EBTADAQH/MA0G
CSqGSIb3DQEBCwUAA4GBAJOfgWR/E1x0Ok0LNdXJg0mnBOrxARTm82OwI7Bugn4b
xusgFmw+ossOBdm05QM+6nG/ulb9qlDVfpkq3J3sRSk8yjyz6aiGiZSRJSnpu6hp
DjmNu6Pce1mYaEK2O9NIcBPP6dscPMPlufJVvW7B4Fl/zNOQrcfPxXPwgTqW5DXR
-----END CERTIFICATE-----
`,
  key: `-----BEGIN PRIVATE KEY-----
MIICdgIBADANBgkqhkiG9w0BAQEFAASCAmAwggJcAgEAAoGBANAGTVciVahhr8iG
Vr9Mx8052646BcWS6Wxp+dhq/mM9GleNwwvrqZELvWBpQgRdKRq84YhUTYSesyiu
1plxetLsbRFBBx/LWDwMOW8RmO/hzmv6KbggPAtlBN/JGUr2ZtEhIjst6Sx8Sqcv
43dJpFy7lsYZ7Az4PrCzYUEBaXh/AgMBAAECgYEAkVKFvwROYLX1jhlDCpsBzX3I
2NrR42cxSDp0ftqn4f3ypA11n6M/LwPLhUmjA9ds+q/OwmVaTfZr5FTXuBQNn38j
vAaeil6cL+oLqCGDZ33uR+x/xnPWRH9qGB1mxpJNF/29DI5yh1qitbFAoQlg8fOC
+ZFS/px+Wo2fOC5zakkCQQDxqVhTYpV5FkGBj+sQt6a2GD2fKrMF3tFan0HCZKuq
6mMUCrC6pLgoFxUA32UbEL92kHNLQvdurMyy6OEBQuhtAkEA3F4JzZr2RCcRqV42
b5XEBZV1ulFZ0VyjQmpzeKyPL1+WONtt9VPSO7W8ZoFN6rpyNMmA1HvZNmgCYv7S
BrepGwJAK3akryKc9ZE+KNpEkdYmArwrYRQh7J1dk+nuvtKyWWQce79Md9UmVfeI
zIZhPdPuS5nBUrjxnZMwocDmrv5kpQJAHEFGeoFbACQORKwayLXoO1sNjEUwAgMh
v7tMcPWXKljUNxgTgjgsJZHIxU/hAK7FQ/VuOlBi6nHtlGnd3hSgbwJAbMxdylrf
RQohCXp7GOrEV1K5aDVLyl5q9UXTCo2Uemq4fAjzd/paMBXilRe6WM5sUJnT5KJL
Clr+gqlWZ9XawQ==
-----END PRIVATE KEY-----
`,
}

async function folder(): Promise<AsyncDisposable & { readonly path: string }> {
  const made = await mkdtemp(path.join(os.tmpdir(), 'posthorn-certificate-'))
  return { path: made, [Symbol.asyncDispose]: () => rm(made, { recursive: true, force: true }) }
}

test('a certificate is made at the first start, only for the host, and kept', async () => {
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

test('it is made again for another host, before it expires, and when the file is broken', async () => {
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

test("the operator's certificate is used as it is, and needs its key", async () => {
  await using dir = await folder()
  const own = selfSigned({ names: ['mail.example'] })
  const certFile = path.join(dir.path, 'cert.pem')
  const keyFile = path.join(dir.path, 'key.pem')
  await Promise.all([writeFile(certFile, own.cert), writeFile(keyFile, own.key)])
  const ask = { dataDir: dir.path, names: ['mail.example'], now: NOW }
  assert.deepEqual(await instanceCertificate({ ...ask, certFile, keyFile }), own)
  await assert.rejects(instanceCertificate({ ...ask, certFile, keyFile: null }), /needs its key/)
})

test('while the file is missing or cannot be read, the one in use goes on and no other takes its place', async () => {
  await using dir = await folder()
  const ask = { certFile: null, keyFile: null, dataDir: dir.path, names: ['mail.example'], now: NOW }
  const present = await instanceCertificate(ask)
  const away = `${dir.path}/away`
  assert.deepEqual(await instanceCertificate({ ...ask, dataDir: away, present }), present)
  await assert.rejects(stat(away), { code: 'ENOENT' })
  await mkdir(path.join(away, 'self-signed.pem'), { recursive: true })
  await assert.rejects(instanceCertificate({ ...ask, dataDir: away }), {
    message: 'the self-signed certificate cannot be read',
  })
})

test('a caller that only looks leaves no certificate behind', async () => {
  await using dir = await folder()
  const ask = { dataDir: path.join(dir.path, 'none'), names: ['mail.example'], now: NOW, certFile: null, keyFile: null }
  assert.match((await instanceCertificate({ ...ask, keeps: false })).cert, /CERTIFICATE/)
  assert.deepEqual(await readdir(dir.path), [])
})

test('an unusable certificate is refused with an error that names its setting', async () => {
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
  const encrypted = await file(
    'encrypted.pem',
    createPrivateKey(own.key)
      .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'a word' })
      .toString(),
  )
  const small = await file('small.pem', SMALL.cert)
  const smallKey = await file('small-key.pem', SMALL.key)
  const missing = path.join(dir.path, 'missing.pem')
  for (const [certFile, keyFile, wanted] of [
    [missing, key, /^POSTHORN_TLS_CERT_FILE: the file cannot be read$/],
    [cert, missing, /^POSTHORN_TLS_KEY_FILE: the file cannot be read$/],
    [dir.path, key, /^POSTHORN_TLS_CERT_FILE: the file cannot be read$/],
    [key, key, /^POSTHORN_TLS_CERT_FILE: the file contains no PEM certificate/],
    [cert, cert, /^POSTHORN_TLS_KEY_FILE: the file contains no PEM private key/],
    [cert, other, /^POSTHORN_TLS_KEY_FILE: the key does not match the certificate$/],
    [cert, encrypted, /^POSTHORN_TLS_KEY_FILE: the file contains an encrypted key: remove its passphrase$/],
    [small, smallKey, /^POSTHORN_TLS_CERT_FILE: the file contains a certificate that is too weak for TLS$/],
  ] as const) {
    const asked = instanceCertificate({ dataDir: dir.path, names: ['mail.example'], now: NOW, certFile, keyFile })
    await assert.rejects(asked, ({ message }: Error) => wanted.test(message), `${certFile} ${keyFile}`)
  }
})
