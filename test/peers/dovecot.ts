// Debian's Dovecot as an LMTP server. It knows its mailboxes, and one of them is full.

import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { accepts, freePort, run, start, waitFor } from './fixture.ts'

const MAIL_UID = 5_000

export interface Lmtp extends AsyncDisposable {
  readonly port: number
}

/** @param full a mailbox over its quota */
export async function startDovecotLmtp(
  folder: string,
  {
    domain,
    mailboxes,
    full,
  }: { readonly domain: string; readonly mailboxes: readonly string[]; readonly full: string },
): Promise<Lmtp> {
  const port = await freePort()
  const home = path.join(folder, 'dovecot-lmtp')
  await mkdir(path.join(home, 'run'), { recursive: true })
  const users: string[] = []
  for (const name of [...mailboxes, full]) {
    await mkdir(path.join(home, name, 'Maildir', 'cur'), { recursive: true })
    const rule = name === full ? 'userdb_quota_rule=*:bytes=1000' : ''
    users.push(`${name}@${domain}::${MAIL_UID}:${MAIL_UID}::${home}/${name}::${rule}\n`)
  }
  await writeFile(path.join(home, full, 'Maildir', 'cur', '1.full:2,S'), 'Subject: full\r\n\r\n'.padEnd(4_000, 'x'))
  await run('chown', ['-R', `${MAIL_UID}:${MAIL_UID}`, ...[...mailboxes, full].map((name) => path.join(home, name))])
  await writeFile(path.join(home, 'users'), users.join(''))
  const conf = path.join(home, 'dovecot.conf')
  await writeFile(
    conf,
    `base_dir = ${home}/run
log_path = ${home}/log
protocols = lmtp
ssl = no
mail_location = maildir:~/Maildir
mail_plugins = quota
first_valid_uid = 1000
lmtp_rcpt_check_quota = yes
passdb {
  driver = passwd-file
  args = ${home}/users
}
userdb {
  driver = passwd-file
  args = ${home}/users
}
plugin {
  quota = maildir:User quota
}
service lmtp {
  inet_listener lmtp {
    address = 127.0.0.1
    port = ${port}
  }
}
`,
  )
  const running = start('dovecot', ['-F', '-c', conf])
  await waitFor('Dovecot', async () => {
    if (running.child.exitCode !== null) throw new Error(running.said())
    return accepts(port)
  })
  return { port, [Symbol.asyncDispose]: () => running[Symbol.asyncDispose]() }
}
