// Debian's OpenSMTPD as a receiver. Its package conflicts with Postfix's, so POSTHORN_TEST_OPENSMTPD may name the program of an
// unpacked package. Its queue and its control socket have compiled-in paths, so each instance gets its own mount namespace
// for these two folders.

import { chmod, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { accepts, type Running, run, start, waitFor } from './fixture.ts'

/** The program; null when it is not installed. */
export async function opensmtpdProgram(): Promise<string | null> {
  const unpacked = process.env['POSTHORN_TEST_OPENSMTPD']
  for (const program of [...(unpacked === undefined ? [] : [unpacked]), '/usr/sbin/smtpd']) {
    const is = await run(program, ['-h']).then(
      () => false,
      (error: unknown) => /OpenSMTPD/.test(String(error)),
    )
    if (is) return program
  }
  return null
}

export interface OpensmtpdOptions {
  readonly folder: string
  readonly address: string
  readonly port: number
  readonly domain: string
  readonly mailboxes: readonly string[]
}

/** Starts an instance that knows its recipients. Accepted mail goes nowhere. */
export async function startOpensmtpd(
  program: string,
  { folder, address, port, domain, mailboxes }: OpensmtpdOptions,
): Promise<AsyncDisposable> {
  const home = path.join(folder, 'opensmtpd')
  for (const name of [home, '/var/lib/opensmtpd/empty', '/var/spool/smtpd']) await mkdir(name, { recursive: true })
  const conf = path.join(home, 'smtpd.conf')
  const known = mailboxes.map((name) => `"${name}@${domain}"`).join(', ')
  await writeFile(
    conf,
    `listen on ${address} port ${port} hostname mx.${domain}
action "in" relay host smtp://127.0.0.1:9
match from any for domain "${domain}" rcpt-to { ${known} } action "in"
`,
  )
  await chmod(conf, 0o600)
  const own = 'mount -t tmpfs tmpfs /run && mount -t tmpfs -o mode=711 tmpfs /var/spool/smtpd && exec "$0" "$@"'
  const running: Running = start('unshare', ['-m', 'sh', '-c', own, program, '-d', '-f', conf])
  await waitFor('OpenSMTPD', async () => {
    if (running.child.exitCode !== null) throw new Error(running.said())
    return accepts(port, address)
  })
  return running
}
