import assert from 'node:assert/strict'
import { test } from 'node:test'
import { messageLinks } from './message-links.ts'
import type { TrackedEmail } from './types.ts'

const READY = new Date('2026-03-01T12:00:00Z')
const BRANDED = 'https://click.shop.example'
const PUBLIC = 'https://mail.example.org'

const links = messageLinks({
  tokens: { write: ({ purpose }) => purpose, read: () => null },
  publicUrl: PUBLIC,
  brandedBase: (domainId) => (domainId === 'branded' ? { url: BRANDED, since: READY } : null),
  hostname: 'mail.example.org',
  unsubscribeMac: () => Buffer.alloc(10),
})

function email(over: Partial<TrackedEmail>): TrackedEmail {
  const id = '01936a3e-8f00-7c4d-9b1a-2f6d5e8c7a10'
  const whose = { id, accountId: id, domainId: 'branded', recipientKey: 'jo@example.net' }
  return { ...whose, createdAt: READY, stream: 'transactional', sandbox: false, ...over }
}

test('a branded name is used only for mail of its domain that was accepted once it was ready', () => {
  const before = new Date(READY.getTime() - 1)
  for (const [over, base] of [
    [{}, BRANDED],
    // A retry must carry the addresses of the first try.
    [{ createdAt: before }, PUBLIC],
    [{ domainId: 'plain' }, PUBLIC],
    [{ domainId: null }, PUBLIC],
  ] as const) {
    const { link, pixel } = links.replacements({ trackOpens: true, trackClicks: true }, email(over))
    assert.equal(pixel, `${base}/track/o/open`)
    assert.equal(link?.({ index: 0, url: 'https://shop.example/', hidden: false }), `${base}/track/c/click`)
    assert.equal(links.unsubscribeLinks(email(over)).https, `${base}/track/u/unsubscribe`)
  }
})
