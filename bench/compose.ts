// CPU of composing and signing a 10 KB email on one core. Run: node bench/compose.ts

import { createPrivateKey } from 'node:crypto'
import { parseMailbox } from '../src/mail/address.ts'
import { createSigner, generateDkimKeys, hashBody, sign } from '../src/mail/authentication/dkim.ts'
import { compose, composeMessage, prepare } from '../src/mail/mime/compose.ts'

const ROUNDS = 5
const MAILS = 2_000

function mailbox(text: string) {
  const parsed = parseMailbox(text)
  if (!parsed.ok) throw new Error(parsed.reason)
  return parsed.mailbox
}

const paragraph = '<p style="margin: 0 0 16px">Grüße aus Köln, your order 4711 is on its way to you.</p>\n  '
const content = {
  html: paragraph.repeat(85),
  text: 'Grüße aus Köln, your order 4711 is on its way to you.\n'.repeat(40),
  attachments: [],
}
const envelope = {
  id: '01890a5d-ac96-774b-bcce-b302099a8057',
  messageId: '01890a5d-ac96-774b-bcce-b302099a8057@shop.example',
  date: new Date(0),
  from: mailbox('The Shop <news@shop.example>'),
  to: [mailbox('Ann <ann@example.net>')],
  cc: [],
  replyTo: [],
  subject: 'Your order is on its way – thank you',
  headers: [],
  listUnsubscribe: { https: 'https://t.shop.example/u/abcdef', mailto: null },
}
const { message } = composeMessage({ ...envelope, ...content })
const prepared = prepare(content)
const key = createPrivateKey((await generateDkimKeys()).privateKey)
const signer = createSigner({ domain: 'shop.example', selector: 's', key })

const tasks: [name: string, run: () => unknown][] = [
  ['prepare and compose', () => composeMessage({ ...envelope, ...content })],
  ['compose, prepared before', () => compose(prepared, envelope)],
  ['body hash', () => hashBody(message)],
  ['sign, RSA-2048', () => sign(message, [signer], { signedAt: new Date(0), expiresAfterSeconds: 864_000 })],
]
console.log(`a mail of ${message.length} bytes; CPU milliseconds each, best of ${ROUNDS}`)
for (const [name, run] of tasks) {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage()
    for (let mail = 0; mail < MAILS; mail++) await run()
    const { user, system } = process.cpuUsage(before)
    best = Math.min(best, (user + system) / 1_000 / MAILS)
  }
  console.log(`${name.padEnd(28)} ${best.toFixed(4)}`)
}
