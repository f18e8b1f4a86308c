// The operator's relay: its addresses, how we connect to it, and whether it accepts our mail.

import { isIP, isIPv6 } from 'node:net'
import { type OpenOptions, type Phase, SmtpConnection, type Timeouts, type TlsInfo } from '../../mail/smtp/client.ts'
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

/** @returns an empty list when the DNS returns no addresses */
export async function relayAddresses({ host }: Pick<Relay, 'host'>, resolver: Resolver): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host]
  if (host === 'localhost') return ['127.0.0.1', '::1']
  const answers = await Promise.all([resolver.a(host), resolver.aaaa(host)])
  return answers.flatMap((answer) => (answer.kind === 'found' ? answer.records : []))
}

type Answer =
  | { readonly kind: 'takes mail'; readonly tls: TlsInfo | null }
  /** The relay rejects us, whatever the mail. */
  | {
      readonly kind: 'keeps us out'
      readonly at: 'connection' | 'tls' | 'log-in' | 'relaying'
      readonly response: string
    }
  /** The relay rejects the given sender or recipient. */
  | { readonly kind: 'declines'; readonly response: string }

/** `sourceIp`: our address that the question came from; null: the system's choice. */
export type RelayAnswer = Answer & { readonly sourceIp: string | null }

export interface RelayQuestion {
  readonly relay: Relay
  readonly resolver: Resolver
  readonly clock: Clock
  readonly ehloName: string
  readonly sourceIps: readonly string[]
  readonly sender: string
  readonly recipient: string
}

const STEP_WITHIN_MS = 20_000
const STEPS = ['connect', 'tls', 'banner', 'ehlo', 'auth', 'mail', 'rcpt'] as const
const ASKING: Partial<Timeouts> = Object.fromEntries(STEPS.map((step) => [step, STEP_WITHIN_MS]))
const MAX_ADDRESSES = 4

/**
 * Asks the relay whether it would take a mail, without sending one. Gives one answer for each of our addresses of a family that
 * the relay has; with no such address, one answer for the system's choice.
 */
export async function askRelay(question: RelayQuestion): Promise<readonly RelayAnswer[]> {
  const known = await relayAddresses(question.relay, question.resolver)
  const able = question.sourceIps.filter((source) => ofFamily(known, source).length > 0)
  const sources = able.length === 0 ? [null] : able
  return Promise.all(sources.map((source) => askFrom(source, ofFamily(known, source), question)))
}

function ofFamily(addresses: readonly string[], source: string | null): readonly string[] {
  return addresses.filter((ip) => source === null || isIPv6(ip) === isIPv6(source))
}

/** Asks the first address that answers. */
async function askFrom(
  sourceIp: string | null,
  addresses: readonly string[],
  question: RelayQuestion,
): Promise<RelayAnswer> {
  const response = `${question.relay.host} has no address`
  let last: Answer = { kind: 'keeps us out', at: 'connection', response }
  for (const ip of addresses.slice(0, MAX_ADDRESSES)) {
    last = await askAt(ip, sourceIp, question)
    if (last.kind !== 'keeps us out' || last.at !== 'connection') break
  }
  return { ...last, sourceIp }
}

async function askAt(
  ip: string,
  sourceIp: string | null,
  { relay, clock, ehloName, sender, recipient }: RelayQuestion,
): Promise<Answer> {
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
    const response = opened.kind === 'refused' ? opened.reply.text : opened.fault.message
    return { kind: 'keeps us out', at: hindrance(opened.phase, opened.kind === 'refused'), response }
  }
  const { connection } = opened
  const outcome = await connection.probe(recipient, sender)
  await connection.quit()
  if (outcome.kind === 'failed') return { kind: 'keeps us out', at: 'connection', response: outcome.fault.message }
  const response = outcome.reply.text
  const verdict = relayVerdict(outcomeVerdict(outcome))
  if (verdict.kind === 'delivered') return { kind: 'takes mail', tls: connection.tls }
  if (verdict.kind === 'deferred' && verdict.cause === 'connection')
    return { kind: 'keeps us out', at: 'relaying', response }
  return { kind: 'declines', response }
}

function hindrance(phase: Phase, isAnswer: boolean): 'connection' | 'tls' | 'log-in' | 'relaying' {
  if (phase === 'auth') return 'log-in'
  if (phase === 'starttls' || phase === 'tls') return 'tls'
  return isAnswer ? 'relaying' : 'connection'
}
