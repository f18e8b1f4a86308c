// A service in sandbox mode with a verified domain, for the tests of other vendors' clients.

import assert from 'node:assert/strict'
import { type Reply, startWorld, type World } from '../world/world.ts'

export const FROM = 'Shop <hello@shop.example>'

export interface VendorWorld extends World {
  /** An address that no other mail of the test has. */
  fresh(): string
  email(id: string): Promise<Reply['body']>
}

export async function startVendorWorld(): Promise<VendorWorld> {
  const world = await startWorld({ settings: { POSTHORN_DELIVERY: 'sandbox' } })
  await world.verifiedDomain('shop.example')
  let count = 0
  return {
    ...world,
    fresh: () => `reader${++count}@reader.example`,
    email: async (id) => {
      const reply = await world.api.get(`/api/v1/emails/${id}`)
      assert.equal(reply.status, 200, `${id} ${JSON.stringify(reply.body)}`)
      return reply.body.data
    },
  }
}
