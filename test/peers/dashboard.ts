// Shared by the dashboard's tests: the product with a browser, sign-in without the form, and faults that no page may have.

import { AxeBuilder } from '@axe-core/playwright'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { scratch } from './fixture.ts'
import { type Account, type Posthorn, startPosthorn } from './posthorn.ts'

const CHROMIUM = '/usr/bin/chromium'
const FLAGS =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync'

export interface Owner extends Account {
  readonly dashboard_password: string
  readonly email: string
}

export interface Visit extends AsyncDisposable {
  readonly page: Page
  readonly context: BrowserContext
  /** Script errors, policy violations, requests to other hosts, dialogs. Must stay empty. */
  readonly faults: readonly string[]
}

export interface Dashboard extends AsyncDisposable {
  readonly posthorn: Posthorn
  owner(options?: { readonly operator?: boolean }): Promise<Owner>
  /** Signed in through the API; null: signed out. Each visit has its own browser profile. */
  visit(who: Owner | null, options?: Parameters<Browser['newContext']>[0]): Promise<Visit>
  /** Opens a page, and waits until nothing is loading. */
  open(page: Page, where: string): Promise<void>
}

export async function startDashboard(name: string, settings: Record<string, string> = {}): Promise<Dashboard> {
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(await scratch(name)).path
  const posthorn = stack.use(await startPosthorn(folder, { POSTHORN_RATE_LIMITS: 'off', ...settings }))
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS.split(' ') })
  stack.defer(() => browser.close())
  const kept = stack.move()
  let owners = 0
  return {
    posthorn,
    owner: async ({ operator = false } = {}) => {
      const email = `person${++owners}@posthorn.test`
      const made = await posthorn.cli(
        ...['account', 'create', '--email', email, '--name', 'Post & Horn', '--plan', 'enterprise', '--json'],
      )
      if (operator) await posthorn.cli('operator', 'grant', email)
      return { ...(JSON.parse(made) as Owner), email }
    },
    visit: (who, options = {}) => visit(browser, posthorn.url, who, options),
    open: async (page, where) => {
      await page.goto(posthorn.url + where)
      await settled(page)
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** Waits until no skeleton is shown. The network is never idle, because a stream of events stays open. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor()
  await page.locator('.animate-pulse').first().waitFor({ state: 'detached' })
}

async function visit(
  browser: Browser,
  url: string,
  who: Owner | null,
  options: Parameters<Browser['newContext']>[0],
): Promise<Visit> {
  const context = await browser.newContext(options)
  if (who !== null) {
    const answer = await context.request.post(`${url}/api/v1/session`, {
      data: { email: who.email, password: who.dashboard_password },
      headers: { origin: url, ...(options?.userAgent !== undefined && { 'user-agent': options.userAgent }) },
    })
    if (!answer.ok()) throw new Error(`signing in answered ${answer.status()}: ${await answer.text()}`)
  }
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(`${page.url()}: ${error.message}`))
  page.on('dialog', (dialog) => {
    faults.push(`${page.url()}: a dialog says ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    const { host, protocol } = new URL(request.url())
    // A frame sent to javascript: counts as a request too; it contacts nobody, and its effects would be noticed above.
    const asksNobody = ['data:', 'about:', 'blob:', 'javascript:'].includes(protocol)
    if (!asksNobody && host !== new URL(url).host) faults.push(`a request to ${request.url()}`)
  })
  // A request that the page's policy forbids is reported as failed: it never left the browser.
  page.on('requestfailed', (request) => {
    const at = faults.indexOf(`a request to ${request.url()}`)
    if (at !== -1 && /^csp$|BLOCKED_BY_CSP/.test(request.failure()?.errorText ?? '')) faults.splice(at, 1)
  })
  await page.exposeFunction('violated', (what: string) => faults.push(`${page.url()}: policy: ${what}`))
  await page.addInitScript({
    content: `if (window === window.top) document.addEventListener('securitypolicyviolation', (event) =>
      window.violated(event.violatedDirective + ' ' + event.blockedURI))`,
  })
  return { page, context, faults, [Symbol.asyncDispose]: () => context.close() }
}

/** @param rules only these; absent: all of axe's rules */
export async function seriousFaults(page: Page, rules?: string[]): Promise<readonly string[]> {
  const axe = new AxeBuilder({ page }).exclude('iframe')
  const all = axe.options({ rules: { 'target-size': { enabled: true } } })
  const { violations } = await (rules === undefined ? all : axe.withRules(rules)).analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${page.url()}: ${id}: ${nodes[0]?.html.slice(0, 200) ?? ''}`)
}
