// The routes of this process. Domains whose hosts have the same names share one, and so do domains whose hosts had the same
// addresses at the last look-up. Quiet routes are forgotten when there are too many.

import type { RouteKeys } from './next-hops.ts'
import type { Route } from './route.ts'

export interface RouteTable {
  /** The route for these hosts; a new one when there is none. */
  routeOf(keys: RouteKeys): Route
  /** Gives back the mail that waits on any route. */
  release(): void
  /** Forgets all routes. */
  clear(): void
}

interface Known {
  readonly route: Route
  readonly names: string
  addresses: string
}

const MAX_ROUTES = 5_000

export function routeTable(newRoute: () => Route): RouteTable {
  /** All routes, by host names. */
  const routes = new Map<string, Known>()
  /** Routes by the addresses that their names had at the last look-up. */
  const routesAt = new Map<string, Known>()

  /** Forgets quiet routes to silent destinations first. */
  const forgetRoutes = (): void => {
    for (const known of routes.values()) if (known.route.quiet && !known.route.pace.proven) forgetRoute(known)
    if (routes.size < MAX_ROUTES) return
    for (const known of routes.values()) if (known.route.quiet) forgetRoute(known)
  }

  const forgetRoute = (known: Known): void => {
    routes.delete(known.names)
    leave(known)
  }

  const leave = (known: Known): void => {
    if (routesAt.get(known.addresses) === known) routesAt.delete(known.addresses)
  }

  const routeOf = ({ names, addresses }: RouteKeys): Route => {
    const named = routes.get(names)
    if (named !== undefined) {
      // Domains with other names use this route while they have the same addresses; they do not follow it to new ones.
      leave(named)
      named.addresses = addresses
      if (!routesAt.has(addresses)) routesAt.set(addresses, named)
      return named.route
    }
    const there = routesAt.get(addresses)
    if (there !== undefined) return there.route
    if (routes.size >= MAX_ROUTES) forgetRoutes()
    const made: Known = { route: newRoute(), names, addresses }
    routes.set(names, made)
    routesAt.set(addresses, made)
    return made.route
  }

  return {
    routeOf,
    release: () => {
      for (const { route } of routes.values()) route.release()
    },
    clear: () => {
      routes.clear()
      routesAt.clear()
    },
  }
}
