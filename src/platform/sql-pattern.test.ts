import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshDb } from '../../test/database.ts'
import { connect, statement } from './db.ts'
import { containing, matches, matchesFolded } from './sql-pattern.ts'

test("a search disregards case in the database's locale and in ASCII, also where I is not the capital of i", async () => {
  await using store = await freshDb()
  const database = connect({ url: store.url, maxConnections: 1, onError: () => undefined })
  try {
    for (const locale of ['tr-x-icu', 'und-x-icu', 'C']) {
      const turkish = (text: string): string => `(${text} collate "${locale}")`
      const subject = statement(`test_subject_${locale}`, `select ${matches(turkish('$2::text'), '$1::text')} as found`)
      const address = statement(
        `test_address_${locale}`,
        `select ${matchesFolded('$2::text', turkish('$1::text'))} as found`,
      )
      const found = async (part: string, text: string, query = subject): Promise<unknown> =>
        (await database.system.one<{ found: boolean }>(query, [containing(part), text]))?.found
      for (const part of ['title', 'TITLE', 'tItLe'])
        assert.equal(await found(part, 'A TITLE'), true, `${locale} ${part}`)
      assert.equal(await found('100%', 'A title of 100'), false)
      for (const part of ['INFO@', 'info@', 'ΟΔΟΣ'].slice(0, locale === 'C' ? 2 : 3))
        assert.equal(await found(part, 'info@οδοσ.example', address), true, `${locale} ${part}`)
      assert.equal(await found('xinfo', 'info@shop.example', address), false)
    }
  } finally {
    await database.close()
  }
})
