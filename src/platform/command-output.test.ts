import assert from 'node:assert/strict'
import { test } from 'node:test'
import { printRecord, printRecords } from './command-output.ts'

function printer() {
  const lines: string[] = []
  return { lines, print: (line: string) => void lines.push(line) }
}

const AT = new Date('2026-03-01T10:00:00Z')

test('records are a table with a heading, each value on one line', () => {
  const out = printer()
  const rows = [
    { id: 'a', scopes: ['send', 'emails:read'], last_used_at: null, name: 'shop\n\u001b[31mred', hidden: 1 },
    { id: 'longer', scopes: [], last_used_at: AT, name: 'x', hidden: 2 },
  ]
  printRecords(out, {}, rows, ['id', 'scopes', 'last_used_at', 'name'])
  assert.deepEqual(out.lines, [
    'ID      SCOPES            LAST USED AT              NAME',
    'a       send,emails:read  -                         shop [31mred',
    'longer  -                 2026-03-01T10:00:00.000Z  x',
  ])
})

test('no records are told as such', () => {
  const out = printer()
  printRecords(out, {}, [] as { id: string }[], ['id'])
  assert.deepEqual(out.lines, ['none'])
})

test('with --json all fields are printed: many records as one array, one as an object', () => {
  const out = printer()
  printRecords(out, { json: true }, [{ id: 'a', at: AT }], ['id'])
  printRecords(out, { json: true }, [] as { id: string }[], ['id'])
  printRecord(out, { json: true }, { id: 'a', at: AT })
  assert.deepEqual(out.lines, [
    '[{"id":"a","at":"2026-03-01T10:00:00.000Z"}]',
    '[]',
    '{"id":"a","at":"2026-03-01T10:00:00.000Z"}',
  ])
})

test('one record is a line for each field', () => {
  const out = printer()
  printRecord(out, {}, { id: 'a', created_at: AT, limits: { emails: 5 } })
  assert.deepEqual(out.lines, ['id          a', 'created_at  2026-03-01T10:00:00.000Z', 'limits      {"emails":5}'])
})
