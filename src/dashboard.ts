// The dashboard as the service knows it: where its build lies, and the addresses of its views (those of
// dashboard/src/router.tsx). A checkout in which it was not built has none, and the plain inbox page instead.

import path from 'node:path'
import { arePagesBuilt } from './platform/http/dashboard-files.ts'

const FOLDER = path.join(import.meta.dirname, '../dashboard/dist')

export const DASHBOARD_ADDRESSES: readonly string[] = [
  '/',
  ...['emails', 'inbox', 'domains', 'webhooks'].flatMap((name) => [`/${name}`, `/${name}/:id`]),
  ...['templates', 'contacts', 'tracking-domains', 'health', 'suppressions', 'unsubscribes', 'bounces'].map(
    (name) => `/${name}`,
  ),
  ...['validation', 'risk', 'keys', 'smtp', 'usage', 'settings'].map((name) => `/${name}`),
]

/** Null when it was not built. */
export function dashboardPages(): { readonly folder: string; readonly addresses: readonly string[] } | null {
  return arePagesBuilt(FOLDER) ? { folder: FOLDER, addresses: DASHBOARD_ADDRESSES } : null
}
