// The port of links to a branded tracking domain: the one that the outside reaches, whatever port is listened on.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { statement } from '../src/platform/db.ts'
import { selfSigned } from '../src/platform/network/certificates.ts'
import { startWorld } from './world/world.ts'

const NAME = 'go.shop.example'
const ISSUED = statement(
  'test_issued',
  `update tracking_domain set ssl_status = 'issued', ssl_since = $2, ssl_expires_at = $3, certificate = $4, private_key = $5
   where id = $1`,
)

// Each row: the public URL while another port than 443 is listened on, and where the links lead.
const LINKS: readonly (readonly [publicUrl: string, base: string])[] = [
  ['https://mail.posthorn.test', `https://${NAME}/`],
  ['https://mail.posthorn.test:8443', `https://${NAME}:8443/`],
  ['http://mail.posthorn.test', `https://${NAME}:0/`],
]
for (const [publicUrl, base] of LINKS)
  test(`with ${publicUrl} as public URL, branded links begin with ${base}`, async () => {
    await using world = await startWorld({
      settings: {
        POSTHORN_PUBLIC_URL: publicUrl,
        POSTHORN_HTTPS_PORT: '0',
        POSTHORN_ROLES: 'api',
      },
    })
    const domainId = await world.verifiedDomain('shop.example')
    const made = await world.api.post('/api/v1/customer/tracking-domains', { domain: NAME })
    const { id, cname_target: target } = made.body
    world.zones.declare({ [NAME]: { CNAME: [target] } })
    await world.api.post(`/api/v1/customer/tracking-domains/${id}/verify`)
    const given = { tracking_domain_id: id }
    assert.equal((await world.api.patch(`/api/v1/customer/domains/${domainId}`, given)).status, 200)
    const { cert, key } = selfSigned({ names: [NAME] })
    const now = world.clock.now()
    const sealed = world.rooms.store.secrets.seal('certificate', id, Buffer.from(key))
    const until = new Date(now.getTime() + 86_400_000)
    await world.rooms.database.system.execute(ISSUED, [id, now, until, cert, sealed])

    const { accountId } = world.account
    const sent = {
      id,
      accountId,
      domainId,
      stream: 'transactional',
      sandbox: false,
      recipientKey: 'b@example.net',
    } as const
    const link = (): string => world.rooms.tracking.tracking.unsubscribeLinks({ ...sent, createdAt: now }).https
    for (let turn = 0; turn < 100 && link().startsWith(publicUrl); turn++)
      await new Promise((resolve) => setTimeout(resolve, 100))
    assert.ok(link().startsWith(`${base}track/u/`), link())
  })
