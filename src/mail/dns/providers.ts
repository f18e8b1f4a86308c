// Identifies the provider that runs a domain's mail exchangers by their host names. The tier rates how far its acceptance of
// an address can be trusted: tier_1 are the four largest, which check mailboxes at RCPT; tier_2 are other mailbox providers
// and gateways; tier_3 is a host of the domain's own; everything else is unknown.
//
// `probed` is false for providers whose reply to RCPT proves nothing, or that penalise the source of a probe: Yahoo defers
// and blocks; the gateways accept first, filter later, and blocklist probing hosts.

import { getDomain } from 'tldts'

export type ProviderName =
  | 'google'
  | 'microsoft'
  | 'yahoo'
  | 'apple'
  | 'proton'
  | 'zoho'
  | 'fastmail'
  | 'gmx'
  | 'yandex'
  | 'mailru'
  | 'mimecast'
  | 'proofpoint'
  | 'barracuda'
  | 'cisco'
  | 'amazon'
  | 'cloudflare'
  | 'self_hosted'
  | 'unknown'

export type Tier = 'tier_1' | 'tier_2' | 'tier_3' | 'unknown'

export interface Provider {
  readonly name: ProviderName
  readonly tier: Tier
  readonly probed: boolean
}

/** Providers by host name suffix, matched label by label. */
const ENDS: readonly (readonly [ProviderName, Tier, boolean, readonly string[]])[] = [
  ['google', 'tier_1', true, ['google.com', 'googlemail.com', 'smtp.goog']],
  [
    'microsoft',
    'tier_1',
    true,
    ['protection.outlook.com', 'mx.microsoft', 'olc.protection.outlook.com', 'hotmail.com'],
  ],
  ['yahoo', 'tier_1', false, ['yahoodns.net', 'yahoo.com', 'yahoo.co.jp', 'mx.aol.com']],
  ['apple', 'tier_1', true, ['mail.icloud.com', 'apple.com']],
  ['proton', 'tier_2', true, ['protonmail.ch', 'proton.ch', 'proton.me']],
  [
    'zoho',
    'tier_2',
    true,
    ['zoho.com', 'zoho.eu', 'zoho.in', 'zoho.com.au', 'zoho.jp', 'zohomail.com', 'zohocloud.ca'],
  ],
  ['fastmail', 'tier_2', true, ['messagingengine.com', 'fastmail.com']],
  ['gmx', 'tier_2', true, ['gmx.net', 'gmx.com', 'web.de', 'mail.com', 'kundenserver.de', 'ionos.com', 'ionos.de']],
  ['yandex', 'tier_2', true, ['yandex.ru', 'yandex.net', 'yandex.com']],
  ['mailru', 'tier_2', true, ['mail.ru']],
  ['mimecast', 'tier_2', false, ['mimecast.com', 'mimecast.co.za', 'mimecast-offshore.com']],
  ['proofpoint', 'tier_2', false, ['pphosted.com', 'ppe-hosted.com', 'proofpoint.com', 'gpphosted.com']],
  ['barracuda', 'tier_2', false, ['barracudanetworks.com', 'cuda-inc.com', 'barracuda.com']],
  ['cisco', 'tier_2', true, ['iphmx.com', 'cisco.com', 'ironport.com']],
  ['amazon', 'tier_2', true, ['amazonaws.com', 'awsapps.com', 'amazon-smtp.amazon.com', 'amazonses.com']],
  ['cloudflare', 'tier_2', true, ['mx.cloudflare.net']],
]

const BY_END = new Map(
  ENDS.flatMap(([name, tier, probed, ends]) => ends.map((end) => [end, { name, tier, probed }] as const)),
)

export const UNKNOWN_PROVIDER: Provider = { name: 'unknown', tier: 'unknown', probed: true }

/**
 * @param domain of the address, as A-labels
 * @param hosts its mail exchangers in order of preference
 */
export function providerOf(domain: string, hosts: readonly string[]): Provider {
  for (const host of hosts) {
    for (let end = host; end.includes('.'); end = end.slice(end.indexOf('.') + 1)) {
      const known = BY_END.get(end)
      if (known !== undefined) return known
    }
  }
  const own = registrable(domain)
  if (hosts.some((host) => registrable(host) === own)) return { name: 'self_hosted', tier: 'tier_3', probed: true }
  return UNKNOWN_PROVIDER
}

function registrable(name: string): string {
  return getDomain(name) ?? name.split('.').slice(-2).join('.')
}
