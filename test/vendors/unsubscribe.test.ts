// The unsubscribe link in calls of other vendors, which ask for it with their own placeholders.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startWorld, type World } from '../world/world.ts'

const FROM = 'hello@shop.example'
let world: World
let count = 0

before(async () => {
  world = await startWorld({ settings: { POSTHORN_DELIVERY: 'sandbox' } })
})
after(() => world[Symbol.asyncDispose]())

const fresh = (): string => `reader${++count}@reader.example`

test('unsubscribe placeholders of other vendors become links where the vendor would fill them', async () => {
  const link = /http:\/\/[^\s"<>]+\/track\/u\/[\w-]+/
  const told = async (id: unknown): Promise<{ text: string; html: string }> => {
    for (let tries = 0; tries < 400; tries++) {
      const { body } = await world.api.get(`/api/v1/inbox?email_id=${String(id)}`)
      if (body.data.length > 0) return (await world.api.get(`/api/v1/inbox/${body.data[0].id}`)).body.data
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
    throw new Error(`${String(id)} does not stand in the inbox`)
  }
  const { body: posted } = await world.api.post('/email', {
    From: FROM,
    To: fresh(),
    Subject: 's',
    TextBody: 'Leave: {{{ pm:unsubscribe }}}',
    HtmlBody: '<a href="{{{pm:unsubscribe_url}}}">leave</a>, {{{ pm:unsubscribe label="Leave" }}}',
  })
  const mail = await told(posted.MessageID)
  assert.match(mail.text, new RegExp(`Leave: ${link.source}`))
  assert.match(mail.html, new RegExp(`<a href="${link.source}">leave</a>, <a href="${link.source}">Unsubscribe</a>`))

  const content = (text: string, html: string) => [
    { type: 'text/plain', value: text },
    { type: 'text/html', value: html },
  ]
  const grid = async (more: object, own: object = {}) => {
    const personalizations = [{ to: [{ email: fresh() }], ...own }]
    const call = { from: { email: FROM }, personalizations, subject: 's', ...more }
    const { status, headers } = await world.api.post('/v3/mail/send', call)
    assert.equal(status, 202)
    return told(headers.get('x-message-id'))
  }
  const tags = content(
    '<%asm_group_unsubscribe_raw_url%>',
    '<a href="<%asm_preferences_raw_url%>">p</a><p><%asm_group_unsubscribe_url%></p>',
  )
  const grouped = await grid({ content: tags, asm: { group_id: 1 } })
  assert.match(grouped.text, new RegExp(`^${link.source}\\s*$`))
  assert.match(grouped.html, new RegExp(`<a href="${link.source}">p</a><p><a href="${link.source}">Unsub`))
  assert.match((await grid({ content: tags })).text, /^<%asm_group_unsubscribe_raw_url%>\s*$/, 'no group, no link')

  const subscription_tracking = { enable: true, text: 'Bye <% %>', html: '<p>Bye <% here %></p>' }
  const page = content('Hi', '<html><body>Hi</body></html>')
  const tracked = await grid({ content: page, tracking_settings: { subscription_tracking } })
  assert.match(tracked.text, new RegExp(`^Hi\\s+Bye ${link.source}\\s*$`))
  assert.match(tracked.html, new RegExp(`Hi<p>Bye <a href="${link.source}">here</a></p></body></html>`))
  const off = { subscription_tracking: { ...subscription_tracking, enable: false } }
  assert.doesNotMatch((await grid({ content: page, tracking_settings: off })).text, /Bye/)

  const said = await grid({ content: content('Hi -name-', 'x') }, { substitutions: { '-name-': '{{unsubscribe}}' } })
  assert.doesNotMatch(said.text, link, 'what a substitution holds is text')
})
