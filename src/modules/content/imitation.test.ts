import assert from 'node:assert/strict'
import { test } from 'node:test'
import { domainToASCII } from 'node:url'
import { imitationOf } from './imitation.ts'

// Each row: a sender's domain, and the brand whose name it bears.
const IMITATIONS: readonly (readonly [domain: string, brand: string])[] = [
  ['paypa1.com', 'paypal'],
  ['paypal-service.example', 'paypal'],
  ['paypal.com.account.example', 'paypal'],
  ['micr0soft-login.net', 'microsoft'],
  ['docusign-now.com', 'docusign'],
]
for (const [domain, brand] of IMITATIONS)
  test(`${domain} bears the name of ${brand}`, () => {
    assert.deepEqual(imitationOf(domain), { kind: 'brand', brand })
  })

for (const seen of ['pаypal.com', 'арр.com', 'shоp.example'])
  test(`${domainToASCII(seen)} has letters that look like others`, () => {
    assert.deepEqual(imitationOf(domainToASCII(seen)), { kind: 'letters', seen })
  })

const HONEST = [
  'shop.example',
  'paypal.com',
  'paypal.de',
  'microsoft.com',
  'news.booking-hotel.example',
  'applegate.com',
  'nortonmotorcycles.example',
  'sparkasse-musterstadt.de',
  'münchen.de',
  'почта.рф',
  'visagistin-berlin.de',
  'metall-maier.de',
  'postbote.example',
  'dhlservice-mueller.example',
]
for (const domain of HONEST)
  test(`${domain} passes itself off as nobody`, () => {
    assert.equal(imitationOf(domainToASCII(domain)), null)
  })
