// Other people's clients send through us: swaks, msmtp and Python's smtplib, each over STARTTLS and implicit TLS, with PLAIN and
// LOGIN. They get the documented refusals.

import assert from 'node:assert/strict'
import { execFile, type PromiseWithChild } from 'node:child_process'
import { chmod, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { selfSigned } from '../world/certificate.ts'
import { type SubmissionWorld, submissionWorld, USER } from '../world/submission.ts'
import { scratch } from './fixture.ts'

interface Sent {
  readonly code: number
  /** The client's whole output. */
  readonly said: string
}

async function run(program: string, args: readonly string[], input = ''): Promise<Sent> {
  const running = promisify(execFile)(program, args, { timeout: 30_000 }) as PromiseWithChild<{
    stdout: string
    stderr: string
  }>
  running.child.stdin?.end(input)
  const done = await running.then(
    (out) => ({ code: 0, ...out }),
    (error: { code?: number; stdout?: string; stderr?: string }) => ({ stdout: '', stderr: '', ...error }),
  )
  return { code: done.code ?? 1, said: `${done.stdout}${done.stderr}` }
}

const MESSAGE = 'From: Shop <a@shop.example>\nTo: b@example.net\nSubject: peer\n\n.dot\nlast\n'

interface Ask {
  readonly world: SubmissionWorld
  readonly secure: boolean
  readonly method: 'PLAIN' | 'LOGIN'
  readonly password: string
  readonly from: string
  readonly folder: string
}

const PYTHON = `
import smtplib, ssl, sys
port, secure, method, user, password, sender = sys.argv[1:7]
context = ssl._create_unverified_context()
if secure == 'true':
    smtp = smtplib.SMTP_SSL('127.0.0.1', int(port), context=context)
else:
    smtp = smtplib.SMTP('127.0.0.1', int(port))
    smtp.starttls(context=context)
smtp.ehlo()
smtp.user, smtp.password = user, password
print(smtp.auth(method, getattr(smtp, 'auth_' + method.lower())))
print(smtp.sendmail(sender, ['b@example.net'], sys.stdin.read()))
smtp.quit()
`

const CLIENTS: Record<string, (ask: Ask) => Promise<Sent>> = {
  swaks: ({ world, secure, method, password, from }) =>
    run(
      'swaks',
      [
        ...['--server', '127.0.0.1', '--port', String(secure ? world.tlsPort : world.port)],
        ...[secure ? '--tls-on-connect' : '--tls', '--auth', method, '--auth-user', USER.username],
        ...['--auth-password', password, '--from', from, '--to', 'b@example.net', '--data', '-'],
      ],
      MESSAGE,
    ),
  msmtp: async ({ world, secure, method, password, from, folder }) => {
    const file = path.join(folder, 'msmtprc')
    const lines = [
      'account default',
      'host 127.0.0.1',
      `port ${secure ? world.tlsPort : world.port}`,
      'tls on',
      `tls_starttls ${secure ? 'off' : 'on'}`,
      'tls_certcheck off',
      `auth ${method.toLowerCase()}`,
      `user ${USER.username}`,
      `password ${password}`,
      `from ${from}`,
    ]
    await writeFile(file, `${lines.join('\n')}\n`)
    await chmod(file, 0o600)
    return run('msmtp', ['-C', file, '-v', 'b@example.net'], MESSAGE)
  },
  smtplib: ({ world, secure, method, password, from }) =>
    run(
      'python3',
      [
        '-c',
        PYTHON,
        String(secure ? world.tlsPort : world.port),
        String(secure),
        method,
        USER.username,
        password,
        from,
      ],
      MESSAGE,
    ),
}

for (const [name, send] of Object.entries(CLIENTS)) {
  test(`${name} sends over STARTTLS and implicit TLS, with PLAIN and LOGIN`, async () => {
    await using folder = await scratch('submission')
    await using world = await submissionWorld({ certificate: selfSigned({ names: ['localhost'] }) })
    const ask = { world, password: USER.password, from: 'a@shop.example', folder: folder.path }
    let expected = 0
    for (const secure of [false, true]) {
      for (const method of ['PLAIN', 'LOGIN'] as const) {
        const { code, said } = await send({ ...ask, secure, method })
        assert.equal(code, 0, said)
        const mails = await world.mails()
        assert.equal(mails.length, ++expected)
        const mail = mails.at(-1)
        assert.ok(name === 'smtplib' || said.includes(`queued as ${mail?.id}`), said)
        assert.match(mail?.message ?? '', /Subject: peer\r\n(?:.*\r\n)*\r\n\.dot\r\nlast\r\n/)
      }
    }
  })

  test(`${name} gets an error for a wrong password and for a foreign sender`, async () => {
    await using folder = await scratch('submission')
    await using world = await submissionWorld()
    const ask = { world, secure: true, method: 'PLAIN' as const, folder: folder.path }
    const wrong = await send({ ...ask, password: 'nope', from: 'a@shop.example' })
    assert.notEqual(wrong.code, 0)
    assert.match(wrong.said, /535|5\.7\.8/)
    const foreign = await send({ ...ask, password: USER.password, from: 'a@bank.example' })
    assert.notEqual(foreign.code, 0)
    assert.match(foreign.said, /550|5\.7\.1/)
    assert.deepEqual(await world.mails(), [])
  })
}
