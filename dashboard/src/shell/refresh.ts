// Refreshes pages after events: affected queries are refetched, visible ones at once and the others when they are next shown. A
// busy account has hundreds of events a second, so they are collected for a second. Figures and lists that the service derives
// from the same events a moment later are refetched twice.

import { queries } from '../api/api.ts'
import type { LiveEvent } from '../api/event-stream.ts'

const GATHER_MS = 1_000
const LATER_MS = 2_500

/** The log of all events. */
const LOG = '/events?'

const TOUCHED: Readonly<Record<string, readonly string[]>> = {
  email: ['/emails', '/inbox', '/stats/outbound'],
  'email.bounced': ['/customer/bounces', '/customer/suppressions'],
  'email.complained': ['/customer/bounces', '/customer/suppressions'],
  'email.unsubscribed': ['/customer/unsubscribes'],
  domain: ['/customer/domains', '/customer/tracking-domains'],
  suppression: ['/customer/suppressions'],
  contact: ['/customer/contacts'],
  health: ['/customer/health-score'],
}
const ONE_EMAIL = /^\/emails\/([0-9a-f-]{36})/

/** Receives events one by one. */
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
    for (const path of [LOG, ...(TOUCHED[event.split('.')[0] ?? ''] ?? []), ...(TOUCHED[event] ?? [])]) paths.add(path)
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
