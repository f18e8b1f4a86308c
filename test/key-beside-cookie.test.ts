import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAccount } from '../src/modules/accounts/index.ts'
import { startWorld } from './world/world.ts'

const PROFILE = '/api/v1/customer/profile'

test('beside a key the cookie counts for nothing: not for its account, not for its page, and not when the key is wrong', async () => {
  await using world = await startWorld({ settings: { POSTHORN_ROLES: 'api' } })
  const email = 'ann@posthorn.test'
  const { accountId, dashboardPassword: password } = await createAccount(world.operator, { email, name: 'Ann' })
  const signedIn = await fetch(`${world.url}/api/v1/session`, {
    method: 'POST',
    headers: { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  })
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? assert.fail(await signedIn.text())
  const whose = async (method: string, headers: Record<string, string>): Promise<string> => {
    const body = method === 'PATCH' ? '{}' : null
    const answer = await fetch(`${world.url}${PROFILE}`, {
      method,
      headers: { 'content-type': 'application/json', cookie, ...headers },
      body,
    })
    const { data, code } = (await answer.json()) as { data?: { id: string }; code?: string }
    return data?.id ?? code ?? ''
  }
  const { apiKey, accountId: ofKey } = world.account
  for (const key of [{ 'x-api-key': apiKey }, { authorization: `Bearer ${apiKey}` }]) {
    assert.equal(await whose('GET', key), ofKey)
    assert.equal(await whose('PATCH', { ...key, origin: 'https://evil.example' }), ofKey)
  }
  assert.equal(await whose('GET', { 'x-api-key': 'ph_live_wrong' }), 'invalid_api_key')
  assert.equal(await whose('GET', { authorization: 'Basic YTpi' }), accountId, 'the log-in of a proxy is no key')
})
