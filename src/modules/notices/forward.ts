// Mail from people and machines to postmaster@ and abuse@ of the return-path host is forwarded to the operator, as a system mail
// that carries the original (RFC 5321 section 4.5.1, RFC 2142).
//
//   carried whole up to 5 MB; of a larger mail only the header is forwarded, and the mail itself is kept
//   at most 100 an hour; further mail is kept
//   also kept and never forwarded: a mail that we have forwarded before (it contains our own field), an autoresponder's answer,
//   and all mail while no operator's address is set, while that address is at this very host, or after it bounced today
//
// Kept means for 65 days, visible with `posthorn reports`, as long as there is room (bounces/report-storage.ts).

import { decodeWords } from 'postal-mime'
import { parseAddress } from '../../mail/address.ts'
import { fieldValue, parseHeaderBlock } from '../../mail/mime/headers.ts'
import { storableText } from '../../platform/db/storable-text.ts'
import type { Db } from '../../platform/db.ts'
import type { SystemMailer } from './system-mail.ts'

const WHOLE_BYTES = 5 * 1_048_576
const HEADER_BYTES = 65_536
const SEARCHED_BYTES = 1_048_576
const HOURLY_MOST = 100
const MARK = 'X-Posthorn-Forwarded'
const SUBJECT_CHARS = 200

export interface ForwardOptions {
  readonly mailer: SystemMailer
  /** Null: nothing is forwarded. */
  readonly operator: string | null
  readonly hostname: string
}

/** Runs in the transaction that completes the report. `sentInHour`: how many were forwarded in the last hour. */
export type Forward = (
  db: Db,
  mail: { readonly localPart: string; readonly raw: Buffer; readonly sentInHour: number },
) => Promise<{ readonly outcome: 'forwarded' | 'kept' | 'loop'; readonly keepRaw: boolean }>

export function operatorForward({ mailer, operator, hostname }: ForwardOptions): Forward {
  const parsed = operator === null ? null : parseAddress(operator)
  const to =
    parsed?.ok === true && parsed.address.domain.toLowerCase() !== hostname.toLowerCase() ? parsed.address : null
  return async (db, { localPart, raw, sentInHour }) => {
    const { fields, bodyStart } = parseHeaderBlock(raw, HEADER_BYTES)
    const valueOf = (key: string): string => {
      const field = fields.find((one) => one.key === key)
      return field === undefined ? '' : fieldValue(raw, field).trim()
    }
    if (isOurs(raw, hostname) || /^auto-replied/i.test(valueOf('auto-submitted')))
      return { outcome: 'loop', keepRaw: true }
    if (to === null || sentInHour >= HOURLY_MOST || !(await mailer.maySend(db, to)))
      return { outcome: 'kept', keepRaw: true }
    const whole = raw.length <= WHOLE_BYTES
    const subject = storableText(decodeWords(valueOf('subject')), SUBJECT_CHARS)
    await mailer.send(db, {
      to,
      subject: `[${localPart}@${hostname}] ${subject === '' ? '(no subject)' : subject}`,
      text: `This mail was sent to ${localPart}@${hostname}. ${whole ? 'The original is attached.' : `It is too large to attach (${raw.length} bytes), so only its header is attached. The whole mail is kept for 65 days, unless a gigabyte of such mail is kept already: find its id with posthorn reports list, and print it with posthorn reports show.`}\n`,
      attached: whole
        ? { type: 'message/rfc822', content: raw }
        : { type: 'text/rfc822-headers', content: raw.subarray(0, Math.min(bodyStart, HEADER_BYTES)) },
      headers: [
        [MARK, hostname],
        ['Precedence', 'bulk'],
      ],
    })
    return { outcome: 'forwarded', keepRaw: !whole }
  }
}

/** True also when somebody returned our mail inside another mail. */
function isOurs(raw: Buffer, hostname: string): boolean {
  const head = raw.toString('latin1', 0, SEARCHED_BYTES).toLowerCase()
  return head.includes(`\n${MARK}: ${hostname}\r\n`.toLowerCase())
}
