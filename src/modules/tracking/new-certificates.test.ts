// How many new certificates an account gets in a day.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOST, PATH, verified } from '../../../test/world/certificate-authority.ts'
import { startWorld, type TestAccount } from '../../../test/world/world.ts'
import * as sql from './sql-tracking-domains.ts'

const A_DAY = 20
const HOUR_MS = 3_600_000

/** A world in which certificates come by hand, at the times that the product's own statements are given. */
async function certificates() {
  const world = await startWorld({
    settings: { POSTHORN_PUBLIC_URL: `https://${HOST}`, POSTHORN_HTTPS_PORT: '0', POSTHORN_ROLES: 'api' },
  })
  const { system } = world.rooms.database
  const now = (): Date => world.clock.now()
  const after = (hours: number): Date => new Date(now().getTime() + hours * HOUR_MS)
  return {
    world,
    names: Array.from({ length: A_DAY }, (_, index) => `go.${index}.example`),
    due: async () =>
      (await system.one<sql.DueRow>(sql.dueCertificate, [now(), now(), after(-24), A_DAY, []]))?.name ?? null,
    issued: async (id: string): Promise<void> => {
      const row = [id, 'a chain', Buffer.from('a key'), after(2_000), after(1_400), now()]
      await system.execute(sql.certificateIssued, row)
    },
    left: (id: string | undefined) => system.execute(sql.certificateLeft, [id, now()]),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

test('an account gets 20 new certificates a day, and no more for names that lead elsewhere then or are deleted', async () => {
  await using it = await certificates()
  const { world, names, due, issued } = it
  const ids: string[] = []
  for (const name of names) ids.push(await verified(world, name))
  for (const id of ids.slice(1)) await issued(id)
  await verified(world, 'go.more.example')
  assert.equal(await due(), 'go.0.example')
  await issued(ids[0] ?? '')
  assert.equal(await due(), null)

  for (const [index, id] of ids.entries()) {
    world.zones.declare({ [names[index] ?? '']: { CNAME: ['elsewhere.example'] } })
    assert.equal((await world.api.post(`${PATH}/${id}/verify`)).body.verified, false)
  }
  assert.equal(await due(), null)
  for (const id of ids) assert.equal((await world.api.delete(`${PATH}/${id}`)).status, 200)
  assert.equal(await due(), null)
  const other: TestAccount = await world.newAccount()
  await verified(world, 'go.other.example', other)
  assert.equal(await due(), 'go.other.example')
  world.clock.advance(24 * HOUR_MS)
  await it.left(ids[0])
  assert.ok(['go.more.example', 'go.other.example'].includes((await due()) ?? ''))
})

test('a name that comes back with its certificate takes none of the day', async () => {
  await using it = await certificates()
  const { world, names } = it
  const ids: string[] = []
  for (const name of names) {
    const id = await verified(world, name)
    await it.issued(id)
    ids.push(id)
  }
  world.clock.advance(48 * HOUR_MS)
  for (const [index, id] of ids.entries()) {
    const name = names[index] ?? ''
    const { cname_target: target } = (await world.api.get(`${PATH}/${id}`)).body
    for (const there of ['elsewhere.example', target]) {
      world.zones.declare({ [name]: { CNAME: [there] } })
      await world.api.post(`${PATH}/${id}/verify`)
    }
  }
  await verified(world, 'go.more.example')
  assert.equal(await it.due(), 'go.more.example')
})
