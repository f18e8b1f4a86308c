// The location of the dashboard's build, and the addresses of its views (those of dashboard/src/router.tsx). A checkout without
// a build has the plain inbox page instead.

import path from 'node:path'
import { arePagesBuilt } from './platform/http/dashboard-files.ts'

const FOLDER = path.join(import.meta.dirname, '../dashboard/dist')

const ADDRESSES: readonly string[] = [
  '/',
  ...['emails', 'inbox', 'domains', 'templates', 'webhooks', 'keys', 'contacts'].flatMap((name) => [
    `/${name}`,
    `/${name}/:id`,
  ]),
  ...['events', 'tracking-domains', 'health', 'suppressions', 'unsubscribes', 'bounces'].map((name) => `/${name}`),
  ...['validation', 'risk', 'smtp', 'usage', 'settings', 'setup'].map((name) => `/${name}`),
  ...['queues', 'accounts', 'accounts/:id', 'machines', 'plans', 'log'].map((name) => `/operator/${name}`),
]

export interface DashboardPages {
  readonly folder: string
  /** The addresses of the views, in Fastify's form. */
  readonly addresses: readonly string[]
}

/** Null when the dashboard was not built. */
export function dashboardPages(): DashboardPages | null {
  return arePagesBuilt(FOLDER) ? { folder: FOLDER, addresses: ADDRESSES } : null
}
