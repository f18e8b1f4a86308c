// Aggregate reports (TLS-RPT, DMARC) as a receiver's mail server sends them to the MX of a full process.

import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import { createSigner, generateDkimKeys, sign } from '../../src/mail/authentication/dkim.ts'
import { statement } from '../../src/platform/db.ts'
import { smtpSession } from './submission.ts'
import type { World } from './world.ts'
import type { Zones } from './zones.ts'

const OUTCOMES = statement('test_report_outcomes', 'select kind, state, outcome from inbound_report order by id')
const LIMIT_MS = 60_000
const keys = await generateDkimKeys('ed25519')
const key = createPrivateKey(keys.privateKey)

/** The key record that reports are signed with. @param service as in `s=`; absent: none */
export function reporterKey(service?: string): { readonly TXT: readonly string[] } {
  return { TXT: [`v=DKIM1; k=ed25519; ${service === undefined ? '' : `s=${service}; `}p=${keys.publicKey}`] }
}

/** Zones with that record, as selector `k`, for some domains. */
export function reporterZones(domains: readonly string[], service?: string): Zones {
  return Object.fromEntries(domains.map((domain) => [`k._domainkey.${domain}`, reporterKey(service)]))
}

/** @returns the reply to the recipient where it is refused, else to the mail */
export async function sendReport(world: World, to: string, from: string, mail: string): Promise<string> {
  const session = await smtpSession(world.mxPort)
  try {
    await session.ask(`EHLO mx.${from.slice(from.indexOf('@') + 1)}`)
    await session.ask(`MAIL FROM:<${from}>`)
    const recipient = await session.ask(`RCPT TO:<${to}>`)
    if (!recipient.startsWith('250')) return recipient
    await session.ask('DATA')
    return await session.ask(`${mail}\r\n.`)
  } finally {
    session.close()
  }
}

/** Signs the mail as the domain's own mail server would. */
export async function signedReport(world: World, mail: string, domain: string, selector = 'k'): Promise<string> {
  const whole = `${mail}\r\n`
  const when = { signedAt: world.clock.now(), expiresAfterSeconds: 86_400 }
  return (await sign(Buffer.from(whole), [createSigner({ domain, selector, key })], when)).toString() + mail
}

/** The outcomes of all reports, once none of them waits. @param stepMs how far the clock moves at each look */
export async function reportOutcomes(world: World, stepMs = 100): Promise<readonly string[]> {
  for (const end = performance.now() + LIMIT_MS; performance.now() < end; ) {
    const rows = await world.rooms.database.system.query<{ state: number; outcome: string }>(OUTCOMES, [])
    if (rows.every(({ state }) => state > 0)) return rows.map(({ outcome }) => outcome)
    world.clock.advance(stepMs)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  return assert.fail('reports still wait')
}
