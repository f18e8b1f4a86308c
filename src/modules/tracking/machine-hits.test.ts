import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Agent, clientOf, type Platform } from './clients.ts'
import {
  type ClickNear,
  type Fetched,
  linkScansIn,
  type MachineReason,
  machineReasonOf,
  WINDOW_MS,
} from './machine-hits.ts'

const DELIVERED = new Date('2026-01-01T00:00:00Z')
const after = (ms: number): Date => new Date(DELIVERED.getTime() + ms)
const fetched = (some: Partial<Fetched>): Fetched => ({
  kind: 'open',
  at: after(60_000),
  head: false,
  prefetch: false,
  agent: 'person',
  ...some,
})

const OPENS: [why: string, hit: Partial<Fetched>, reason: MachineReason | null][] = [
  ['a person a minute later', {}, null],
  ['a person 2 s after delivery', { at: after(2_000) }, null],
  ['anyone within 2 s', { at: after(1_999) }, 'proxy_prefetch'],
  ["a provider's proxy later", { agent: 'proxy' }, null],
  ["a provider's proxy within 2 s", { agent: 'proxy', at: after(500) }, 'proxy_prefetch'],
  ["Apple's proxy, whenever", { agent: 'apple' }, 'apple_privacy'],
  ['a browser that fetches ahead, whenever', { prefetch: true }, 'proxy_prefetch'],
  ['a known robot', { agent: 'bot' }, 'known_bot'],
  ['HEAD, whoever', { head: true, agent: 'bot' }, 'head_request'],
  ['before the delivery', { at: after(-1) }, 'before_delivery'],
]
for (const [why, hit, reason] of OPENS) {
  test(`an open by ${why} is ${reason ?? 'a person'}`, () =>
    assert.equal(machineReasonOf(fetched(hit), DELIVERED, []), reason))
}

test('an open of an undelivered mail counts as a machine', () => {
  assert.equal(machineReasonOf(fetched({}), null, []), 'before_delivery')
})

const CLICKED = after(60_000).getTime()
const near = (ms: number, linkIndex: number, hidden = false): ClickNear => ({
  atMs: CLICKED + ms,
  linkIndex,
  hidden,
})
const own = near(0, 0)
const CLICKS: [why: string, clicks: ClickNear[], reason: MachineReason | null][] = [
  ['one link', [own], null],
  ['two links at once', [own, near(100, 1)], null],
  ['one link three times', [own, near(1, 0), near(2, 0)], null],
  ['three links within 2 s after', [own, near(900, 1), near(2_000, 2)], 'link_scanner'],
  ['three links within 2 s before', [near(-2_000, 1), near(-10, 2), own], 'link_scanner'],
  [
    'three links before it, and itself within 2 s',
    [near(-1_900, 1), near(-1_800, 2), near(-1_700, 3), own],
    'link_scanner',
  ],
  ['three links around, but over 2 s', [near(-1_500, 1), own, near(1_500, 2)], null],
  ['a hidden link by the same client', [own, near(1_000, 9, true)], 'link_scanner'],
  ['a hidden link more than 2 s before', [near(-2_001, 9, true), own], null],
]
for (const [why, clicks, reason] of CLICKS) {
  test(`a click with ${why} is ${reason ?? 'a person'}`, () => {
    assert.equal(machineReasonOf(fetched({ kind: 'click' }), DELIVERED, linkScansIn(clicks)), reason)
  })
}

test('scansIn covers exactly the clicks in stretches of 2 s with three links or a hidden one', () => {
  const click = fc.record({
    atMs: fc.integer({ min: 0, max: 12_000 }),
    linkIndex: fc.integer({ min: 0, max: 4 }),
    hidden: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  })
  fc.assert(
    fc.property(fc.array(click, { maxLength: 30 }), (some) => {
      const clicks = some.toSorted((a, b) => a.atMs - b.atMs)
      const scans = linkScansIn(clicks)
      for (const { atMs: at } of clicks) {
        const expected = clicks.some(({ atMs: from }) => {
          const together = clicks.filter((one) => one.atMs >= from && one.atMs <= from + WINDOW_MS)
          const links = new Set(together.map(({ linkIndex }) => linkIndex))
          return from <= at && at <= from + WINDOW_MS && (links.size >= 3 || together.some(({ hidden }) => hidden))
        })
        assert.equal(
          scans.some(([from, until]) => from <= at && at <= until),
          expected,
        )
      }
      scans.slice(1).forEach(([from], i) => assert.ok(from > (scans[i]?.[1] ?? Infinity)))
    }),
  )
})

test('a click within 2 s of the delivery is a scanner', () => {
  assert.equal(machineReasonOf(fetched({ kind: 'click', at: after(1_000) }), DELIVERED, []), 'link_scanner')
})

const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)'
const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36'
const PROGRAMS: [userAgent: string, what: 'open' | 'click', agent: Agent, platform: Platform, name: string | null][] = [
  ['Mozilla/5.0', 'open', 'apple', 'unknown', 'Apple Mail'],
  ['Mozilla/5.0', 'click', 'bot', 'unknown', null],
  [
    'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
    'open',
    'proxy',
    'webmail',
    'Gmail',
  ],
  [
    'YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html',
    'open',
    'proxy',
    'webmail',
    'Yahoo Mail',
  ],
  [
    'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Thunderbird/128.0',
    'open',
    'person',
    'desktop',
    'Thunderbird',
  ],
  [
    'Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.12026; Pro)',
    'open',
    'person',
    'desktop',
    'Outlook',
  ],
  ['Outlook-iOS/709.2226530.prod.iphone (3.24.1)', 'open', 'person', 'mobile', 'Outlook'],
  [`${IPHONE} Mobile/15E148`, 'open', 'person', 'mobile', 'Apple Mail'],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)',
    'open',
    'person',
    'desktop',
    'Apple Mail',
  ],
  [CHROME, 'open', 'person', 'webmail', 'Chrome'],
  [CHROME, 'click', 'person', 'desktop', 'Chrome'],
  [`${IPHONE} Version/17.5 Mobile/15E148 Safari/604.1`, 'click', 'person', 'mobile', 'Mobile Safari'],
  ['curl/8.5.0', 'click', 'bot', 'unknown', null],
  ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'click', 'bot', 'unknown', null],
  ['Mozilla/5.0 (compatible; Barracuda Sentinel (EE))', 'click', 'bot', 'unknown', 'Barracuda'],
  ['', 'open', 'person', 'unknown', null],
]
for (const [userAgent, what, agent, platform, name] of PROGRAMS) {
  test(`${what} by «${userAgent.slice(0, 70)}» is ${agent}, ${platform}, ${name}`, () => {
    assert.deepEqual(clientOf(userAgent, what), { agent, platform, name })
  })
}
