// Links under the branded name of another account: no account can lend its targets the good name of another.

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { HIT_KINDS } from '../src/modules/tracking/hits.ts'
import { FIRST_KEYS, type Token, tokensOf } from '../src/modules/tracking/tokens.ts'
import { statement } from '../src/platform/db.ts'
import { until } from './world/accounts-fixture.ts'
import { startWorld, type TestAccount, type World } from './world/world.ts'

const NAME = 'go.theirs.example'
const NEXT_NAME = 'next.theirs.example'
const DAY_MS = 86_400_000
const ONE_CLICK = 'List-Unsubscribe=One-Click'
const CLICK = { purpose: 'click', linkIndex: 0, hidden: false, url: 'https://target.example/' } as const
const HITS = statement(
  'test_hits',
  'select count(*)::int as hits from hit where account_id = $1 and email_id = $2 and kind = $3',
)
// Each row: a way, and a field that leads to it.
const WAYS: readonly (readonly [way: string, field: string])[] = [
  ['the fast path', ''],
  ['the framework', 'Connection: close\r\n'],
]

for (const [way, field] of WAYS)
  test(`under another account's name a click leads nowhere and an open does not count, by ${way}`, async () => {
    await using world = await startWorld({ settings: { POSTHORN_ROLES: 'api,tracking,worker' } })
    const theirs = await world.newAccount('Theirs')
    const my = linksOf(world, world.account)
    const their = linksOf(world, theirs)
    let clicks = 0
    const asked = async (path: string, host: string): Promise<Answered> => {
      const answer = await answerTo(world, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${field}\r\n`)
      if (path === my.click && answer.status === 302) clicks++
      return answer
    }
    const added = await addName(world, theirs, NAME)

    assert.equal((await asked(my.click, NAME)).status, 302, 'nobody has proven the name yet')
    await verify(theirs, added)
    await until(async () => (await asked(my.click, NAME)).status === 404)
    const { body } = await asked('/track/c/bad', NAME)
    for (const host of [NAME, `${NAME}:8443`, `${NAME.toUpperCase()}.`]) {
      assert.deepEqual(await asked(my.click, host), { status: 404, body }, host)
      assert.equal((await asked(their.click, host)).status, 302, host)
      assert.equal((await asked(my.pixel, host)).status, 200, host)
    }
    for (const host of ['mail.posthorn.test', '127.0.0.1', `x.${NAME}`, 'old.example:80', 'a, b'])
      assert.equal((await asked(my.click, host)).status, 302, host)
    assert.equal((await asked(my.pixel, 'mail.posthorn.test')).status, 200)
    await until(async () => (await my.hits('click')) >= clicks && (await my.hits('open')) > 0)
    assert.equal(await my.hits('click'), clicks)
    assert.equal(await my.hits('open'), 1)

    // A no is heard under any name.
    const form = `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${ONE_CLICK.length}\r\nConnection: close`
    const { status } = await answerTo(world, `POST ${my.out} HTTP/1.1\r\nHost: ${NAME}\r\n${form}\r\n\r\n${ONE_CLICK}`)
    assert.equal(status, 200)
    await until(async () => (await world.api.get('/api/customer/unsubscribes')).body.unsubscribes.length === 1)

    // A name that was given up stays its account's for 30 days.
    assert.equal((await theirs.api.delete(`/api/v1/customer/tracking-domains/${added}`)).status, 200)
    await verify(theirs, await addName(world, theirs, NEXT_NAME))
    await until(async () => (await asked(my.click, NEXT_NAME)).status === 404)
    assert.equal((await asked(my.click, NAME)).status, 404)
    world.clock.advance(31 * DAY_MS)
    await until(async () => (await asked(my.click, NAME)).status === 302)
  })

async function addName(world: World, { api }: TestAccount, name: string): Promise<string> {
  const { body } = await api.post('/api/v1/customer/tracking-domains', { domain: name })
  world.zones.declare({ [name]: { CNAME: [body.cname_target] } })
  return body.id
}

async function verify({ api }: TestAccount, id: string): Promise<void> {
  assert.equal((await api.post(`/api/v1/customer/tracking-domains/${id}/verify`)).body.verified, true)
}

/** Paths of the links in an account's mail, and what is stored of them. */
function linksOf({ rooms, clock }: World, { accountId }: TestAccount) {
  const emailId = rooms.ground.ids.next()
  const mail = { accountId, emailId, domainId: null, stream: 'transactional', sandbox: false } as const
  const tokens = tokensOf(rooms.store.secrets, () => FIRST_KEYS)
  const write = (token: Token): string => tokens.write(token, clock.now())
  return {
    click: `/track/c/${write({ ...mail, ...CLICK })}`,
    pixel: `/track/o/${write({ ...mail, purpose: 'open' })}`,
    out: `/track/u/${write({ ...mail, purpose: 'unsubscribe', recipient: 'a@b.example' })}`,
    hits: async (kind: 'open' | 'click'): Promise<number> => {
      const found = await rooms.database.system.one<{ hits: number }>(HITS, [accountId, emailId, HIT_KINDS[kind]])
      return found?.hits ?? 0
    },
  }
}

interface Answered {
  readonly status: number
  readonly body: string
}

/** Sends a request as it is written, and reads until the end; our side ends once the answer comes. */
async function answerTo({ url }: World, request: string): Promise<Answered> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.write(request)
  socket.once('data', () => socket.end())
  const answer = await text(socket)
  const [head = '', ...rest] = answer.split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), body: rest.join('\r\n\r\n') }
}
