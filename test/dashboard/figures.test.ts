// The figures of the overview equal the number of entries in the lists they link to.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listBehind, mailsOf } from '../../dashboard/src/figures/figure-links.ts'
import { startWorld } from '../world/world.ts'

const LIMIT_MS = 20_000

// Each row: a figure, and its name in the report.
const FIGURES = [
  ['sent', 'sent', 6],
  ['delivered', 'delivered', 3],
  ['bounced', 'bounces', 3],
  ['complained', 'spam_complaints', 1],
] as const

test('the list behind each figure of the overview has as many entries as the figure says, with and without the sandbox', async () => {
  await using world = await startWorld()
  const { testApi } = world.account
  await world.verifiedDomain('shop.example')
  const mail = { from: 'a@shop.example', subject: 's', text: 't' }
  const ids = new Map<string, string>()
  // An email that is suppressed when its turn comes counts as sent; a scheduled one does not.
  for (const word of ['deliver', 'deliver+late', 'complain', 'bounce', 'bounce+more', 'suppress']) {
    const { status, body } = await testApi.post('/api/v1/send', { ...mail, to: `${word}@sandbox.test` })
    assert.equal(status, 202, JSON.stringify(body))
    ids.set(word, body.data.email_id)
  }
  const scheduled_at = new Date(world.clock.now().getTime() + 86_400_000).toISOString()
  await testApi.post('/api/v1/send', { ...mail, to: 'deliver@sandbox.test', scheduled_at })
  // This email counts as delivered, and as bounced once the report arrives.
  const report = async (): Promise<number> => {
    const recipient = 'deliver+late@sandbox.test'
    const late = { email_id: ids.get('deliver+late'), recipient, type: 'hard', smtp_code: 550 }
    return (await world.api.post('/api/v1/inbound/bounces', late)).status
  }
  const figuresOf = async (include_sandbox: boolean) =>
    (await world.api.get(`/api/v1/stats/outbound?include_sandbox=${include_sandbox}`)).body.data
  const until = async (what: string, is: () => Promise<boolean>): Promise<void> => {
    for (const end = performance.now() + LIMIT_MS; performance.now() < end; ) {
      if (await is()) return
      world.clock.advance(100)
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
    assert.fail(`${what}: ${JSON.stringify(await figuresOf(true))}`)
  }
  await until('what was sent is counted', async () => {
    const { delivered, bounces, suppressed } = await figuresOf(true)
    return delivered === 3 && bounces === 2 && suppressed === 1
  })
  assert.equal(await report(), 202)
  await until('the late bounce is counted', async () => (await figuresOf(true)).bounces === 3)

  const from_date = world.clock.now().toISOString().slice(0, 10)
  for (const include_sandbox of [true, false]) {
    const figures = await figuresOf(include_sandbox)
    for (const [name, counted, withSandbox] of FIGURES) {
      const { to, search } = listBehind(name, { from_date, domain_id: undefined, include_sandbox })
      const { from, ...filters } = search
      // The bounces page includes the sandbox unless its address says otherwise.
      const query = new URLSearchParams({ include_sandbox: 'true', ...filters, from: `${from}T00:00:00Z` } as never)
      const { body } = await world.api.get(`/api/v1${to === '/bounces' ? '/customer/bounces' : to}?${query}`)
      assert.equal(body.pagination?.total, include_sandbox ? withSandbox : 0, `${name} ${JSON.stringify(body)}`)
      assert.equal(figures[counted], body.pagination.total, name)
    }
  }
})

test('a day of a chart leads to that day of what it counts', () => {
  const day = { from_date: '2026-03-29', to_date: '2026-03-29', domain_id: 'd', include_sandbox: false }
  const of = { from: '2026-03-29', to: '2026-03-29', domain_id: 'd', include_sandbox: 'false' }
  assert.deepEqual(listBehind('opened', day), { to: '/events', search: { ...of, event: 'email.opened' } })
  assert.deepEqual(listBehind('bounced', day), { to: '/bounces', search: { ...of, include_complaints: 'false' } })
  // The sandbox is left out where the chart leaves it out.
  assert.deepEqual(mailsOf('2026-03-29', day), { to: '/emails', search: of })
  assert.deepEqual(mailsOf('2026-03-29', { domain_id: undefined, include_sandbox: true }).search, {
    ...{ from: '2026-03-29', to: '2026-03-29' },
  })
})
