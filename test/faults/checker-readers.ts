// Checks the readers: each answered fetch is exactly one event, a fetch without an answer at most one, and a recipient who
// has unsubscribed gets no more mail.

import type { Fault } from './checker.ts'
import type { Case, Ledgers, Survey, ToldEvent } from './joined.ts'

/** A mail that arrives this soon after an unsubscribe was already on its way. */
const ON_ITS_WAY_MS = 5_000
const TYPES: Readonly<Record<string, readonly [type: string, status: number]>> = {
  open: ['email.opened', 200],
  click: ['email.clicked', 302],
}

export function readersFaults(cases: readonly Case[], ledgers: Ledgers, { events }: Survey): Fault[] {
  return [...hitFaults(ledgers, events), ...listFaults(cases, ledgers, events)]
}

function hitFaults({ clicker }: Ledgers, events: readonly ToldEvent[]): Fault[] {
  const told = new Map<string, number>()
  for (const { agent, type } of events) {
    const name = /reader-[\d-]+/.exec(agent ?? '')?.[0]
    if (name !== undefined) told.set(`${name} ${type}`, (told.get(`${name} ${type}`) ?? 0) + 1)
  }
  const faults: Fault[] = []
  const hits = new Set<string>()
  for (const { k, name, kind, status } of clicker) {
    const [type, answer] = TYPES[kind] ?? []
    if (k === 'hit') hits.add(name)
    if (k !== 'answered' || type === undefined) continue
    const count = told.get(`${name} ${type}`) ?? 0
    const wanted = status === answer ? count === 1 : count <= 1
    if (!wanted) faults.push({ rule: 'event', what: `${name} was answered ${status}: ${count} ${type}` })
    if (status !== null && status !== answer && status !== 503)
      faults.push({ rule: 'answer', what: `${name} (${kind}) was answered ${status}` })
  }
  for (const [name] of told) {
    const [reader = ''] = name.split(' ')
    if (!hits.has(reader)) faults.push({ rule: 'event', what: `${name} is an event of nobody` })
  }
  return faults
}

function listFaults(cases: readonly Case[], { clicker }: Ledgers, events: readonly ToldEvent[]): Fault[] {
  const accountOf = new Map(cases.map(({ id, account }) => [id, account]))
  const faults: Fault[] = []
  const left = clicker.filter(({ k, kind, status }) => k === 'answered' && kind === 'leave' && status === 200)
  for (const { t, id, to } of left) {
    const account = accountOf.get(id)
    const [address] = to as string[]
    const gone = events.filter(
      (event) => event.type === 'email.unsubscribed' && event.account === account && event.to === address,
    )
    if (gone.length !== 1) faults.push({ rule: 'event', what: `${address} left ${account}: ${gone.length} events` })
    for (const one of cases) {
      if (one.account !== account || one.to !== address) continue
      const late = one.copies.some((copy) => copy.t > t + ON_ITS_WAY_MS || (one.askedAt > t && copy.t > t))
      if (late) faults.push({ rule: 'list', what: `${one.id} came to ${address}, who had left ${account}` })
    }
  }
  return faults
}
