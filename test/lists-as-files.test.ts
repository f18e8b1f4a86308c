// Lists of people as files, out and in again: who unsubscribed, and contacts with what proves their consent.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startContacts } from './contacts-world.ts'
import type { Reply, TestAccount } from './world.ts'

const { world } = await startContacts()
after(() => world[Symbol.asyncDispose]())

const UNSUBSCRIBES = '/api/v1/customer/unsubscribes'

async function upload({ apiKey }: TestAccount, path: string, file: string): Promise<Reply['body']> {
  const headers = { 'x-api-key': apiKey, 'content-type': 'text/csv' }
  return (await fetch(`${world.url}${path}`, { method: 'POST', headers, body: file })).json()
}

test('who unsubscribed is exported as the filters of the list leave it, and the file can be imported', async () => {
  const [from, to] = [await world.newAccount('From'), await world.newAccount('To')]
  await from.api.post(UNSUBSCRIBES, { email: '=odd@x.test', reason: 'says "no", twice' })
  await from.api.post(UNSUBSCRIBES, { email: 'plain@y.test' })
  await from.api.post(`${UNSUBSCRIBES}/import`, { entries: [{ email: 'trial@y.test', sandbox: true }] })
  const { status, body, headers } = await from.api.get(`${UNSUBSCRIBES}/export`)
  assert.equal(status, 200)
  assert.match(headers.get('content-type') ?? '', /^text\/csv/)
  assert.match(headers.get('content-disposition') ?? '', /"unsubscribes\.csv"/)
  const [heading, ...lines]: string[] = body.trimEnd().split('\r\n')
  assert.equal(heading, 'id,email,source,reason,sandbox,created_at')
  assert.match(lines[0] ?? '', /^[\w-]{36},'=odd@x\.test,api,"says ""no"", twice",false,2\d{3}-/)
  assert.equal(lines.length, 2)
  for (const query of [
    'search=y.test',
    'search=ODD',
    'include_sandbox=true',
    'from_date=2031-01-01',
    'to_date=2001-01-01',
  ]) {
    const listed = (await from.api.get(`${UNSUBSCRIBES}?${query}`)).body.data as { email: string }[]
    const file: string[] = (await from.api.get(`${UNSUBSCRIBES}/export?${query}`)).body.trimEnd().split('\r\n').slice(1)
    const emails = listed.map(({ email }) => email.replace(/^=/, "'="))
    assert.deepEqual(file.map((line) => line.split(',')[1]).sort(), emails.sort(), query)
  }
  assert.equal((await from.api.get(`${UNSUBSCRIBES}/export?from_date=soon`)).status, 400)
  const moved = await upload(to, `${UNSUBSCRIBES}/import`, body)
  assert.deepEqual(moved.data, { imported: 2, updated: 0, failed: 0, errors: [], ignored_columns: [] })
  const [odd] = (await to.api.get(`${UNSUBSCRIBES}?search=odd`)).body.data
  assert.deepEqual([odd.email, odd.reason, odd.source], ['=odd@x.test', 'says "no", twice', 'import'])
})
