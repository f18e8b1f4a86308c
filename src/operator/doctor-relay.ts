// Whether the relay would take our mail, from each address that we send from. Nothing is sent.

import type { Config } from '../config.ts'
import { askRelay, type Relay, type RelayAnswer } from '../modules/delivery/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Resolver } from '../platform/dns.ts'
import { fail, ok, type Told, warn } from './finding.ts'

export interface RelayCheckOptions {
  readonly config: Config
  readonly relay: Relay
  readonly resolver: Resolver
  readonly clock: Clock
  /** Somebody whose mail the relay does not keep itself. */
  readonly recipient: string
}

type KeptOut = Extract<RelayAnswer, { readonly kind: 'keeps us out' }>

export async function relayTaking({ config, relay, resolver, clock, recipient }: RelayCheckOptions): Promise<Told> {
  const { hostname, sourceIps } = config
  const sender = `postmaster@${hostname}`
  const answers = await askRelay({ relay, resolver, clock, ehloName: hostname, sourceIps, sender, recipient })
  const where = ({ sourceIp }: RelayAnswer): string =>
    `${relay.host} port ${relay.port}${sourceIp === null ? '' : ` from ${sourceIp}`}`
  const out = answers.find((answer) => answer.kind === 'keeps us out')
  if (out !== undefined) return fail(`${where(out)}: ${out.said}`, advice(out, relay))
  const no = answers.find((answer) => answer.kind === 'declines')
  if (no !== undefined) {
    const asked = `it was asked about mail of ${sender} to ${recipient}`
    return warn(`${where(no)}: ${no.said}`, `${asked}; see whether it means all of yours`)
  }
  const [first] = answers
  const tls = first?.kind === 'takes mail' ? first.tls : null
  const how =
    tls === null ? 'without TLS' : `${tls.version}, certificate ${tls.verified === 'none' ? 'not ' : ''}verified`
  return ok(`${relay.host} port ${relay.port} takes mail (${how}${relay.username === null ? '' : ', logged in'})`)
}

function advice({ at, said }: KeptOut, { username, tls }: Relay): string {
  if (said.includes('EADDRNOTAVAIL')) return 'see source addresses'
  switch (at) {
    case 'connection':
      return 'mail waits until it answers: see POSTHORN_DELIVERY, whether the relay is up, and whether a firewall lies between'
    case 'tls':
      return `POSTHORN_RELAY_TLS is ${tls === 'offered' ? 'not set: STARTTLS where it is offered' : tls}; it must be what this port speaks`
    case 'log-in':
      return 'see POSTHORN_RELAY_USER and POSTHORN_RELAY_PASSWORD; the password is sent inside TLS, or with POSTHORN_RELAY_TLS=off'
    case 'relaying':
      return username === null
        ? 'set POSTHORN_RELAY_USER and POSTHORN_RELAY_PASSWORD, or have the relay let this machine send'
        : 'have the relay let this user send from this machine'
  }
}
