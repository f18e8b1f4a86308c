// The common ground of every scenario: DNS, receivers, the webhook endpoint, customers with verified domains and a webhook
// for every event, and later the clients and the readers. Each actor is a process with a ledger in the folder.

import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { waitFor } from '../peers/fixture.ts'
import type { Account, Posthorn, Reply } from '../peers/posthorn.ts'
import { type Actor, startActor } from './actor.ts'
import type { Customer } from './generator.ts'
import { writeZone, type Zone } from './zone.ts'

export interface Ground extends AsyncDisposable {
  readonly folder: string
  /** Environment variables for a Posthorn of this world. */
  readonly settings: Readonly<Record<string, string>>
  ledger(name: string): string
  /** Creates two customers, each with a domain, an endpoint and tracking. */
  customers(posthorn: Posthorn): Promise<readonly (Customer & { readonly accountId: string })[]>
  clients(load: Load): Promise<void>
  readers(url: string, share: number): Promise<void>
  /** Ends the clients once their current requests are answered. */
  endClients(): Promise<void>
  endReaders(): Promise<void>
}

export interface Load {
  readonly urls: readonly string[]
  readonly submissions: readonly string[]
  readonly customers: readonly Customer[]
  readonly restSenders: number
  readonly smtpSenders: number
  readonly pauseMs: number
  readonly later?: number
  readonly answerWithinMs?: number
}

/** The addresses of the actors; the farm has its own. */
export interface Place {
  readonly host: string
  readonly farm: readonly string[]
}

const DOMAINS = Array.from({ length: 8 }, (_, n) => `d${n}.rx.test`)
const LOOPBACK: Place = { host: '127.0.0.1', farm: Array.from({ length: 8 }, (_, n) => `127.0.66.${n + 1}`) }

export async function startGround(folder: string, seed: number, place: Place = LOOPBACK): Promise<Ground> {
  const stack = new AsyncDisposableStack()
  const ledger = (name: string): string => path.join(folder, `${name}.ledger`)
  const zoneFile = path.join(folder, 'zone.json')
  const secretsFile = path.join(folder, 'secrets.json')
  const zone: Record<string, Zone[string]> = { 'mail.posthorn.test A': [place.host] }
  for (const [n, domain] of DOMAINS.entries()) {
    zone[`${domain} MX`] = [`10 mx.${domain}`]
    zone[`mx.${domain} A`] = [place.farm[n % place.farm.length] ?? '']
  }
  writeZone(zoneFile, zone)
  const { host } = place
  const dns = stack.use(await startActor<{ server: string }>('dns', { ledger: ledger('dns'), zone: zoneFile, host }))
  const farm = stack.use(
    await startActor<{ port: number }>('farm', { ledger: ledger('farm'), zone: zoneFile, hosts: place.farm }),
  )
  const sink = stack.use(
    await startActor<{ port: number }>('sink', { ledger: ledger('sink'), secrets: secretsFile, host }),
  )
  let clients: Actor<object> | null = null
  let readers: Actor<object> | null = null

  const customer = async (posthorn: Posthorn, name: string): Promise<Customer & { readonly accountId: string }> => {
    const account: Account = await posthorn.account(name)
    const call = async (method: string, where: string, body?: unknown): Promise<Reply> => {
      const reply = await posthorn.call(account.api_key, method, where, body)
      if (reply.status >= 300) throw new Error(`${method} ${where}: ${reply.status} ${JSON.stringify(reply.body)}`)
      return reply
    }
    const made = await call('POST', '/api/v1/customer/domains', { domain: `${name}.test` })
    const place = `/api/v1/customer/domains/${made.body.data.id}`
    for (const record of (await call('GET', `${place}/dns`)).body.dns_records) {
      const { name: owner, type, value } = record as { name: string; type: string; value: string }
      zone[`${owner} ${type}`] = [value]
    }
    writeZone(zoneFile, zone)
    await waitFor('verification', async () => (await call('POST', `${place}/verify`)).body.verified === true)
    await call('PATCH', place, { tracking_enabled: true, unsubscribe_header_enabled: true })
    const url = `http://${host}:${sink.told.port}/${name}`
    const hook = await call('POST', '/api/v1/customer/webhooks', { url, events: ['*'] })
    secrets[name] = hook.body.data.secret
    writeFileSync(secretsFile, JSON.stringify(secrets))
    const { username, password } = (await call('POST', '/api/v1/smtp-credentials/rotate', {})).body
    return { name, key: account.api_key, username, password, accountId: account.account_id }
  }
  const secrets: Record<string, string> = {}

  return {
    folder,
    ledger,
    settings: {
      POSTHORN_DELIVERY: 'direct',
      POSTHORN_SMTP_PORT: String(farm.told.port),
      POSTHORN_DNS_SERVERS: dns.told.server,
      POSTHORN_HOSTNAME: 'mail.posthorn.test',
      POSTHORN_ALLOW_PRIVATE_NETWORKS: 'true',
      POSTHORN_RATE_LIMITS: 'off',
      POSTHORN_LOG_LEVEL: 'warn',
    },
    customers: async (posthorn) => [await customer(posthorn, 'alpha'), await customer(posthorn, 'beta')],
    clients: async (load) => {
      const settings = {
        ledger: ledger('generator'),
        seed,
        run: `r${seed}`,
        domains: DOMAINS,
        later: 0,
        answerWithinMs: 20_000,
        ...load,
      }
      clients = await startActor('generator', settings)
      stack.use(clients)
    },
    readers: async (url, share) => {
      readers = await startActor('clicker', { ledger: ledger('clicker'), farm: ledger('farm'), url, seed, share })
      stack.use(readers)
    },
    endClients: async () => clients?.end(),
    endReaders: async () => readers?.end(),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
