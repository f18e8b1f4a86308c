// Whether a browser asks or a program, where a view of the dashboard and another interface have the same address.

import type { IncomingMessage } from 'node:http'
import { isTyped } from './dashboard-files.ts'

/** Browsers request pages, and have cookies instead of keys. */
export function isBrowser(request: Pick<IncomingMessage, 'method' | 'url' | 'headers'>): boolean {
  return isTyped(request) && request.headers.authorization === undefined
}

/** For the router: tells a route for programs alone from the one without this constraint at the same address. */
export const BY_ASKER = {
  name: 'asker',
  storage: () => {
    const routes = new Map<string, never>()
    return {
      get: (asker: string) => routes.get(asker) ?? null,
      set: (asker: string, route: unknown) => void routes.set(asker, route as never),
    }
  },
  deriveConstraint: (request: Pick<IncomingMessage, 'method' | 'url' | 'headers'>) =>
    isBrowser(request) ? 'browser' : 'program',
}

/** For a route at the address of a view. */
export const FOR_PROGRAMS = { constraints: { [BY_ASKER.name]: 'program' } }
