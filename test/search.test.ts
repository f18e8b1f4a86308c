// A search for an address takes its domain as people write it; A-labels are stored.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storedSpelling } from '../src/mail/address.ts'
import { startWorld } from './world/world.ts'

// Each row: the search text, and the second spelling that is searched for too; null: none.
const SPELLINGS: readonly (readonly [part: string, stored: string | null])[] = [
  ['shop', null],
  ['Anna@shop.example', null],
  ['b\u00fccher', 'xn--bcher-kva'],
  ['bu\u0308cher.example', 'xn--bcher-kva.example'],
  ['Anna@B\u00dcCHER.ex', 'anna@xn--bcher-kva.ex'],
  ['jos\u00e9@shop.example', null],
  ['jos\u00e9@b\u00fccher.example', 'jos\u00e9@xn--bcher-kva.example'],
  ['@\u4f8b\u3048.', '@xn--r8jz45g.'],
  ['100%_\\', null],
  ['\ud800', null],
  ['', null],
]

test('a part of an address is converted to its stored spelling, or left alone', () => {
  for (const [part, stored] of SPELLINGS) assert.equal(storedSpelling(part), stored, part)
})

test('emails, contacts, suppressions and unsubscribes are found by a domain as people write it', async () => {
  await using world = await startWorld({ settings: { POSTHORN_ROLES: 'api' } })
  const { api, testApi } = world.account
  const email = 'anna@b\u00fccher.example'
  const mail = { from: 'a@shop.example', to: [email, 'bert@other.example'], subject: 's', text: 't' }
  assert.equal((await testApi.post('/api/v1/send', mail)).status, 202)
  const LISTS = ['contacts', 'suppressions', 'unsubscribes'].map((name) => `/api/v1/customer/${name}`)
  for (const path of LISTS) {
    for (const one of [email, 'bert@other.example']) {
      const extra = path.endsWith('contacts') ? { double_opt_in: false } : {}
      assert.equal((await api.post(path, { email: one, ...extra })).status, 201, path)
    }
  }
  for (const path of ['/api/v1/emails', ...LISTS]) {
    const found = async (search: string): Promise<number> =>
      (await api.get(`${path}?search=${encodeURIComponent(search)}`)).body.pagination.total
    for (const search of ['b\u00fccher', 'B\u00fccher.Example', 'na@b\u00fccher.ex', 'xn--bcher'])
      assert.equal(await found(search), 1, `${path} ${search}`)
    assert.equal(await found('m\u00fcller'), 0, path)
    assert.equal(await found('.example'), 2, path)
  }
})

test('an export of suppressions honours its filters as the list does', async () => {
  await using world = await startWorld({ settings: { POSTHORN_ROLES: 'api' } })
  const { api } = world.account
  const path = '/api/v1/customer/suppressions'
  for (const [email, reason] of [
    ['jo@x.example', 'manual'],
    ['joan@y.example', 'hard_bounce'],
    ['eve@x.example', 'manual'],
  ])
    assert.equal((await api.post(path, { email, reason })).status, 201)
  for (const [query, left] of [
    ['', ['eve@x.example', 'jo@x.example', 'joan@y.example']],
    ['?reason=manual', ['eve@x.example', 'jo@x.example']],
    ['?search=JO', ['jo@x.example', 'joan@y.example']],
    ['?search=jo&reason=hard_bounce', ['joan@y.example']],
    ['?from_date=2200-01-01', []],
    ['?to_date=2001-01-01', []],
  ] as const) {
    const listed: string[] = (await api.get(path + query)).body.data.map(({ email }: { email: string }) => email)
    const lines: string[] = (await api.get(`${path}/export${query}`)).body.trimEnd().split('\r\n')
    assert.deepEqual(listed.toSorted(), left, query)
    assert.deepEqual(
      lines.slice(1).map((line) => line.split(',')[1]),
      left,
      query,
    )
  }
  assert.equal((await api.get(`${path}/export?reason=none`)).status, 400)
})
