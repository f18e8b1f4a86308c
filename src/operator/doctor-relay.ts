// Checks whether the relay would accept our mail, from each of our source addresses. It sends nothing.

import type { Config } from '../config.ts'
import { askRelay, type Relay, type RelayAnswer } from '../modules/delivery/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Resolver } from '../platform/dns.ts'
import { type CheckResult, fail, ok, warn } from './finding.ts'

export interface RelayCheckOptions {
  readonly config: Config
  readonly relay: Relay
  readonly resolver: Resolver
  readonly clock: Clock
  /** An address whose mail the relay has to pass on. */
  readonly recipient: string
}

type KeptOut = Extract<RelayAnswer, { readonly kind: 'keeps us out' }>

export async function relayTaking({
  config,
  relay,
  resolver,
  clock,
  recipient,
}: RelayCheckOptions): Promise<CheckResult> {
  const { hostname, sourceIps } = config
  const sender = `postmaster@${hostname}`
  const answers = await askRelay({ relay, resolver, clock, ehloName: hostname, sourceIps, sender, recipient })
  const where = ({ sourceIp }: RelayAnswer): string =>
    `${relay.host} port ${relay.port}${sourceIp === null ? '' : ` from ${sourceIp}`}`
  const out = answers.find((answer) => answer.kind === 'keeps us out')
  if (out !== undefined) return fail(`${where(out)}: ${out.response}`, advice(out, relay))
  const no = answers.find((answer) => answer.kind === 'declines')
  if (no !== undefined) {
    const asked = `the relay was asked about mail from ${sender} to ${recipient}`
    return warn(`${where(no)}: ${no.response}`, `${asked}: check whether it refuses only that, or all your mail`)
  }
  const [first] = answers
  const tls = first?.kind === 'takes mail' ? first.tls : null
  const how =
    tls === null ? 'without TLS' : `${tls.version}, certificate ${tls.verified === 'none' ? 'not ' : ''}verified`
  return ok(`${relay.host} port ${relay.port} accepts mail (${how}${relay.username === null ? '' : ', logged in'})`)
}

function advice({ at, response }: KeptOut, { username, tls }: Relay): string {
  if (response.includes('EADDRNOTAVAIL')) return 'see the source addresses check'
  switch (at) {
    case 'connection':
      return 'check POSTHORN_DELIVERY, whether the relay is up, and any firewall in between. Mail waits until the relay answers'
    case 'tls':
      return `set POSTHORN_RELAY_TLS to what this port supports; it is ${tls === 'offered' ? 'not set: STARTTLS if offered' : tls} now`
    case 'log-in':
      return 'check POSTHORN_RELAY_USER and POSTHORN_RELAY_PASSWORD. The password is sent only over TLS, or with POSTHORN_RELAY_TLS=off'
    case 'relaying':
      return username === null
        ? 'set POSTHORN_RELAY_USER and POSTHORN_RELAY_PASSWORD, or configure the relay to accept mail from this machine without a login'
        : 'configure the relay to let this user send from this machine'
  }
}
