// Texts of ours that recipients read are in the language of the account that sends the mail, through the public interfaces.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWorld, type TestAccount, type World } from './world/world.ts'

const PUBLIC_URL = 'https://mail.posthorn.test'

async function mailTo(world: World, { api }: TestAccount, email: string): Promise<{ subject: string; text: string }> {
  for (const end = performance.now() + 60_000; performance.now() < end; ) {
    await world.rooms.delivery?.turn()
    const [found] = (await api.get(`/api/v1/inbox?to=${encodeURIComponent(email)}`)).body.data
    if (found !== undefined) return (await api.get(`/api/v1/inbox/${found.id}`)).body.data
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error('no mail came')
}

function linkIn(world: World, text: string): string {
  const [link] = /https:\/\/mail\.posthorn\.test\/\S+/.exec(text) ?? []
  assert.ok(link !== undefined, text)
  return world.url + new URL(link).pathname
}

async function shows(link: string, init: RequestInit, language: string, words: readonly string[]): Promise<void> {
  const html = await (await fetch(link, init)).text()
  for (const word of [`<html lang="${language}">`, ...words]) assert.ok(html.includes(word), `${word}: ${html}`)
}

test('recipients see the language of the account, or else the language of their browser', async () => {
  await using world = await startWorld({
    settings: { POSTHORN_DELIVERY: 'sandbox', POSTHORN_PUBLIC_URL: PUBLIC_URL },
  })
  const owner = await world.newAccount('Söhne')
  await world.verifiedDomain('shop.example', owner)
  const profile = await owner.api.patch('/api/v1/customer/profile', { locale: 'de-AT' })
  assert.equal(profile.status, 200)
  const email = 'jo@reader.example'
  const headers = { 'accept-language': 'fr' }

  const added = await owner.api.post('/api/v1/customer/contacts', { email })
  assert.equal(added.status, 201, JSON.stringify(added.body))
  const letter = await mailTo(world, owner, email)
  assert.equal(letter.subject, 'Bitte bestätigen: E-Mails von Söhne')
  assert.match(letter.text, /Der Link gilt 7 Tage\./)
  const confirm = linkIn(world, letter.text)
  await shows(confirm, { headers }, 'de', ['<h1>Bitte bestätigen</h1>', 'Ja, ich möchte'])
  await shows(confirm, { method: 'POST', headers }, 'de', ['<h1>Sie sind angemeldet</h1>'])

  const other = 'other@reader.example'
  const body = { from: 'a@shop.example', to: other, subject: 's', text: 'Out: {{unsubscribe}}' }
  assert.equal((await owner.api.post('/api/v1/send', body)).status, 202)
  const out = linkIn(world, (await mailTo(world, owner, other)).text)
  await shows(out, { headers }, 'de', ['<h1>Abmelden</h1>', 'keine E-Mails mehr von <strong>Söhne</strong> erhält?'])
  await shows(out, { method: 'POST', headers }, 'de', [
    '<h1>Sie sind abgemeldet</h1>',
    'wird keine E-Mails mehr von <strong>Söhne</strong> erhalten.',
    'schon unterwegs',
  ])

  for (const path of ['/track/u/x', '/confirm/x']) {
    await shows(world.url + path, { headers }, 'fr', ['<h1>Ce lien ne fonctionne pas</h1>'])
  }
})
