import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { emptyDb, emptyDbOfLocale } from '../../../test/world/database.ts'
import { containing, matches, matchesFolded } from './sql-pattern.ts'

const LOCALES = { 'of the server': emptyDb, Turkish: () => emptyDbOfLocale('tr-TR') }

for (const [locale, make] of Object.entries(LOCALES)) {
  test(`a search disregards case, in a database whose locale is ${locale}`, async () => {
    await using store = await make()
    const client = new pg.Client({ connectionString: store.url })
    await client.connect()
    const found = async (condition: string, part: string, text: string): Promise<boolean> =>
      (await client.query(`select ${condition} as found`, [containing(part), text])).rows[0].found
    const subject = matches('$2::text', '$1::text')
    const address = matchesFolded('$2::text', '$1::text')
    try {
      for (const part of ['title', 'TITLE', 'tItLe']) assert.equal(await found(subject, part, 'A TITLE'), true, part)
      assert.equal(await found(subject, '100%', 'A title of 100'), false)
      for (const part of ['INFO@', 'info@', 'ΟΔΟΣ'])
        assert.equal(await found(address, part, 'info@οδοσ.example'), true, part)
      assert.equal(await found(address, 'xinfo', 'info@shop.example'), false)
    } finally {
      await client.end()
    }
  })
}
