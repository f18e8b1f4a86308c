// Who may have how many requests under way. Pure.
//
// An endpoint has at most PER_ENDPOINT, an account PER_ACCOUNT, the process MAX_UNDER_WAY. One whose last attempt failed has
// PER_FAILING, and all such together have no more than a part of what the account and the process have: a receiver that
// takes 15 seconds to say nothing costs the others nothing. Slots go round the accounts one by one, and round the endpoints
// of each.

export const PER_ENDPOINT = 16
export const PER_ACCOUNT = 64
export const MAX_UNDER_WAY = 256
export const PER_FAILING = 2
export const FAILING_PER_ACCOUNT = 16
export const FAILING_UNDER_WAY = 64

export interface Candidate {
  readonly webhookId: string
  readonly accountId: string
  readonly failing: boolean
}

/** Requests under way. */
export interface UnderWay {
  readonly endpoint: (webhookId: string) => number
  readonly account: (accountId: string) => { readonly all: number; readonly failing: number }
  readonly process: { readonly all: number; readonly failing: number }
}

interface AccountShare {
  readonly endpoints: { readonly candidate: Candidate; slots: number; free: number }[]
  all: number
  failing: number
  turn: number
}

/** @returns how many deliveries to claim for each endpoint; none that would get 0 */
export function share(candidates: readonly Candidate[], underWay: UnderWay): ReadonlyMap<string, number> {
  const accounts = [...Map.groupBy(candidates, ({ accountId }) => accountId)].map(
    ([accountId, own]): AccountShare => ({
      endpoints: own.map((candidate) => ({
        candidate,
        slots: 0,
        free: (candidate.failing ? PER_FAILING : PER_ENDPOINT) - underWay.endpoint(candidate.webhookId),
      })),
      all: PER_ACCOUNT - underWay.account(accountId).all,
      failing: FAILING_PER_ACCOUNT - underWay.account(accountId).failing,
      turn: 0,
    }),
  )
  const left = {
    all: MAX_UNDER_WAY - underWay.process.all,
    failing: FAILING_UNDER_WAY - underWay.process.failing,
  }
  for (let given = true; given && left.all > 0; ) {
    given = false
    for (const account of accounts) given = giveOne(account, left) || given
  }
  const given = accounts.flatMap(({ endpoints }) => endpoints).filter(({ slots }) => slots > 0)
  return new Map(given.map(({ candidate, slots }) => [candidate.webhookId, slots]))
}

function giveOne(account: AccountShare, left: { all: number; failing: number }): boolean {
  if (account.all <= 0 || left.all <= 0) return false
  for (let tried = 0; tried < account.endpoints.length; tried++) {
    const one = account.endpoints[account.turn++ % account.endpoints.length]
    if (one === undefined || one.free <= 0) continue
    const { failing } = one.candidate
    if (failing && (account.failing <= 0 || left.failing <= 0)) continue
    one.slots++
    one.free--
    account.all--
    left.all--
    if (failing) {
      account.failing--
      left.failing--
    }
    return true
  }
  return false
}
