// The operator's commands against a running service.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startWorld, type World } from '../../../test/world/world.ts'
import { createLogger } from '../../platform/log.ts'
import { trackingCommands } from './cli.ts'

let world: World
before(async () => {
  world = await startWorld({ settings: { POSTHORN_DELIVERY: 'sandbox', POSTHORN_PUBLIC_URL: 'https://posthorn.test' } })
  await world.verifiedDomain('shop.example')
})
after(() => world[Symbol.asyncDispose]())

const command = async (...words: string[]): Promise<string[]> => {
  const found = trackingCommands.find(({ path }) => path.every((word, i) => word === words[i]))
  assert.ok(found, words.join(' '))
  const lines: string[] = []
  const { config, ground } = world.rooms
  const context = {
    ...world.operator,
    config,
    log: createLogger('silent'),
    clock: ground.clock,
    print: (line: string) => void lines.push(line),
    warn: () => undefined,
  }
  const rest = words.slice(found.path.length)
  await found.run(
    context,
    { json: rest.includes('--json') },
    rest.filter((word) => !word.startsWith('--')),
  )
  return lines
}
const until = async (what: string, look: () => Promise<boolean>): Promise<void> => {
  for (let i = 0; i < 2_400; i++) {
    if (await look()) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error(`${what} did not come within a minute`)
}
/** Sends a mail with one link and returns the link's path. */
const linkOf = async (target: string): Promise<string> => {
  const html = `<a href="${target}">x</a>`
  const sent = await world.api.post('/api/v1/send', {
    from: 'a@shop.example',
    to: 'b@dest.test',
    subject: 's',
    html,
    tracking_enabled: true,
  })
  let path = ''
  await until('the mail', async () => {
    const { body } = await world.api.get(`/api/v1/inbox?email_id=${sent.body.data.email_id}`)
    if (body.data.length === 0) return false
    const mail = (await world.api.get(`/api/v1/inbox/${body.data[0].id}`)).body
    path = /\/track\/c\/[\w-]+/.exec((mail.data ?? mail).html)?.[0] ?? ''
    return true
  })
  return path
}
const statusOf = async (path: string): Promise<number> => (await fetch(world.url + path, { redirect: 'manual' })).status

test('a blocked target and its subdomains answer 410 within seconds, until it is unblocked', async () => {
  const [below, other] = [await linkOf('https://www.Evil.test/x'), await linkOf('https://notevil.test/')]
  assert.deepEqual([await statusOf(below), await statusOf(other)], [302, 302])
  await command('target', 'block', 'EVIL.test.')
  assert.deepEqual(await command('target', 'list', '--json'), ['["evil.test"]'])
  await until('the block', async () => (await statusOf(below)) === 410)
  assert.equal(await statusOf(other), 302)
  await command('target', 'unblock', 'evil.test')
  await until('the release', async () => (await statusOf(below)) === 302)
  await assert.rejects(command('target', 'unblock', 'evil.test'), /not blocked/)
  for (const name of ['https://evil.test/', 'evil.test:80', 'a@evil.test', '*.evil.test', '.evil.test', '[1::2'])
    await assert.rejects(command('target', 'block', name), /name one host/, name)
})

test('a target is blocked however its host is written', async () => {
  for (const [link, name] of [
    ['http://[2001:db8::7]/x', '2001:DB8:0:0::7'],
    ['http://[2001:db8::8]:8080/x', '[2001:db8::8]'],
    ['http://192.0.2.7/x', '3221225991'],
    ['http://in_house.evil.test/x', 'in_house.evil.test'],
    ['http://b\u00fccher.test/x', 'B\u00dcCHER.test'],
  ] as const) {
    const path = await linkOf(link)
    assert.equal(await statusOf(path), 302, link)
    await command('target', 'block', name)
    await until(link, async () => (await statusOf(path)) === 410)
    await command('target', 'unblock', name)
  }
  assert.deepEqual(await command('target', 'list'), ['none'])
})

test('a new key takes effect by itself, and old links work until their key is retired', async () => {
  const keyOf = (path: string): number => Buffer.from(path.slice('/track/c/'.length), 'base64url')[0] ?? 0
  const old = await linkOf('https://target.test/1')
  assert.equal(keyOf(old), 1)
  await assert.rejects(command('link-key', 'retire', '2'), /not in use/)
  assert.deepEqual(
    (await command('link-key', 'rotate')).map((line) => line.slice(0, 12)),
    ['key 2 starts'],
  )
  const [, , second = ''] = await command('link-key', 'list')
  assert.match(second, /^2 +\d{4}-\d\d-\d\dT[\d:.]+Z +work$/)
  world.clock.advance(11_000)
  let fresh = ''
  await until('the new key', async () => {
    fresh = await linkOf('https://target.test/2')
    return keyOf(fresh) === 2
  })
  assert.deepEqual([await statusOf(old), await statusOf(fresh)], [302, 302])
  await command('link-key', 'retire', '2')
  await until('the end of key 1', async () => (await statusOf(old)) === 404)
  assert.equal(await statusOf(fresh), 302)
  const listed = JSON.parse((await command('link-key', 'list', '--json'))[0] ?? '')
  assert.deepEqual(
    listed.map(({ number, links }: { number: number; links: string }) => [number, links]),
    [
      [1, 'ended'],
      [2, 'work'],
    ],
  )
})
