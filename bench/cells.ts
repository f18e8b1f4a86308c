// A simulation for `docs/scaling.md`: a day of email over cells, each an instance with its own PostgreSQL.
// Accounts have very different sizes; each lives in one cell. It shows how full the fullest cell gets at the peak, what it
// takes to place the accounts, and what happens when a cell is added.
//
//   npm run bench -- cells [--mails 1000000000] [--accounts 20000] [--cell 4000] [--largest 0.03] [--seed 1]
//
// `--cell`: emails a second that one cell is built for; docs/scaling.md has the calculation behind it. Nothing is sent.

import { commandLine } from './fixture-options.ts'

const asked = commandLine({ mails: 1_000_000_000, accounts: 20_000, cell: 4_000, largest: 0.03, seed: 1 })

const HOURS = 24
const HOUR_S = 3_600
/** How full the placement fills a cell at the overall peak. */
const FILL = 0.7
/** Load of each hour relative to the mean: an evening of marketing on top of a day of receipts. */
const DAY = Array.from({ length: HOURS }, (_, hour) => 0.35 + 1.65 * Math.exp(-(((hour - 17) / 4.5) ** 2)))

interface Account {
  readonly id: number
  readonly mailsADay: number
  /** The share of its day in each hour. */
  readonly hours: readonly number[]
}

let state = asked.seed >>> 0
/** A random number in [0, 1); the same seed gives the same day. */
function chance(): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
  return state / 2 ** 32
}

/** Sizes fall as 1 / rank (Zipf), with the largest capped at its share. Each account has an hour at which it sends most. */
function accountsOf(count: number, mails: number, largest: number): readonly Account[] {
  const raw = Array.from({ length: count }, (_, rank) => 1 / (rank + 1))
  const sum = raw.reduce((total, one) => total + one, 0)
  const capped = raw.map((one) => Math.min(one / sum, largest))
  const whole = capped.reduce((total, one) => total + one, 0)
  return capped.map((share, id) => {
    const best = Math.floor(chance() * HOURS)
    const own = DAY.map((load, hour) => load * (hour === best ? 2 : 1))
    const total = own.reduce((all, one) => all + one, 0)
    return { id, mailsADay: (share / whole) * mails, hours: own.map((one) => one / total) }
  })
}

/** Emails a second in each hour. */
type Load = Float64Array

function add(load: Load, { mailsADay, hours }: Account, sign = 1): void {
  for (const [hour, share] of hours.entries()) load[hour] = (load[hour] ?? 0) + (sign * mailsADay * share) / HOUR_S
}

const peak = (load: Load): number => load.reduce((most, one) => Math.max(most, one), 0)

/** Places each account, the largest first, into the cell whose peak is lowest: possible with a directory of accounts. */
function placed(accounts: readonly Account[], cells: number): { readonly loads: Load[]; readonly cellOf: number[] } {
  const loads = Array.from({ length: cells }, () => new Float64Array(HOURS))
  const cellOf: number[] = []
  for (const account of accounts) {
    const best = loads.reduce((least, load, cell) => (peak(load) < peak(loads[least] as Load) ? cell : least), 0)
    add(loads[best] as Load, account)
    cellOf[account.id] = best
  }
  return { loads, cellOf }
}

/** Places each account by a hash, which needs no directory. */
function hashed(accounts: readonly Account[], cells: number): Load[] {
  const loads = Array.from({ length: cells }, () => new Float64Array(HOURS))
  for (const account of accounts) add(loads[(Math.imul(account.id + 1, 2_654_435_761) >>> 0) % cells] as Load, account)
  return loads
}

/** Moves accounts from the fullest cell to the new one until it is no longer the emptiest. @returns the share of mail moved */
function moved(
  accounts: readonly Account[],
  loads: Load[],
  cellOf: number[],
): { readonly share: number; readonly count: number } {
  const fresh = loads.push(new Float64Array(HOURS)) - 1
  const total = accounts.reduce((sum, { mailsADay }) => sum + mailsADay, 0)
  const target = loads.reduce((sum, load) => sum + peak(load), 0) / loads.length
  let mails = 0
  let count = 0
  // Small ones first: they move quickly, and many small ones fill the cell as well as a large one.
  for (const account of [...accounts].reverse()) {
    if (peak(loads[fresh] as Load) >= target) break
    const from = cellOf[account.id] ?? 0
    if (from === fresh || peak(loads[from] as Load) <= target) continue
    add(loads[from] as Load, account, -1)
    add(loads[fresh] as Load, account)
    cellOf[account.id] = fresh
    mails += account.mailsADay
    count++
  }
  return { share: mails / total, count }
}

const { mails, cell: perCell } = asked
const accounts = accountsOf(asked.accounts, mails, asked.largest)
const whole = new Float64Array(HOURS)
for (const account of accounts) add(whole, account)
const cells = Math.max(1, Math.ceil(peak(whole) / (perCell * FILL)))
const { loads, cellOf } = placed(accounts, cells)
const byHash = hashed(accounts, cells)
const fullest = (all: readonly Load[]): number => Math.max(...all.map(peak))
const table: Record<string, string | number> = {
  'mails a day': mails,
  accounts: accounts.length,
  'mean, mails a second': Math.round(mails / (HOURS * HOUR_S)),
  'peak, mails a second': Math.round(peak(whole)),
  'largest account, its peak': Math.round(
    Math.max(...accounts.map((one) => (Math.max(...one.hours) * one.mailsADay) / HOUR_S)),
  ),
  cells,
  'fullest cell, placed': `${Math.round(fullest(loads))} (${Math.round((100 * fullest(loads)) / perCell)} %)`,
  'fullest cell, by hash': `${Math.round(fullest(byHash))} (${Math.round((100 * fullest(byHash)) / perCell)} %)`,
  'share of the mail that one cell holds': `${((100 * Math.max(...loads.map((load) => load.reduce((a, b) => a + b, 0)))) / whole.reduce((a, b) => a + b, 0)).toFixed(1)} %`,
}
const { share, count } = moved(accounts, loads, cellOf)
table['one cell more: accounts moved'] = `${count} (${(100 * share).toFixed(1)} % of the mail)`
table['and the fullest cell then'] = `${Math.round(fullest(loads))} (${Math.round((100 * fullest(loads)) / perCell)} %)`
console.log(JSON.stringify(table))
console.table(table)
