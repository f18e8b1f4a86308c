// Clients that hand in large mails by submission and by REST, all from one shared buffer.

import http from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { plain, type SmtpSession, smtpSession } from './submission.ts'

const LINE = Buffer.from(`${'QUJD'.repeat(19)}\r\n`)
const BASE64 = Buffer.alloc(65_536, 'QUJD')
const CHUNK = Buffer.alloc(LINE.length * 1_000, LINE)
const HEAD = `From: Shop <a@shop.example>\r\nTo: b@example.net\r\nSubject: large\r\nMIME-Version: 1.0\r\nContent-Type: application/pdf; name=a.pdf\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: attachment; filename=a.pdf\r\n\r\n`
const MAIL = { from: 'a@shop.example', to: 'b@example.net', subject: 'large', text: 'see the attachment' }

/** The kinds of mail that `sendLarge` makes: head and repeated lines. The text is HTML that must be re-encoded (8-bit). */
const KINDS = {
  attachment: [HEAD, CHUNK],
  text: [
    'From: Shop <a@shop.example>\r\nTo: b@example.net\r\nSubject: large\r\nMIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n',
    Buffer.from(
      `<p>Grüße aus <a href="https://shop.example/offer?id=1">unserem Laden</a>, wie gewünscht.</p>\r\n`.repeat(800),
    ),
  ],
} as const

/** The parts of a mail before and after a base64 attachment. */
export const AROUND: readonly [string, string] = (() => {
  const [head = '', tail = ''] = JSON.stringify({ ...MAIL, attachments: [{ filename: 'a.pdf', content: '#' }] }).split(
    '#',
  )
  return [head, tail]
})()

/** Logs in over implicit TLS. @throws with the reply when the key is refused */
export async function logIn(port: number, key: string): Promise<SmtpSession> {
  const session = await smtpSession(port, { secure: true })
  await session.ask('EHLO bench.test')
  const answer = await session.ask(`AUTH PLAIN ${plain('apikey', key)}`)
  if (!answer.startsWith('235')) throw new Error(answer)
  return session
}

/** @returns the reply to MAIL when it refuses, else the reply to the final dot */
export async function sendLarge(
  session: SmtpSession,
  bytes: number,
  declared: boolean,
  kind: keyof typeof KINDS = 'attachment',
): Promise<string> {
  const [head, chunk] = KINDS[kind]
  const mail = await session.ask(`MAIL FROM:<a@shop.example>${declared ? ` SIZE=${bytes}` : ''}`)
  if (!mail.startsWith('250')) return mail
  await session.ask('RCPT TO:<b@example.net>')
  await session.ask('DATA')
  session.write(head)
  for (let sent = head.length; sent + chunk.length <= bytes; sent += chunk.length) {
    session.write(chunk)
    await delay(0)
  }
  return session.ask('.')
}

/** @param around the parts before and after the bytes */
export function postLarge(
  url: string,
  key: string,
  bytes: number,
  around: readonly [string, string] = ['', ''],
): Promise<number> {
  return new Promise((resolve, reject) => {
    const [before, behind] = around
    const length = before.length + bytes + behind.length
    const headers = { 'x-api-key': key, 'content-type': 'application/json', 'content-length': length }
    const request = http.request(`${url}/api/v1/send`, { method: 'POST', headers }, (reply) => {
      reply.resume()
      reply.on('end', () => resolve(reply.statusCode ?? 0))
      request.destroy()
    })
    request.on('error', reject)
    request.write(before)
    let left = bytes
    const write = (): void => {
      while (left > 0 && !request.destroyed) {
        const chunk = BASE64.subarray(0, left)
        left -= chunk.length
        if (!request.write(chunk)) {
          request.once('drain', write)
          return
        }
      }
      if (!request.destroyed) request.end(behind)
    }
    write()
  })
}
