// The two rivals of content scoring, both without network and without training: they only apply their rules to an email. They
// see its header fields, which our score never does.

import { execFileSync } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { request } from 'undici'
import { accepts, freePort, run, scratch, start, waitFor } from '../../test/peers/fixture.ts'

export interface Rival {
  readonly name: string
  /** Lowest score that it calls spam. */
  readonly threshold: number
  /** One score per email; higher is worse. */
  score(mails: readonly Buffer[]): Promise<readonly number[]>
}

const POLICY = '/usr/sbin/policy-rc.d'

/** Installs them from Debian, as root. A policy-rc.d keeps both from starting a service meanwhile. */
export function installRivals(): void {
  const missing = ['spamassassin', 'rspamd'].filter((name) => !installed(name))
  if (missing.length === 0) return
  const hadPolicy = existsSync(POLICY)
  if (!hadPolicy) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  const apt = (...args: string[]): void => void execFileSync('apt-get', args, { stdio: 'inherit', env: QUIET })
  try {
    apt('update')
    apt('install', '-y', '--no-install-recommends', ...missing)
  } finally {
    if (!hadPolicy) rmSync(POLICY, { force: true })
  }
}

const QUIET = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', DEBIAN_FRONTEND: 'noninteractive' }

export function installed(command: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${command}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const BATCH = 250
const ANSWER = /^X-Spam-Status: \w+, score=(-?[\d.]+)/gm

/** Local rules only, Bayes off. Emails are passed in batches, as a mailbox, since each start takes two seconds. */
export async function withSpamAssassin<T>(use: (rival: Rival) => Promise<T>): Promise<T> {
  await using folder = await scratch('bench-sa')
  const options = [
    '-L',
    '-x',
    '--mbox',
    '--siteconfigpath=/etc/spamassassin',
    '--cf=use_bayes 0',
    '--cf=use_auto_whitelist 0',
  ]
  return await use({
    name: 'SpamAssassin, local rules',
    threshold: 5,
    score: async (mails) => {
      const scores: number[] = []
      for (let from = 0; from < mails.length; from += BATCH) {
        const batch = mails.slice(from, from + BATCH)
        const file = path.join(folder.path, 'mails.mbox')
        await writeFile(file, batch.map(mailbox).join(''), 'latin1')
        const out = await run('sh', [
          '-c',
          `HOME=${folder.path} spamassassin ${options.map((one) => `'${one}'`).join(' ')} < ${file} 2>/dev/null`,
        ])
        const found = [...out.matchAll(ANSWER)].map(([, score]) => Number(score))
        if (found.length !== batch.length)
          throw new Error(`SpamAssassin answered ${found.length} of ${batch.length} mails`)
        scores.push(...found)
      }
      return scores
    },
  })
}

function mailbox(raw: Buffer): string {
  // The email's own X-Spam header from an earlier run would be read as the result.
  const text = raw
    .toString('latin1')
    .replaceAll('\r\n', '\n')
    .replaceAll(/^X-Spam-[^\n]*(?:\n[ \t][^\n]*)*\n/gm, '')
  return `From a@b.example Thu Jan  1 00:00:00 2004\n${text.replaceAll(/^From /gm, '>From ')}\n\n`
}

const ASKS_OTHERS =
  `rbl surbl fuzzy_check asn dkim spf dmarc arc mx_check neural dkim_signing greylist ratelimit replies
  history_redis url_redirector milter_headers bayes whitelist`.split(/\s+/)

/** Debian's settings without what uses the network or a database. */
export async function withRspamd<T>(use: (rival: Rival) => Promise<T>): Promise<T> {
  await using folder = await scratch('bench-rspamd')
  const conf = path.join(folder.path, 'conf')
  await cp('/etc/rspamd', conf, { recursive: true })
  const override = path.join(conf, 'override.d')
  await mkdir(override, { recursive: true })
  const port = await freePort()
  const settings: Record<string, string> = {
    'options.inc': 'dns { nameserver = ["127.0.0.1:1"]; timeout = 0.05s; retransmits = 1; }\npidfile = false;\n',
    'worker-normal.inc': `bind_socket = "127.0.0.1:${port}";\ncount = 1;\n`,
    'logging.inc': 'type = "console";\nlevel = "error";\n',
  }
  for (const worker of ['controller', 'proxy', 'fuzzy']) settings[`worker-${worker}.inc`] = 'enabled = false;\n'
  for (const module of ASKS_OTHERS) settings[`${module}.conf`] = 'enabled = false;\n'
  for (const [name, text] of Object.entries(settings)) await writeFile(path.join(override, name), text)
  for (const name of ['db', 'run', 'log']) await mkdir(path.join(folder.path, name))
  await run('chown', ['-R', '_rspamd', folder.path])
  await run('chmod', ['755', folder.path])
  const vars = [
    `CONFDIR=${conf}`,
    `LOCAL_CONFDIR=${conf}`,
    ...['DB', 'RUN', 'LOG'].map((one) => `${one}DIR=${path.join(folder.path, one.toLowerCase())}`),
  ]
  await using _daemon = start('rspamd', [
    '-f',
    '-i',
    '-u',
    '_rspamd',
    '-g',
    '_rspamd',
    '-c',
    path.join(conf, 'rspamd.conf'),
    ...vars.map((one) => `--var=${one}`),
  ])
  await waitFor('rspamd', () => accepts(port), 90_000)
  return await use({
    name: 'rspamd, offline',
    threshold: 6,
    score: async (mails) => {
      const scores: number[] = []
      for (const mail of mails) {
        const { body } = await request(`http://127.0.0.1:${port}/checkv2`, { method: 'POST', body: mail })
        const { score } = (await body.json()) as { readonly score: number }
        scores.push(score)
      }
      return scores
    },
  })
}
