// The inbound MX takes reports at the host names of the other machines of an installation, and at former ones.

import assert from 'node:assert/strict'
import test from 'node:test'
import { forgetHostnames, type Hostnames, hostnamesOf } from '../src/modules/machines/index.ts'
import { type Database, statement } from '../src/platform/db.ts'
import { createLogger } from '../src/platform/log.ts'
import { smtpSession } from './world/submission.ts'
import { startWorld, type World } from './world/world.ts'

const OTHER = 'mx2.posthorn.test'
const AGE = statement('test_age_hostname', `update hostname set used_at = now() - interval '366 days' where name = $1`)
const USED = statement('test_hostname_used', 'select used_at from hostname where name = $1')

const processOf = (database: Database, hostname: string): Hostnames =>
  hostnamesOf({ database, log: createLogger('silent'), hostname })

async function signedLocalPart(world: World): Promise<string> {
  await world.verifiedDomain('shop.example')
  const { body } = await world.api.post('/api/v1/send', {
    from: 'news@shop.example',
    to: 'bob@example.net',
    subject: 'Order',
    text: 'Hello',
  })
  const raw: string = (await world.api.get(`/api/v1/emails/${body.data.email_id}/raw`)).body
  return /^CFBL-Feedback-ID: (b\+[a-z2-7]+)/m.exec(raw)?.[1] ?? assert.fail(raw)
}

async function asked(world: World, recipient: string): Promise<string> {
  const session = await smtpSession(world.mxPort)
  await session.ask('EHLO mx.example.net')
  await session.ask('MAIL FROM:<>')
  const reply = await session.ask(`RCPT TO:<${recipient}>`)
  session.close()
  return reply
}

async function until(world: World, recipient: string, expected: RegExp): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (expected.test(await asked(world, recipient))) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  assert.match(await asked(world, recipient), expected)
}

test('reports come in at the host name of another machine as soon as it starts, and after it was renamed', async () => {
  await using world = await startWorld({ settings: { POSTHORN_ROLES: 'api,mx' } })
  const signed = await signedLocalPart(world)
  assert.match(await asked(world, `${signed}@mail.posthorn.test`), /^250/)
  assert.match(await asked(world, `${signed}@${OTHER}`), /^550 5\.7\.1/)
  const other = processOf(world.rooms.database, 'MX2.Posthorn.Test')
  await other.service.start()
  await until(world, `${signed}@${OTHER}`, /^250/)
  assert.match(await asked(world, `fbl@${OTHER.toUpperCase()}`), /^250/)
  assert.match(await asked(world, `postmaster@${OTHER}`), /^250/)
  await other.service.stop(AbortSignal.timeout(1_000))
  assert.match(await asked(world, `${signed}@${OTHER}`), /^250/, 'its mail is still reported about')
  assert.match(await asked(world, `bob@${OTHER}`), /^550 5\.7\.1/, 'nothing is relayed')
  assert.match(await asked(world, `${signed.slice(0, -1)}@${OTHER}`), /^550 5\.7\.1/, 'a signature still counts')
  assert.match(await asked(world, `${signed}@mx3.posthorn.test`), /^550 5\.7\.1/)
})

test('a host name that no process has had for a year is forgotten, and one in use is written once an hour at most', async () => {
  await using world = await startWorld({ settings: { POSTHORN_ROLES: 'api' } })
  const { database } = world.rooms
  const used = async (name: string): Promise<number | undefined> =>
    (await database.system.query<{ used_at: Date }>(USED, [name]))[0]?.used_at.getTime()
  const former = processOf(database, OTHER)
  await former.service.start()
  await former.service.stop(AbortSignal.timeout(1_000))
  const first = await used(OTHER)
  await former.service.start()
  await former.service.stop(AbortSignal.timeout(1_000))
  assert.equal(await used(OTHER), first)
  const present = processOf(database, 'mail.posthorn.test')
  await present.service.start()
  assert.ok(present.isOurs(OTHER))
  await present.service.stop(AbortSignal.timeout(1_000))
  await database.system.execute(AGE, [OTHER])
  // As when the clock has just jumped ahead by a year: nothing is deleted for its age before it has stood for a day.
  await present.service.start()
  await present.service.stop(AbortSignal.timeout(1_000))
  assert.ok(present.isOurs(OTHER))
  await forgetHostnames(database.system, new Date())
  await present.service.start()
  await present.service.stop(AbortSignal.timeout(1_000))
  assert.deepEqual([present.isOurs(OTHER), present.isOurs('Mail.Posthorn.Test')], [false, true])
  assert.equal(await used(OTHER), undefined)
})
