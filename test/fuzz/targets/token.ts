// Signed return paths and unsubscribe addresses: only one that we made is accepted, compared without regard to case.

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import {
  readReturnPath,
  readUnsubscribeAddress,
  returnPath,
  unsubscribeAddress,
  type VerpIds,
} from '../../../src/mail/verp.ts'
import type { Target } from '../frame.ts'

const mac = (text: Buffer): Buffer => createHmac('sha256', 'return paths').update(text).digest()
const otherMac = (text: Buffer): Buffer => createHmac('sha256', 'unsubscribe').update(text).digest()
const EMAILS = ['018f0000-0000-7000-8000-000000000001', 'ffffffff-ffff-ffff-ffff-ffffffffffff']
const ACCOUNTS = ['018f0000-0000-7000-8000-00000000000a', '00000000-0000-0000-0000-000000000000']
const local = (address: string): string => address.slice(0, address.indexOf('@'))
const RETURNS = EMAILS.flatMap((email) => ACCOUNTS.map((account) => local(returnPath(mac, email, account, 'x'))))
const UNSUBSCRIBES = EMAILS.flatMap((email) =>
  ACCOUNTS.map((account) => local(unsubscribeAddress(otherMac, email, account, 'x'))),
)

export const target: Target = {
  name: 'token',
  about: 'signed return paths and unsubscribe addresses (verp)',
  seeds: [...RETURNS, ...UNSUBSCRIBES, RETURNS[0]?.toUpperCase() ?? '', `b+${'a'.repeat(61)}`, 'b+', 'u+'],
  words: ['b+', 'u+', 'B+', 'a', '7', '=', '@', '+', 'ı', 'K', '\u212a'],
  run: (input) => {
    const text = input.toString('utf8')
    const back = checked(readReturnPath(mac, text), RETURNS, text)
    const gone = checked(readUnsubscribeAddress(otherMac, text), UNSUBSCRIBES, text)
    return `${back} ${gone}`
  },
}

function checked(ids: VerpIds | null, made: readonly string[], text: string): boolean {
  const at = made.indexOf(text.toLowerCase())
  assert.equal(ids !== null, at >= 0, 'believed though nobody made it, or not though somebody did')
  if (ids === null) return false
  assert.equal(ids.emailId, EMAILS[Math.floor(at / ACCOUNTS.length)])
  const account = ACCOUNTS[at % ACCOUNTS.length] ?? ''
  assert.ok(ids.firstAccountId <= account && account <= ids.lastAccountId)
  return true
}
