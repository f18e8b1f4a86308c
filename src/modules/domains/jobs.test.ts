import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { ACCOUNT, HOUR_MS, OTHER, START, startDomains } from '../../../test/world/domains.ts'
import { statement } from '../../platform/db.ts'
import { createLogger } from '../../platform/log.ts'
import { recheckLoop } from './index.ts'

const WITHIN_MS = 10_000
const CROWD = 60

const fixture = await startDomains()
after(() => fixture[Symbol.asyncDispose]())

const COPIES = statement(
  'test_copy_domain',
  `insert into sending_domain (id, account_id, name, verification_token, dkim_selector, dkim_public_key, dkim_private_key,
     ed25519_public_key, ed25519_private_key, created_at, status_since, next_check_at)
   select gen_random_uuid(), account_id, 'd' || n || '.' || name, verification_token, dkim_selector, dkim_public_key, dkim_private_key,
     ed25519_public_key, ed25519_private_key, created_at, status_since, next_check_at
   from sending_domain, generate_series(1, $2) n where id = $1`,
)

test('while the DNS of one account is silent, the domains of the others are rechecked', async () => {
  const { addDomain, clock, database, domains, time } = fixture
  const silent = await addDomain('ours', 'silent.example')
  await database.system.execute(COPIES, [silent.id, CROWD])
  time.now = new Date(START.getTime() + 60_000)
  await addDomain('theirs', 'theirs.example')
  time.now = new Date(START.getTime() + HOUR_MS)

  const begun: string[] = []
  const reached = Promise.withResolvers<true>()
  const loop = recheckLoop({
    database,
    clock: { ...clock, monotonicMs: () => performance.now() },
    log: createLogger('silent'),
    domains: {
      ...domains,
      recheck: async ({ accountId }, signal) => {
        begun.push(accountId)
        if (accountId === OTHER) reached.resolve(true)
        else await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
        return null
      },
    },
  })
  await loop.start()
  const tooLate = setTimeout(WITHIN_MS, false, { ref: false })
  assert.ok(await Promise.race([reached.promise, tooLate]), 'the domain of the other account waits')
  await loop.stop(AbortSignal.timeout(WITHIN_MS))
  assert.equal(begun.filter((accountId) => accountId === ACCOUNT).length, 15)
})

test('rechecks that are due together begin a few at a time', async () => {
  const { addDomain, clock, database, domains, time } = fixture
  const one = await addDomain('ours', 'many.example')
  await database.system.execute(COPIES, [one.id, CROWD])
  time.now = new Date(time.now.getTime() + HOUR_MS)

  let begun = 0
  const loop = recheckLoop({
    database,
    clock,
    log: createLogger('silent'),
    domains: {
      ...domains,
      recheck: async () => {
        begun++
        loop.wake()
        return null
      },
    },
  })
  await loop.start()
  for (let turn = 1; turn <= 4; turn++) {
    for (let waited = 0; begun < turn * 5 && waited < WITHIN_MS; waited += 10) await setTimeout(10)
    for (let again = 0; again < 10; again++) {
      loop.wake()
      await setTimeout(1)
    }
    assert.equal(begun, turn * 5)
    time.monotonicMs += 250
  }
  await loop.stop(AbortSignal.timeout(WITHIN_MS))
})
