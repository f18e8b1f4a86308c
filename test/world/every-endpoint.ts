import { createAccount } from '../../src/modules/accounts/index.ts'
import { grantOperator } from '../../src/modules/accounts/operators.ts'
import type { World } from './world.ts'

/** Headers of a signed-in operator. Sent beside a key, they open every endpoint. */
export async function everyDoor({ operator, api }: World): Promise<Record<string, string>> {
  const email = 'operator@posthorn.test'
  const made = await createAccount(operator, { email, name: 'Operator' })
  await grantOperator(operator, { email, accountId: made.accountId, operator: true })
  const ours = { 'sec-fetch-site': 'same-origin' }
  const { headers } = await api.post('/api/v1/session', { email, password: made.dashboardPassword }, ours)
  return { ...ours, cookie: (headers.get('set-cookie') ?? '').split(';')[0] ?? '' }
}
