// Asks the product for its events and statistics through the API once all is quiet, and writes them into a ledger.

import { rmSync } from 'node:fs'
import type { Posthorn } from '../peers/posthorn.ts'
import type { Customer } from './generator.ts'
import { openLedger } from './ledger.ts'

const PAGE = 1_000

export async function survey(posthorn: Posthorn, customers: readonly Customer[], file: string): Promise<void> {
  rmSync(file, { force: true })
  const ledger = await openLedger(file)
  const written: Promise<void>[] = []
  for (const { name: account, key } of customers) {
    let cursor = ''
    do {
      const { body } = await posthorn.call(key, 'GET', `/api/v1/events?limit=${PAGE}${cursor}`)
      for (const { event_id: event, event: type, email_id: email = null, data } of body.data) {
        if (!String(type).startsWith('email.')) continue
        const { recipient: to = null, subject = null, user_agent: agent = null } = data
        written.push(ledger.write({ k: 'event', account, event, type, email, to, subject, agent }))
      }
      const next = body.pagination.next_cursor
      cursor = next === null ? '' : `&cursor=${next}`
    } while (cursor !== '')
    const today = new Date()
    const day = (offset: number): string => new Date(today.getTime() + offset * 86_400_000).toISOString().slice(0, 10)
    const span = `from_date=${day(-1)}&to_date=${day(1)}`
    const { body } = await posthorn.call(key, 'GET', `/api/v1/stats/outbound?${span}`)
    written.push(ledger.write({ k: 'statistics', account, data: body.data }))
  }
  await Promise.all(written)
  await ledger.close()
}

/** Number of mails without a final state. */
export async function unfinished(posthorn: Posthorn, customers: readonly Customer[]): Promise<number> {
  let total = 0
  for (const { key } of customers) {
    const { body } = await posthorn.call(key, 'GET', '/api/v1/emails?status=queued,deferred,scheduled&limit=1')
    total += body.pagination.total
  }
  return total
}
