import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Call, Gate, Principal } from '../../platform/http.ts'
import { admission } from './admission.ts'

const call = { headers: {}, ip: '192.0.2.1', principal: { domainIds: null } } as unknown as Pick<
  Call<never, never, never>,
  'headers' | 'ip' | 'principal'
>

/** The rights of a stream at each of these answers of the gate: a principal, or the status of its refusal. */
async function rightsAt(answers: readonly (Principal | number)[]): Promise<(Principal | null)[]> {
  const left = [...answers]
  const gate = {
    admit: async () => {
      const answer = left.shift()
      if (typeof answer === 'number') throw Object.assign(new Error('refused'), { status: answer })
      return answer
    },
  } as unknown as Gate
  const admitted = admission(gate, call)
  const rights = []
  while (left.length > 0) rights.push(await admitted())
  return rights
}

test('a stream keeps the rights known last while the gate cannot say, and loses them when it refuses', async () => {
  const bound = { domainIds: ['one'] } as unknown as Principal
  assert.deepEqual(await rightsAt([429, bound, 429, 503, 401]), [call.principal, bound, bound, bound, null])
  assert.deepEqual(await rightsAt([403]), [null])
})

test('an error without a status, as of a lost connection, takes no rights away', async () => {
  const admitted = admission({ admit: () => Promise.reject(new Error('lost')) } as unknown as Gate, call)
  assert.equal(await admitted(), call.principal)
})
