// What `npm start` prints for newcomers: the address of the dashboard, a key, and a curl command that sends a first mail. The
// account is made at the first start; its test key is kept in the data directory, because it can only fill the inbox. While the
// installation has no operator, each start prints an address with a new set-up token; the previous token expires.

import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Rooms } from './app.ts'
import { createAccount, hasOperator, newSetupToken, PLACEHOLDER, passwords } from './modules/accounts/index.ts'
import { platformErrors } from './platform/errors.ts'
import { replaceFile } from './platform/files/data-folder.ts'

interface FirstAccount {
  readonly account_id: string
  readonly test_api_key: string
}

/** @returns the lines to print; without the API role there are none, and no account is made */
export async function firstRun(rooms: Rooms): Promise<readonly string[]> {
  const { config } = rooms
  if (!config.roles.includes('api')) return []
  const known = await readFirstAccount(rooms)
  const account = known ?? (await makeFirstAccount(rooms))
  const setUp = (await hasOperator(rooms.database)) ? null : await setUpAddress(rooms, account.account_id)
  const body = { from: 'you@example.com', to: 'someone@example.net', subject: 'First mail', html: '<h1>It works</h1>' }
  return [
    '',
    `Posthorn is running at ${config.publicUrl}`,
    `  dashboard   ${config.publicUrl}/`,
    `  inbox       ${config.publicUrl}/inbox`,
    `  docs        ${config.publicUrl}/docs`,
    `  API         ${config.publicUrl}/docs/api, ${config.publicUrl}/openapi.json`,
    `  test key    ${account.test_api_key}`,
    ...(setUp === null ? [] : [`  set-up      ${setUp} (open once to become the operator)`]),
    '',
    'Send a first email; with the test key it goes to the built-in inbox and is never delivered:',
    '',
    `  curl -sS ${config.publicUrl}/api/v1/send -H 'X-API-Key: ${account.test_api_key}' -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`,
    '',
    'Read it:',
    '',
    `  curl -sS ${config.publicUrl}/api/v1/inbox -H 'X-API-Key: ${account.test_api_key}'`,
    '',
  ]
}

/** The token comes after the number sign, so that no server logs it. */
async function setUpAddress(rooms: Rooms, accountId: string): Promise<string> {
  const { ids, clock } = rooms.ground
  const token = await newSetupToken({ database: rooms.database, ids, clock }, accountId)
  return `${rooms.config.publicUrl}/setup#${token}`
}

function fileOf({ config }: Rooms): string {
  return path.join(config.dataDir, 'first-account.json')
}

/** Null when there is no readable file, or when its account is not in this database. */
async function readFirstAccount(rooms: Rooms): Promise<FirstAccount | null> {
  try {
    const known = JSON.parse(await readFile(fileOf(rooms), 'utf8')) as FirstAccount
    await rooms.accounts.settings(known.account_id)
    return known
  } catch (error) {
    const { code } = error as { code?: string }
    // Earlier releases left half a file when the disk was full.
    if (error instanceof SyntaxError) return null
    if (code === 'ENOENT' || code === platformErrors.not_found.code) return null
    throw error
  }
}

async function makeFirstAccount(rooms: Rooms): Promise<FirstAccount> {
  const { ids, clock } = rooms.ground
  const { database, secrets } = rooms.store
  const context = { database, secrets, ids, clock, passwords: passwords(ids.bytes) }
  const made = await createAccount(context, { email: PLACEHOLDER, name: 'First account' })
  const account = { account_id: made.accountId, test_api_key: made.testApiKey }
  await replaceFile(fileOf(rooms), `${JSON.stringify(account, null, 2)}\n`)
  return account
}
