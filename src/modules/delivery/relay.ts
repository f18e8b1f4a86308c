// The operator's relay: where it is, how we speak to it, and whether it lets us in.

import { isIP, isIPv6 } from 'node:net'
import { type OpenOptions, type Phase, SmtpConnection, type Timeouts, type TlsInfo } from '../../mail/smtp-client.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Resolver } from '../../platform/dns.ts'
import { relayVerdict } from './relay-verdict.ts'
import { outcomeVerdict } from './smtp-verdict.ts'

export interface Relay {
  readonly host: string
  readonly port: number
  readonly tls: 'off' | 'starttls' | 'implicit' | 'offered'
  readonly username: string | null
  readonly password: string | null
}

const RELAY_TLS = { off: 'off', starttls: 'required', implicit: 'implicit', offered: 'opportunistic' } as const

export function relayTerms({
  tls,
  username,
  password,
}: Relay): Pick<OpenOptions, 'tls'> & Pick<Partial<OpenOptions>, 'auth'> {
  return { tls: RELAY_TLS[tls], ...(username !== null && { auth: { username, password: password ?? '' } }) }
}

/** @returns none when the DNS tells none */
export async function relayAddresses({ host }: Pick<Relay, 'host'>, resolver: Resolver): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host]
  if (host === 'localhost') return ['127.0.0.1', '::1']
  const answers = await Promise.all([resolver.a(host), resolver.aaaa(host)])
  return answers.flatMap((answer) => (answer.kind === 'found' ? answer.records : []))
}

export type RelayAnswer =
  | { readonly kind: 'takes mail'; readonly tls: TlsInfo | null }
  /** What keeps us out, whatever the mail. */
  | { readonly kind: 'keeps us out'; readonly at: 'connection' | 'tls' | 'log-in' | 'relaying'; readonly said: string }
  /** It speaks of the sender or the recipient that were named. */
  | { readonly kind: 'declines'; readonly said: string }

export interface RelayQuestion {
  readonly relay: Relay
  readonly resolver: Resolver
  readonly clock: Clock
  readonly ehloName: string
  /** One of ours; null: the system's choice. */
  readonly sourceIp: string | null
  readonly sender: string
  readonly recipient: string
}

const STEP_WITHIN_MS = 20_000
const STEPS = ['connect', 'tls', 'banner', 'ehlo', 'auth', 'mail', 'rcpt'] as const
const ASKING: Partial<Timeouts> = Object.fromEntries(STEPS.map((step) => [step, STEP_WITHIN_MS]))
const MAX_ADDRESSES = 4

/** Whether it would take a mail, at the first of its addresses that answers; none is sent. */
export async function askRelay(question: RelayQuestion): Promise<RelayAnswer> {
  const { relay, resolver, sourceIp } = question
  const known = await relayAddresses(relay, resolver)
  const within = known.filter((ip) => sourceIp === null || isIPv6(ip) === isIPv6(sourceIp))
  let last: RelayAnswer = { kind: 'keeps us out', at: 'connection', said: `${relay.host} has no address to connect to` }
  for (const ip of within.slice(0, MAX_ADDRESSES)) {
    last = await askAt(ip, question)
    if (last.kind !== 'keeps us out' || last.at !== 'connection') break
  }
  return last
}

async function askAt(
  ip: string,
  { relay, clock, ehloName, sourceIp, sender, recipient }: RelayQuestion,
): Promise<RelayAnswer> {
  const { host, port } = relay
  const opened = await SmtpConnection.open({
    host,
    ip,
    port,
    ehloName,
    sourceIp,
    clock,
    timeouts: ASKING,
    ...relayTerms(relay),
  })
  if (opened.kind !== 'open') {
    const said = opened.kind === 'refused' ? opened.reply.text : opened.fault.message
    return { kind: 'keeps us out', at: hindrance(opened.phase, opened.kind === 'refused'), said }
  }
  const { connection } = opened
  const outcome = await connection.probe(recipient, sender)
  await connection.quit()
  if (outcome.kind === 'failed') return { kind: 'keeps us out', at: 'connection', said: outcome.fault.message }
  const said = outcome.reply.text
  const verdict = relayVerdict(outcomeVerdict(outcome))
  if (verdict.kind === 'delivered') return { kind: 'takes mail', tls: connection.tls }
  if (verdict.kind === 'deferred' && verdict.cause === 'connection')
    return { kind: 'keeps us out', at: 'relaying', said }
  return { kind: 'declines', said }
}

function hindrance(phase: Phase, isAnswer: boolean): 'connection' | 'tls' | 'log-in' | 'relaying' {
  if (phase === 'auth') return 'log-in'
  if (phase === 'starttls' || phase === 'tls') return 'tls'
  return isAnswer ? 'relaying' : 'connection'
}
