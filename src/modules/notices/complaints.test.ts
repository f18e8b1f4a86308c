// Domains that too many recipients complained about, and those whose mail is opened far more often than it was delivered:
// reported to their account and to the operator.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWorld, type World } from '../../../test/world/world.ts'
import { statement } from '../../platform/db.ts'
import type { Loop } from '../../platform/lifecycle.ts'
import { append, type NewEvent } from '../events/index.ts'
import { complaintNotices } from './notice-texts.ts'

const NOTICES = statement(
  'test_complaint_notices',
  `select kind, account_id, subject from notice where kind like '%complaints' or kind like '%replayed' order by id`,
)
const AGE = statement(
  'test_age_figures',
  `update stat_bucket set bucket = bucket - interval '7 days' where domain_id = $1`,
)

const of = (delivered: number, complained: number) => ({
  accountId: 'a',
  id: 'd',
  name: 'shop.example',
  delivered,
  complained,
})

// Each row: recipients, complaints, and the subjects of the notices.
const FIGURES: readonly (readonly [delivered: number, complained: number, kinds: readonly string[]])[] = [
  [10_000, 9, []],
  [10_000, 10, ['complaints: 0.10 %']],
  [10_000, 29, ['complaints: 0.29 %']],
  [10_000, 30, ['complaints: 0.30 %', 'account_complaints: 0.30 %']],
  [100, 3, ['complaints: 3.00 %', 'account_complaints: 3.00 %']],
]
for (const [delivered, complained, expected] of FIGURES) {
  test(`${complained} complaints of ${delivered} recipients are reported as ${expected.join(' and ') || 'nothing'}`, () => {
    const notices = complaintNotices(of(delivered, complained), new Date('2026-11-28T12:00:00Z'))
    assert.deepEqual(
      notices.map(({ kind, subject }) => `${kind}: ${/[\d.]+ %/.exec(subject)?.[0]}`),
      expected,
    )
    assert.deepEqual(
      notices.map(({ accountId }) => accountId),
      ['a', null].slice(0, expected.length),
    )
  })
}

test('a domain is reported once a week (UTC) for each level', () => {
  const key = (at: string, complained = 10) => complaintNotices(of(10_000, complained), new Date(at))[0]?.key
  assert.equal(key('2026-11-23T00:00:00Z'), key('2026-11-29T23:59:59Z'))
  assert.notEqual(key('2026-11-29T23:59:59Z'), key('2026-11-30T00:00:00Z'))
  assert.notEqual(key('2026-11-28T00:00:00Z', 10), key('2026-11-28T00:00:00Z', 30))
})

async function happened(
  world: World,
  type: 'email.delivered' | 'email.complained' | 'email.opened',
  count: number,
  over: object,
): Promise<void> {
  const { clock, ids } = world.rooms.ground
  const facts = {
    recipient: 'r@x.test',
    from: 'f@x.test',
    from_name: null,
    subject: 's',
    message_id: 'm',
    metadata: null,
  }
  const events = Array.from(
    { length: count },
    (): NewEvent => ({
      eventId: ids.next(),
      at: clock.now(),
      accountId: world.account.accountId,
      domainId: null,
      emailId: ids.next(),
      type,
      stream: 'transactional',
      sandbox: false,
      tag: null,
      data: {},
      facts,
      ...over,
    }),
  )
  await append(world.rooms.database.system, events)
}

test('what the figures of seven days show leads to one notice to the account and one to the operator', async () => {
  await using world = await startWorld({ settings: { POSTHORN_OPERATOR_EMAIL: 'operator@posthorn.test' } })
  const { system } = world.rooms.database
  const domains = await Promise.all(
    ['loud', 'early', 'small', 'sandboxed', 'former', 'replayed', 'read', 'few', 'monthly'].map((one) =>
      world.verifiedDomain(`${one}.example`),
    ),
  )
  const [loud, early, small, sandboxed, former, replayed, read, few, monthly] = domains
  const figure = async (name: 'opens' | 'delivered'): Promise<number> =>
    (await world.api.get('/api/v1/stats/outbound?include_machine=true')).body.data[name]
  const counted = async (name: 'opens' | 'delivered', wanted: number): Promise<void> => {
    for (let waited = 0; (await figure(name)) < wanted; waited++) {
      assert.ok(waited < 600, `${await figure(name)} ${name} counted`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  // Two weeks ago; some of its readers open it only now.
  await happened(world, 'email.delivered', 1_000, { domainId: monthly })
  await counted('delivered', 1_000)
  for (let week = 0; week < 2; week++) await system.execute(AGE, [monthly])
  for (const [domainId, delivered, complained, more] of [
    [loud, 900, 3, {}],
    [early, 500, 5, {}],
    [small, 99, 5, {}],
    [sandboxed, 500, 5, { sandbox: true }],
    [former, 500, 5, {}],
  ] as const) {
    await happened(world, 'email.delivered', delivered, { domainId, ...more })
    await happened(world, 'email.complained', complained, { domainId, ...more })
  }
  for (const [domainId, delivered, people, machines] of [
    [replayed, 50, 400, 600],
    [read, 51, 1_000, 0],
    [few, 1, 999, 0],
    [monthly, 0, 1_000, 0],
  ] as const) {
    await happened(world, 'email.delivered', delivered, { domainId })
    await happened(world, 'email.opened', people, { domainId })
    await happened(world, 'email.opened', machines, { domainId, data: { is_machine: true } })
  }
  assert.equal((await world.api.delete(`/api/v1/customer/domains/${former}`)).status, 200)
  const notices = (): Promise<readonly object[]> => system.query(NOTICES)
  const look = (): void => {
    const loops = world.rooms.followers.workers as readonly Loop[]
    loops.find(({ name }) => name === 'notices of figures')?.wake()
  }
  await counted('opens', 3_999)
  await system.execute(AGE, [early])
  look()
  for (let waited = 0; (await notices()).length < 4; waited++) {
    assert.ok(waited < 600, JSON.stringify(await notices()))
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  look()
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  const { accountId } = world.account
  assert.deepEqual(await notices(), [
    { kind: 'complaints', account_id: accountId, subject: '0.33 % of the recipients of a domain complained' },
    {
      kind: 'account_complaints',
      account_id: null,
      subject: `Account ${accountId}: 0.33 % of the recipients of a domain complained`,
    },
    {
      kind: 'replayed',
      account_id: accountId,
      subject: 'Mail of a domain is opened far more often than it was delivered',
    },
    {
      kind: 'account_replayed',
      account_id: null,
      subject: `Account ${accountId}: mail is opened far more often than it was delivered`,
    },
  ])
})
