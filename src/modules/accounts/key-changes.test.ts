import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fixture, log } from '../../../test/world/accounts-fixture.ts'
import { accountRoutes } from './routes.ts'

const KEYS = '/api/v1/customer/api-keys'

test('a change of a key holds at once where it was made, also without hearing of it from the database', async () => {
  await using home = await fixture((accounts, operator) =>
    accountRoutes({
      ...operator,
      accounts,
      log,
      submission: { host: 'mail.example.com', starttlsPorts: [2587], implicitTlsPorts: [2465] },
      onMoved: async () => () => undefined,
      ownedDomains: async () => new Set<string>(),
    }),
  )
  const deaf = await home.node({ deaf: true })
  const { apiKey: owner } = await home.account()
  const { key, id } = (await deaf.call('POST', KEYS, { key: owner, body: { name: 'k' } })).body.data
  const codeOf = async (secret: string): Promise<string | undefined> =>
    (await deaf.call('GET', KEYS, { key: secret })).body.code
  assert.equal(await codeOf(key), undefined)
  await deaf.call('PATCH', `${KEYS}/${id}`, { key: owner, body: { scopes: ['send'] } })
  assert.equal(await codeOf(key), 'insufficient_scope')
  const { key: next } = (await deaf.call('POST', `${KEYS}/${id}/rotate`, { key: owner })).body.data
  assert.equal(await codeOf(key), 'api_key_revoked')
  assert.equal(await codeOf(next), 'insufficient_scope')
  await deaf.call('DELETE', `${KEYS}/${id}`, { key: owner })
  assert.equal(await codeOf(next), 'api_key_revoked')
})
