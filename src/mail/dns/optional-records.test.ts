import assert from 'node:assert/strict'
import { test } from 'node:test'
import { declaredZones, type Zones } from '../../../test/world/zones.ts'
import { checkOptional, MAX_RETURN_PATH_HOST, optionalRecords, returnPathHost } from './optional-records.ts'

const DOMAIN = 'mail.shop.example'
const HOST = 'Mx.Posthorn.example'
const RECORDS = optionalRecords(DOMAIN, HOST)
const check = (zones: Zones) => checkOptional(RECORDS, declaredZones(zones), AbortSignal.timeout(60_000))
const BOUNCE = 'bounce.mail.shop.example'
const LOGO = 'default._bimi.mail.shop.example'

test('the values handed out pass when published as given', async () => {
  const zones = Object.fromEntries(RECORDS.map(({ name, type, value }) => [name, { [type]: [value] }]))
  const found = await check(zones)
  assert.deepEqual(
    RECORDS.map(({ purpose, type, name, host, required }) => [purpose, type, name, host, required]),
    [
      ['return_path', 'CNAME', BOUNCE, 'bounce.mail', false],
      ['bimi', 'TXT', LOGO, 'default._bimi.mail', false],
    ],
  )
  for (const purpose of ['return_path', 'bimi'] as const) {
    assert.deepEqual([found[purpose]?.status, found[purpose]?.error], ['valid', null], purpose)
  }
})

test('a return path leads to our host, else the check says what is wrong', async () => {
  const of = async (zone: Zones[string]) => (await check({ [BOUNCE]: zone })).return_path?.status
  assert.equal(await of({ CNAME: ['mx.posthorn.example.'] }), 'valid')
  assert.equal(await of({ CNAME: ['mx.other.example'] }), 'mismatch')
  const extended = await check({ [BOUNCE]: { CNAME: ['mx.posthorn.example.shop.example'] } })
  assert.match(extended.return_path?.error ?? '', /leads to another host: the zone was appended to its target/)
  assert.equal(await of({ A: ['192.0.2.1'] }), 'missing')
  assert.equal(await of('nxdomain'), 'missing')
  assert.equal(await of('servfail'), 'error')
  assert.equal(await of('timeout'), 'error')
})

test('any https logo counts, and so does an empty one; two records do not', async () => {
  const of = async (...TXT: string[]) => (await check({ [LOGO]: { TXT } })).bimi?.status
  assert.equal(await of('v=BIMI1; l=https://cdn.example/x.svg; a=https://cdn.example/vmc.pem'), 'valid')
  assert.equal(await of('v=BIMI1; l=; a='), 'valid', 'the domain declines')
  assert.equal(await of('v=BIMI1; l=http://cdn.example/x.svg'), 'mismatch')
  assert.equal(await of('v=BIMI1'), 'mismatch')
  assert.equal(await of('v=BIMI1; l=https://a.example/x.svg', 'v=BIMI1; l=https://b.example/x.svg'), 'multiple')
  assert.equal(await of('something else'), 'missing')
})

test('a domain whose return paths would be too long keeps ours', () => {
  const long = `${'a.'.repeat(95)}example`
  assert.ok(`bounce.${long}`.length > MAX_RETURN_PATH_HOST)
  assert.equal(returnPathHost(long), null)
  assert.deepEqual(
    optionalRecords(long, HOST).map(({ purpose }) => purpose),
    ['bimi'],
  )
})
