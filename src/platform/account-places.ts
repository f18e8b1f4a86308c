// Places for work of several accounts side by side. Some are kept for accounts that have none under way, so that one whose work
// takes long, such as asking a DNS that is silent, does not hold up the others.

export interface AccountPlaces {
  /** How much may begin now, and for which accounts not. A count of 0: nothing, until a place becomes free. */
  free(): { readonly count: number; readonly except: readonly string[] }
  /** @param work never rejects */
  take(accountId: string, work: Promise<void>): void
  /** Resolves when what is under way has ended. */
  over(): Promise<void>
}

export interface AccountPlacesOptions {
  readonly places: number
  /** Of these, kept for accounts that have none under way. */
  readonly kept: number
  /** The most that begin at once. */
  readonly together: number
  /** A place has become free. */
  readonly onFree: () => void
}

export function accountPlaces({ places, kept, together, onFree }: AccountPlacesOptions): AccountPlaces {
  /** What is under way, with the account of each. */
  const underWay = new Map<Promise<void>, string>()
  return {
    free: () => {
      const room = places - underWay.size
      const forAll = Math.min(together, Math.max(0, room - kept))
      if (forAll > 0) return { count: forAll, except: [] }
      return { count: Math.min(1, room), except: [...new Set(underWay.values())] }
    },
    take: (accountId, work) => {
      const one = work.finally(() => {
        underWay.delete(one)
        onFree()
      })
      underWay.set(one, accountId)
    },
    over: async () => {
      await Promise.all(underWay.keys())
    },
  }
}
