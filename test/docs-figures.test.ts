// Figures on pages that people plan with, compared with those that the service applies.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { MAX_NETWORKS } from '../src/modules/accounts/keys.ts'
import { SCOPES } from '../src/modules/accounts/scopes.ts'
import * as sending from '../src/modules/sending/limits.ts'
import { DEFAULT_BODY_BYTES } from '../src/platform/http/bodies.ts'
import { MAX_CSV_BYTES } from '../src/platform/http/list-files.ts'

const DOCS = path.join(import.meta.dirname, '../docs')
const MB = 1_048_576
const DAY_MS = 86_400_000

/** The rows of the first table below a heading, by their first cell. */
async function rowsOf(page: string, heading: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(path.join(DOCS, page), 'utf8')
  const [, section = ''] = text.split(`\n## ${heading}\n`, 2)
  const cells = [...section.matchAll(/^\| (.+?) \| (.+?) \|$/gm)].map(
    ([, name = '', value = '']) => [name, value] as const,
  )
  return new Map(cells.slice(1))
}

test('the guide names every scope', async () => {
  const rows = [...(await rowsOf('guides/using-the-api.md', 'Scopes')).keys()].join()
  const named = [...rows.matchAll(/`([a-z_:]+)`/g)].map(([, name = '']) => name)
  const both = named.filter((name) => !name.startsWith(':')).flatMap((name) => [name, `${name}:read`, `${name}:write`])
  assert.deepEqual(
    SCOPES.filter((scope) => !both.includes(scope)),
    [],
  )
})

test('the sizes of the guide are those that the service applies', async () => {
  const chars = (count: number): string => `${count.toLocaleString('en-US')} characters`
  const { MAX_METADATA_KEYS, MAX_METADATA_KEY_CHARS, MAX_METADATA_BYTES } = sending
  const applied = {
    'body of a send; of a batch': `${sending.MAX_SEND_BODY_BYTES / MB} MB; ${sending.MAX_BATCH_BODY_BYTES / MB} MB`,
    'body of a content score, a risk preview or a template': `${sending.MAX_TEMPLATE_BODY_BYTES / MB} MB`,
    'any other JSON body': `${DEFAULT_BODY_BYTES / MB} MB`,
    'CSV file to import': `${MAX_CSV_BYTES / MB} MB`,
    'message as sent, with attachments encoded': `${sending.MAX_MESSAGE_BYTES / MB} MB`,
    '`html`, `text`': `${sending.MAX_PART_BYTES / MB} MB each`,
    subject: `${chars(sending.MAX_SUBJECT_CHARS)} (1,000 for a content score)`,
    'recipients in `to`, `cc` and `bcc` together': `${sending.MAX_RECIPIENTS}`,
    attachments: `${sending.MAX_ATTACHMENTS}`,
    'custom headers': `${sending.MAX_CUSTOM_HEADERS}, of ${chars(sending.MAX_HEADER_CHARS)} each`,
    tag: chars(sending.MAX_TAG_CHARS),
    metadata: `${MAX_METADATA_KEYS} keys of ${chars(MAX_METADATA_KEY_CHARS)}, ${MAX_METADATA_BYTES / 1_024} KB of JSON`,
    'time ahead of a scheduled send': `${sending.MAX_SCHEDULE_AHEAD_MS / DAY_MS} days`,
    'templates of an account; versions of each': `${sending.MAX_TEMPLATES}; ${sending.MAX_TEMPLATE_VERSIONS}`,
    '`allowed_ips` of a key': `${MAX_NETWORKS}`,
  }
  const said = await rowsOf('guides/using-the-api.md', 'Sizes')
  for (const [name, value] of Object.entries(applied)) assert.equal(said.get(name), value, name)
})
