// Verifies a domain as its owner would, and checks the signatures of its mail.

import assert from 'node:assert/strict'
import { Resolver } from 'node:dns/promises'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { type Bind, txt } from './bind.ts'
import { waitFor } from './fixture.ts'
import type { Posthorn } from './posthorn.ts'

/** Adds a domain, publishes its records exactly as given, and waits until it is verified. */
export async function verifiedDomain(posthorn: Posthorn, key: string, bind: Bind, domain: string): Promise<void> {
  const made = await posthorn.call(key, 'POST', '/api/v1/customer/domains', { domain })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const place = `/api/v1/customer/domains/${made.body.data.id}`
  const { body } = await posthorn.call(key, 'GET', `${place}/dns`)
  const records = body.dns_records as readonly { readonly host: string; readonly value: string }[]
  await bind.publish(
    domain,
    records.map(({ host, value }) => txt(host, value)),
  )
  await waitFor(
    'verification',
    async () => (await posthorn.call(key, 'POST', `${place}/verify`)).body.verified === true,
  )
}

/** Asserts that every message has a signature of the domain that mailauth verifies with the keys in this BIND. */
export async function assertSigned(messages: readonly Buffer[], bind: Bind, domain: string): Promise<void> {
  const resolver = new Resolver()
  resolver.setServers([bind.server])
  const resolve = (name: string): Promise<string[][]> => resolver.resolveTxt(name)
  for (const message of messages) {
    const { results } = await dkimVerify(message, { resolver: resolve })
    const said = JSON.stringify(results.map(({ signingDomain, status }) => [signingDomain, status]))
    assert.ok(
      results.some(({ status, signingDomain }) => status?.result === 'pass' && signingDomain === domain),
      `${said}\n${message.toString('latin1', 0, 4_000).split('\n\n', 1)[0]}`,
    )
  }
}
