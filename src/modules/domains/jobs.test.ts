import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ACCOUNT, HOUR_MS, OTHER, START, startDomains } from '../../../test/domains.ts'
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
   select uuidv7(), account_id, 'd' || n || '.' || name, verification_token, dkim_selector, dkim_public_key, dkim_private_key,
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
  const reached = Promise.withResolvers<boolean>()
  const tooLate = setTimeout(reached.resolve, WITHIN_MS, false)
  const loop = recheckLoop({
    database,
    clock,
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
  assert.ok(await reached.promise, 'the domain of the other account waits')
  clearTimeout(tooLate)
  await loop.stop(AbortSignal.timeout(WITHIN_MS))
  assert.equal(begun.filter((accountId) => accountId === ACCOUNT).length, 15)
})
