// Every view has a URL that can be shared: filters are in its query.

import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { PageFailed, pageFile } from './page-files.tsx'
import { Overview } from './pages/overview.tsx'
import { Frame } from './shell/frame.tsx'
import { NotFound } from './shell/not-found.tsx'
import { parseSearch, type Search, stringifySearch } from './ui/search.ts'

const root = createRootRoute({ component: Frame, notFoundComponent: NotFound })

const readSearch = (given: Record<string, unknown>): Search =>
  Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'number' ? [[name, String(value)]] : [],
    ),
  )

const page = (path: string, load: () => Promise<Record<string, unknown>>, name: string) =>
  createRoute({
    getParentRoute: () => root,
    path,
    validateSearch: readSearch,
    component: lazyRouteComponent(load as never, name),
    // Secrets, errors, questions and drafts of one thing are never shown with another.
    remountDeps: ({ params }) => params,
  })

const emails = pageFile(() => import('./pages/emails.tsx'))
const email = pageFile(() => import('./pages/email.tsx'))
const events = pageFile(() => import('./pages/events.tsx'))
const inbox = pageFile(() => import('./pages/inbox.tsx'))
const domains = pageFile(() => import('./pages/domains.tsx'))
const contacts = pageFile(() => import('./pages/contacts.tsx'))
const erasures = pageFile(() => import('./pages/erasures.tsx'))
const lists = pageFile(() => import('./pages/lists.tsx'))
const webhooks = pageFile(() => import('./pages/webhooks.tsx'))
const templates = pageFile(() => import('./pages/templates.tsx'))
const keys = pageFile(() => import('./pages/keys.tsx'))
const build = pageFile(() => import('./pages/build.tsx'))
const validation = pageFile(() => import('./pages/validation.tsx'))
const risk = pageFile(() => import('./pages/risk.tsx'))
const check = pageFile(() => import('./pages/check.tsx'))
const settings = pageFile(() => import('./pages/settings.tsx'))
const operatorAccounts = pageFile(() => import('./pages/operator-accounts.tsx'))
const setUp = pageFile(() => import('./shell/set-up.tsx'))
const operatorInstance = pageFile(() => import('./pages/operator-instance.tsx'))

const tree = root.addChildren([
  createRoute({ getParentRoute: () => root, path: '/', validateSearch: readSearch, component: Overview }),
  page('/emails', emails, 'Emails'),
  page('/emails/$id', email, 'Email'),
  page('/events', events, 'Events'),
  page('/inbox', inbox, 'Inbox'),
  page('/inbox/$id', inbox, 'InboxMail'),
  page('/templates', templates, 'Templates'),
  page('/templates/$id', templates, 'Template'),
  page('/contacts', contacts, 'Contacts'),
  page('/contacts/erasures', erasures, 'Erasures'),
  page('/contacts/$id', contacts, 'Contact'),
  page('/domains', domains, 'Domains'),
  page('/domains/$id', domains, 'Domain'),
  page('/tracking-domains', domains, 'TrackingDomains'),
  page('/health', check, 'Health'),
  page('/suppressions', lists, 'Suppressions'),
  page('/unsubscribes', lists, 'Unsubscribes'),
  page('/bounces', lists, 'Bounces'),
  page('/validation', validation, 'Validation'),
  page('/risk', risk, 'Risk'),
  page('/webhooks', webhooks, 'Webhooks'),
  page('/webhooks/$id', webhooks, 'Webhook'),
  page('/keys', keys, 'Keys'),
  page('/keys/$id', keys, 'Key'),
  page('/smtp', build, 'Smtp'),
  page('/usage', build, 'Usage'),
  page('/settings', settings, 'Settings'),
  page('/setup', setUp, 'SetUp'),
  page('/operator/queues', operatorInstance, 'Queues'),
  page('/operator/machines', operatorInstance, 'Machines'),
  page('/operator/accounts', operatorAccounts, 'Accounts'),
  page('/operator/accounts/$id', operatorAccounts, 'Account'),
  page('/operator/plans', operatorAccounts, 'PlansPage'),
  page('/operator/log', operatorAccounts, 'OperatorLog'),
])

export const router = createRouter({
  routeTree: tree,
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: PageFailed,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
