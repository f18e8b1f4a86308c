// What an event changes on the pages: the answers it touches are read again, those that are on the screen at once, the
// others when they are next looked at. A busy account has hundreds of events a second, so they are gathered for a second;
// figures and lists that other parts of the service write from the same events come a moment later, and are read twice.

import { queries } from './api.ts'
import type { LiveEvent } from './live.ts'

const GATHER_MS = 1_000
const LATER_MS = 2_500

const TOUCHED: Readonly<Record<string, readonly string[]>> = {
  email: ['/emails', '/events?', '/inbox', '/stats/outbound'],
  'email.bounced': ['/customer/bounces', '/customer/suppressions'],
  'email.complained': ['/customer/bounces', '/customer/suppressions'],
  'email.unsubscribed': ['/customer/unsubscribes'],
  domain: ['/customer/domains', '/customer/tracking-domains'],
  suppression: ['/customer/suppressions'],
  contact: ['/customer/contacts'],
  health: ['/customer/health-score'],
}
const ONE_EMAIL = /^\/emails\/([0-9a-f-]{36})/

/** Takes events one by one. */
export function refresher(): (event: LiveEvent) => void {
  let paths = new Set<string>()
  let emails = new Set<string>()
  let waiting = false
  const flush = (): void => {
    const [told, of] = [paths, emails]
    ;[paths, emails, waiting] = [new Set(), new Set(), false]
    const readAgain = (): void =>
      void queries.invalidateQueries({ predicate: ({ queryKey: [key] }) => touches(String(key), told, of) })
    readAgain()
    setTimeout(readAgain, LATER_MS)
  }
  return ({ event, email_id: emailId }) => {
    for (const path of [...(TOUCHED[event.split('.')[0] ?? ''] ?? []), ...(TOUCHED[event] ?? [])]) paths.add(path)
    if (emailId !== undefined) emails.add(emailId)
    if (waiting) return
    waiting = true
    setTimeout(flush, GATHER_MS)
  }
}

function touches(key: string, paths: ReadonlySet<string>, emails: ReadonlySet<string>): boolean {
  const [, id] = ONE_EMAIL.exec(key) ?? []
  if (id !== undefined) return emails.has(id)
  return [...paths].some((path) => key.startsWith(path))
}
