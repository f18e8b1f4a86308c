// When certificates are renewed because the authority suggests it (RFC 9773), and what it is told of the certificate replaced.

import assert from 'node:assert/strict'
import type { OutgoingHttpHeaders } from 'node:http'
import { test } from 'node:test'
import * as x509 from '@peculiar/x509'
import { ownCertificateState } from '../src/modules/tracking/index.ts'
import { certificateId } from '../src/modules/tracking/renewal-information.ts'
import { statement } from '../src/platform/db.ts'
import { selfSigned } from '../src/platform/network/certificates.ts'
import {
  type Authority,
  certifiedWorld,
  HOST,
  OWN,
  PATH,
  startAuthority,
  until,
  verified,
} from './world/certificate-authority.ts'
import type { World } from './world/world.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const INFO = 'https://ca.example/why'

const ISSUED = statement(
  'test_name_issued',
  `update tracking_domain set certificate = $2, private_key = $3, ssl_expires_at = $4, ssl_due_at = $4, ssl_status = 'issued',
     ssl_since = $5, ssl_error = null, ssl_failures = 0, ssl_ask_at = null where id = $1`,
)
const FAILED = statement(
  'test_order_failed',
  `update tracking_domain set ssl_error = 'no', ssl_failures = 8, ssl_due_at = $2, ssl_ask_at = null where id = $1`,
)
const NAME = statement(
  'test_name_renewal',
  'select ssl_due_at as due, ssl_ask_at as ask, ssl_certificate_id as id, ssl_error as error from tracking_domain where id = $1',
)
const OWN_ASKED = statement(
  'test_own_asked',
  'select ask_at from own_certificate where name = $1 and certificate is not null and ask_at is not null',
)
interface NameState {
  readonly due: Date
  readonly ask: Date | null
  readonly id: string | null
  readonly error: string | null
}

/** A certificate of 90 days, issued 30 days ago. */
async function issued(name: string, now: Date): Promise<string> {
  const keys = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify'])
  const made = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '0a',
    name: `CN=${name}`,
    notBefore: new Date(now.getTime() - 30 * DAY_MS),
    notAfter: new Date(now.getTime() + 60 * DAY_MS),
    keys,
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
    extensions: [await x509.AuthorityKeyIdentifierExtension.create(keys.publicKey)],
  })
  return made.toString('pem')
}

/** From now on, the authority suggests a renewal that many days from now. */
function suggest(authority: Authority, world: World, days: number): void {
  authority.offers = { renewalInfo: authority.directory.replace('directory', 'renewal') }
  authority.says = (response, asked) => {
    if (!asked.startsWith('/renewal/')) return false
    const now = world.clock.now()
    const [start, end] = [0, 1_000].map((ms) => new Date(now.getTime() + days * DAY_MS + ms).toISOString())
    const suggestion = { suggestedWindow: { start, end }, explanationURL: INFO }
    response.writeHead(200, { date: now.toUTCString(), 'retry-after': '21600' }).end(JSON.stringify(suggestion))
    return true
  }
}

/** A tracking domain whose first order failed and that has a certificate since. */
async function certifiedName(world: World): Promise<{ id: string; chain: string; state: () => Promise<NameState> }> {
  const { system } = world.rooms.database
  const id = await verified(world, 'go.one.example')
  await until(async () => (await world.api.get(`${PATH}/${id}`)).body.ssl_error)
  const now = world.clock.now()
  const chain = await issued('go.one.example', now)
  const until60 = new Date(now.getTime() + 60 * DAY_MS)
  await system.execute(ISSUED, [id, chain, Buffer.from('a key'), until60, now])
  const state = async (): Promise<NameState> => {
    const found = await system.one<NameState>(NAME, [id])
    assert.ok(found !== null)
    return found
  }
  return { id, chain, state }
}

test('an authority that wants a certificate renewed now is sent an order, which names the certificate that it replaces', async () => {
  await using authority = await startAuthority()
  await using world = await certifiedWorld(authority.directory)
  const { chain, state } = await certifiedName(world)
  const known = await certificateId(chain)
  authority.replaced.length = 0
  suggest(authority, world, -1)
  world.clock.advance(2 * 60_000)
  const failed = await until(async () => ((await state()).error === null ? null : state()))
  assert.ok(authority.asked.includes(`/renewal/${known}`))
  assert.deepEqual(
    authority.replaced.filter((one) => one !== null),
    [known],
  )
  assert.deepEqual(
    [authority.replaced.at(-1), failed.error],
    [null, 'no order today'],
    'an order refused with the name of the replaced one is placed again without it',
  )
})

test('a suggested time moves the order there, for the public URL too, but not while the last order has failed', async () => {
  await using authority = await startAuthority()
  await using world = await certifiedWorld(authority.directory)
  const { system } = world.rooms.database
  const { id, chain, state } = await certifiedName(world)
  const now = world.clock.now()
  const key = world.rooms.store.secrets.seal('own certificate', HOST, Buffer.from('a key'))
  await system.execute(OWN, [HOST, await issued(HOST, now), key, new Date(now.getTime() + 60 * DAY_MS)])
  const { length } = authority.replaced
  const { length: before } = authority.asked
  suggest(authority, world, 20)
  await until(async () => ((await state()).id === null ? null : true))
  const days = (date: Date | undefined): number => Math.round(((date?.getTime() ?? 0) - now.getTime()) / DAY_MS)
  const { due, ask } = await state()
  assert.deepEqual([days(due), (await state()).id], [20, await certificateId(chain)])
  assert.ok(Math.abs((ask?.getTime() ?? 0) - now.getTime() - 6 * HOUR_MS) < 60_000)
  await until(async () => (days((await ownCertificateState(system, HOST))?.due_at) === 20 ? true : null))

  const asked = authority.asked.slice(before)
  assert.equal(asked.filter((path) => path === '/directory').length, 1, 'the directory is read once for both')

  const failedAt = world.clock.now()
  await system.execute(FAILED, [id, new Date(failedAt.getTime() + HOUR_MS)])
  await until(async () => ((await state()).ask === null ? null : true))
  assert.equal((await state()).due.getTime() - failedAt.getTime(), HOUR_MS)
  assert.equal(authority.replaced.length, length, 'nothing was ordered')
})

test('a certificate that names no key of its authority keeps no other one from being asked about', async () => {
  await using authority = await startAuthority()
  await using world = await certifiedWorld(authority.directory)
  const { system } = world.rooms.database
  const { chain, state } = await certifiedName(world)
  suggest(authority, world, 20)
  const { cert } = selfSigned({ names: [HOST] })
  const key = world.rooms.store.secrets.seal('own certificate', HOST, Buffer.from('a key'))
  await system.execute(OWN, [HOST, cert, key, new Date(world.clock.now().getTime() + 60 * DAY_MS)])
  const id = await certificateId(chain)
  await until(async () => ((await state()).id === id ? true : null))
  const asked = await until(() => system.one<{ ask_at: Date }>(OWN_ASKED, [HOST]))
  assert.ok(Math.abs(asked.ask_at.getTime() - world.clock.now().getTime() - 6 * HOUR_MS) < 60_000)
})

const closed = (headers: OutgoingHttpHeaders): Authority['says'] => {
  return (response) => {
    response.writeHead(503, headers).end('closed')
    return true
  }
}
// Each row: what the authority does, and after how many hours it is asked again.
const SILENT: readonly (readonly [what: string, says: Authority['says'], hours: number])[] = [
  ['does not offer the information', () => false, 24],
  ['does not answer', closed({}), 1],
  ['asks to wait for three hours', closed({ 'retry-after': '10800' }), 3],
]
for (const [what, says, hours] of SILENT) {
  test(`where the authority ${what}, the order stays as planned, and it is asked again after ${hours} hours`, async () => {
    await using authority = await startAuthority()
    await using world = await certifiedWorld(authority.directory)
    authority.says = says
    const { state } = await certifiedName(world)
    const planned = (await state()).due
    const now = world.clock.now().getTime()
    const ask = await until(async () => {
      const asked = (await state()).ask
      // A lease takes two minutes.
      return asked !== null && asked.getTime() - now > 10 * 60_000 ? asked : null
    })
    assert.ok(Math.abs(ask.getTime() - now - hours * HOUR_MS) < 60_000, ask.toISOString())
    assert.deepEqual((await state()).due, planned)
  })
}
