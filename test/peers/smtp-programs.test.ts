// The blocks of docs/guides/smtp-programs.md as they stand there, with the names and the key of this test: the programs that the
// guide sets up send through the product, verify its certificate, and their mail is in the inbox of the account.

import assert from 'node:assert/strict'
import { chmod, chown, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { selfSigned } from '../world/certificate.ts'
import { eximHead, eximProgram } from './exim.ts'
import { freePort, run, scratch, waitFor } from './fixture.ts'
import { masterConf, ownFolders } from './postfix.ts'
import { type Account, type Posthorn, startPosthorn } from './posthorn.ts'

const REPOSITORY = path.join(import.meta.dirname, '../..')
const GUIDE = path.join(REPOSITORY, 'docs/guides/smtp-programs.md')
const MESSAGE = 'To: ops@example.net\nSubject: SUBJECT\n\n.dot\nlast\n'

interface Mail {
  readonly subject: string
  readonly from: string
  readonly to: string
}

const stack = new AsyncDisposableStack()
let folder: string
let certificate: string
let posthorn: Posthorn
let account: Account

before(async () => {
  folder = stack.use(await scratch('programs')).path
  certificate = path.join(folder, 'certificate.pem')
  const { cert, key } = selfSigned({ names: ['localhost'] })
  await writeFile(certificate, cert)
  await writeFile(path.join(folder, 'key.pem'), key)
  posthorn = stack.use(
    await startPosthorn(folder, {
      POSTHORN_TLS_CERT_FILE: certificate,
      POSTHORN_TLS_KEY_FILE: path.join(folder, 'key.pem'),
    }),
  )
  account = await posthorn.account('Shop')
})
after(() => stack.disposeAsync())

/** The code blocks below a heading of the guide, for this instance. */
async function blocksOf(heading: string): Promise<readonly string[]> {
  const [, section = ''] = (await readFile(GUIDE, 'utf8')).split(`\n## ${heading}\n`)
  const blocks = [...(section.split('\n## ')[0] ?? '').matchAll(/^```\w*\n(.*?)^```$/gms)]
  return blocks.map(([, block = '']) =>
    block
      .replaceAll('mail.example.com', 'localhost')
      .replaceAll('2587', posthorn.env['POSTHORN_SUBMISSION_PORT'] ?? '')
      .replaceAll('ph_live_...', account.test_api_key)
      .replaceAll('/etc/ssl/certs/ca-certificates.crt', certificate)
      .replaceAll('/etc/postfix/posthorn', path.join(folder, 'postfix.key'))
      .replaceAll('/etc/exim4/posthorn', path.join(folder, 'exim.key'))
      .replaceAll('/etc/posthorn.key', path.join(folder, 'msmtp.key')),
  )
}

async function secretFile(name: string, content: string, owner: number | null = null): Promise<void> {
  const file = path.join(folder, name)
  await writeFile(file, content)
  await chmod(file, 0o600)
  if (owner !== null) await chown(file, owner, owner)
}

/** The one mail with this subject, once it is in the inbox. */
function arrived(subject: string): Promise<Mail> {
  return waitFor(`the mail of ${subject}`, async () => {
    const { body } = await posthorn.call(account.test_api_key, 'GET', '/api/v1/inbox')
    const found = body.data.filter((mail: Mail) => mail.subject === subject)
    assert.ok(found.length <= 1, `${subject} arrived ${found.length} times`)
    return found[0]
  })
}

test('Postfix as the guide sets it up', async () => {
  const [main = '', keys = ''] = await blocksOf('Postfix')
  const home = path.join(folder, 'postfix')
  for (const name of ['spool', 'data']) await mkdir(path.join(home, name), { recursive: true })
  await run('chown', ['postfix', path.join(home, 'data')])
  await secretFile('postfix.key', keys)
  // The name of the service is one of /etc/hosts.
  const own = `${ownFolders(home, 'web1.shop.example')}smtp_host_lookup = native\n`
  await writeFile(path.join(home, 'main.cf'), own + main)
  await writeFile(path.join(home, 'master.cf'), masterConf('127.0.0.1', await freePort()))
  await run('postfix', ['-c', home, 'start'])
  stack.defer(async () => {
    await run('postfix', ['-c', home, 'stop']).catch(() => undefined)
  })
  await run('sendmail', ['-C', home, '-f', 'root', 'ops@example.net'], MESSAGE.replace('SUBJECT', 'Postfix'))
  const log = await waitFor("Postfix's line on the delivery", async () => {
    const said = await readFile(path.join(home, 'maillog'), 'utf8')
    return said.includes('status=') && said
  })
  assert.match(log, /status=sent \(250 2\.0\.0 queued as/)
  assert.equal((await arrived('Postfix')).from, 'root@shop.example')
})

test('Exim as the guide sets it up', async (t) => {
  const program = await eximProgram()
  if (program === null) {
    t.skip('Exim is not installed')
    return
  }
  const [sections = ''] = await blocksOf('Exim')
  const home = path.join(folder, 'exim')
  for (const name of ['spool', 'log']) await mkdir(path.join(home, name), { recursive: true })
  await run('chown', ['-R', 'mail:mail', home])
  await secretFile('exim.key', `${account.test_api_key}\n`, Number(await run('id', ['-u', 'mail'])))
  const head = eximHead({ program, home, hostname: 'web1.shop.example', address: '127.0.0.1', port: await freePort() })
  // A machine without local mail, which may send to itself.
  const own = `${head}domainlist local_domains =\ntrusted_users = root\n`
  const conf = path.join(home, 'exim.conf')
  await writeFile(conf, own + sections.replace('route_list', 'self = send\n  route_list'))
  await run(
    program,
    ['-C', conf, '-odq', '-f', 'root@web1.shop.example', 'ops@example.net'],
    MESSAGE.replace('SUBJECT', 'Exim'),
  )
  await run(program, ['-C', conf, '-q'])
  const log = await readFile(path.join(home, 'log/mainlog'), 'utf8')
  assert.match(log, /CV=yes A=posthorn C="250 2\.0\.0 queued as/)
  assert.equal((await arrived('Exim')).from, 'root@shop.example')
})

test('msmtp as the guide sets it up', async () => {
  const [settings = ''] = await blocksOf('msmtp')
  await secretFile('msmtp.key', `${account.test_api_key}\n`)
  await secretFile('msmtprc', settings)
  const args = ['-C', path.join(folder, 'msmtprc'), 'ops@example.net']
  await run('msmtp', args, MESSAGE.replace('SUBJECT', 'msmtp'), { USER: 'root' })
  assert.equal((await arrived('msmtp')).from, 'root@shop.example')
})

test('the programs of the guide in Python and JavaScript', async () => {
  const env = { POSTHORN_KEY: account.test_api_key, SSL_CERT_FILE: certificate, NODE_EXTRA_CA_CERTS: certificate }
  const [python = ''] = await blocksOf('Python')
  await run('python3', ['-c', python.replace('Your receipt', 'Python')], undefined, env)
  const [javascript = ''] = await blocksOf('Node')
  await symlink(path.join(REPOSITORY, 'node_modules'), path.join(folder, 'node_modules'))
  await writeFile(path.join(folder, 'send.mjs'), javascript.replace('Your receipt', 'Node'))
  await run(process.execPath, [path.join(folder, 'send.mjs')], undefined, env)
  for (const subject of ['Python', 'Node']) {
    const { from, to } = await arrived(subject)
    assert.deepEqual([from, to], ['hello@shop.example', 'jo@example.net'])
  }
  const { body } = await posthorn.call(account.test_api_key, 'GET', '/api/v1/emails?tag=receipt')
  assert.equal(body.pagination.total, 2)
})
