// Reads delivery status notifications (RFC 3464): the recipient, the outcome, and the response behind it.
//
// Reporters bend the format, so the reader is lenient: it accepts fields in any order, groups without an empty line between
// them, a misspelt action, and the reply in an extension field (X-Supplementary-Info) or in the comment of the status. The
// words of the last receiver outweigh the reporter's own status, by the rules of bounceFromReply. At most 100 recipients
// are read.

import { isIP } from 'node:net'
import type { SmtpCommand } from '../smtp/bounce.ts'
import { type Fields, fieldOf, type ReportParts, splitHeader } from './parts.ts'
import type { ReportedRecipient } from './result.ts'
import { quotedReply, verdictOf } from './words.ts'

const RECIPIENTS_MOST = 100
const DIAGNOSTIC_CHARS = 4_096

/** Reads the machine-readable part of a report; empty when the message has none. */
export function readDeliveryStatus(report: ReportParts): readonly ReportedRecipient[] {
  const own = report.parts.find(({ type }) => /^message\/(?:global-)?delivery-status$/.test(type))
  const text = own?.text ?? embedded(report)
  if (text === null) return []
  const human = report.parts.find(({ type }) => type === 'text/plain' || type === 'text/html')?.text ?? ''
  const behind = addressesBehind(human)
  return groupsOf(text)
    .slice(0, RECIPIENTS_MOST)
    .map((group) => {
      const recipient = recipientOf(group, human)
      const next = behind.get(recipient.address?.toLowerCase() ?? '')?.shift()
      return next === undefined ? recipient : { ...recipient, behind: next }
    })
}

/**
 * Exim reports a failure behind an alias or a forward as one of the address that was mailed. Its text has both, in the order of the
 * groups: `gone@a.test` and below it `(generated from team@b.test)`.
 */
function addressesBehind(human: string): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const [, address = '', from = ''] of human.slice(0, 65_536).matchAll(GENERATED)) {
    const key = from.toLowerCase()
    found.set(key, [...(found.get(key) ?? []), address])
  }
  return found
}

const GENERATED =
  /^[ \t]{0,9}([^\s@<>]{1,64}@[^\s@<>]{1,255})\r?\n[ \t]{0,9}\((?:ultimately )?generated from ([^\s@<>()]{1,64}@[^\s@<>()]{1,255})\)/gm

/** Finds the fields when a mailbox or gateway lost the type of the part or wrote them into the text. */
function embedded(report: ReportParts): string | null {
  for (const { type, text } of report.parts) {
    if (type.startsWith('message/') && type !== 'message/delivery-status') continue
    const at = text.search(
      /^(?:Reporting-MTA|Final-Recipient|Original-Recipient)[ \t]{0,9}:[ \t]{0,99}(?:rfc822|dns|smtp|x-)/im,
    )
    if (at >= 0 && /^Action[ \t]{0,9}:/im.test(text.slice(at, at + 8_192))) return text.slice(at)
  }
  return null
}

const FINAL = 'final-recipient'
const RECIPIENT_FIELDS = [FINAL, 'original-recipient', 'x-actual-recipient']

function groupsOf(text: string): Fields[] {
  const groups: [string, string][][] = []
  let rest = text.trimStart()
  while (rest !== '' && groups.length <= RECIPIENTS_MOST) {
    const { fields, body } = splitHeader(rest)
    let group: [string, string][] = []
    for (const [name, value] of fields) {
      // Where the empty line is missing, a second recipient or action begins the next group.
      const again = (name === FINAL || name === 'action') && group.some(([key]) => key === name)
      if (again) {
        groups.push(group)
        group = []
      }
      group.push([name, value])
    }
    groups.push(group)
    rest = body.trimStart()
    if (fields.length === 0 && rest === body) break
  }
  return groups.filter((group) => group.some(([name]) => RECIPIENT_FIELDS.includes(name) || name === 'action'))
}

function recipientOf(group: Fields, human: string): ReportedRecipient {
  const named = addressOf(group)
  const address = named?.address ?? null
  const status = /[245]\.\d{1,3}\.\d{1,3}/.exec(fieldOf(group, 'status') ?? '')?.[0] ?? null
  const retries = fieldOf(group, 'will-retry-until') !== null
  const stated = actionOf(fieldOf(group, 'action'), status, retries)
  // OpenSMTPD reports its final failure as a delay.
  const action =
    stated === 'delayed' && status?.endsWith('.4.7') && /\benvelope expired\b/i.test(human.slice(0, 8_192))
      ? 'failed'
      : stated
  const diagnostic = diagnosticOf(group)
  const reply = diagnostic === null ? null : quotedReply(diagnostic)
  const command = commandOf(human, address, diagnostic)
  const { enhanced, smtpCode, verdict } = verdictOf({ words: reply?.words ?? diagnostic ?? '', reply, status, command })
  return {
    address,
    ...(named?.field === FINAL && { isFinal: true }),
    action,
    smtpCode,
    enhanced,
    diagnostic,
    command,
    ...remoteMtaOf(fieldOf(group, 'remote-mta') ?? ''),
    verdict: action === 'delivered' ? { type: 'unknown', category: 'unknown' } : verdict,
  }
}

/** Parses `dns; mx.example.net. (192.0.2.1)` and variants; an IP address may replace the name. */
function remoteMtaOf(value: string): Pick<ReportedRecipient, 'remoteHost' | 'remoteIp'> {
  const name = /;\s{0,9}([\w.-]{1,255})/.exec(value)?.[1]?.toLowerCase().replace(/\.+$/, '') ?? ''
  const quoted = /[[(](?:ipv6:)?([0-9a-f.:]{2,45})[\])]/i.exec(value.slice(0, 1_024))?.[1]?.toLowerCase() ?? ''
  const ip = [quoted, name].find((one) => isIP(one) !== 0) ?? null
  return { remoteHost: name === '' || isIP(name) !== 0 ? null : name, remoteIp: ip }
}

function addressOf(group: Fields): { readonly field: string; readonly address: string } | null {
  for (const field of RECIPIENT_FIELDS) {
    const address = recipientIn(fieldOf(group, field) ?? '')
    if (address !== null) return { field, address }
  }
  return null
}

/** The address in a field such as Final-Recipient. RFC 6533: with the type utf-8, the domain too may have other letters. */
export function recipientIn(field: string): string | null {
  const value = field.replace(/^[^;]{0,40};/, '')
  const address = /[^\s<>;,"]{1,200}@[\p{L}\p{M}\p{N}_.-]{1,255}/u.exec(value)?.[0]
  return address?.replace(/\.+$/, '') ?? null
}

function actionOf(value: string | null, status: string | null, retries: boolean): ReportedRecipient['action'] {
  const word = (value ?? '').trim().toLowerCase()
  if (word.startsWith('delay') || (retries && !word.startsWith('fail'))) return 'delayed'
  if (/^(?:deliver(?:ed|y$)|relay|expand)/.test(word)) return 'delivered'
  return !word.startsWith('fail') && status?.startsWith('2') ? 'delivered' : 'failed'
}

/** The most informative diagnostic field: one with a reply, else any with words, else the comment of the status. */
function diagnosticOf(group: Fields): string | null {
  const diagnostics = group.flatMap(([name, value]) =>
    /^(?:diagnostic-code|x-supplementary-info|x-notes-.{0,40}|x-.{0,40}diagnostic.{0,40})$/.test(name) && value !== ''
      ? [value.slice(0, DIAGNOSTIC_CHARS)]
      : [],
  )
  const status = fieldOf(group, 'status') ?? ''
  const comment = /\(([^)]{3,500})\)/.exec(status) ?? /[245]\.\d{1,3}\.\d{1,3}\s{1,9}(\S.{3,499})/.exec(status)
  return diagnostics.find((value) => quotedReply(value) !== null) ?? diagnostics[0] ?? comment?.[1] ?? null
}

const COMMANDS: readonly (readonly [SmtpCommand, RegExp])[] = [
  ['rcpt', /\brcpt[ _-]?(?:to|cmd|command)\b|smtp:rcpt\b|\brcpt:|>>> rcpt\b/i],
  [
    'data',
    /end of data|\b(?:after|final|during|to|sending|our) ?(?:final )?(?:the )?data\b|\bdata (?:command|phase|cmd)|>>> (?:data|\.)|pipelined DATA/i,
  ],
  ['mail', /\bmail[ _-]?from\b(?! :)|\bmail (?:command|phase)|sender was rejected/i],
  [
    'connect',
    /(?:initial connection|after (?:connect|initial)|\b(?:to|after) [EH][EH]LO\b|[EH][EH]LO command|starttls|greeting|smtp banner)/i,
  ],
]

/** The command that a reply answered, from the diagnostic or from the human-readable part around the address; null if unknown. */
function commandOf(human: string, address: string | null, diagnostic: string | null): SmtpCommand | null {
  const stated = commandIn(diagnostic ?? '') ?? transcriptCommand(human)
  if (stated !== null) return stated
  const at = address === null ? -1 : human.indexOf(address)
  const block = at < 0 ? human.slice(0, 8_192) : human.slice(at, at + 2_000).split(/\n[ \t]*\n/, 1)[0]
  return commandIn(block ?? '')
}

/** From Sendmail's transcript: `>>> RCPT To:<a@b>` and, some lines below, `<<< 550 ...`. */
function transcriptCommand(human: string): SmtpCommand | null {
  const refusal = /^<<< [45]\d\d/m.exec(human.slice(0, 65_536))
  if (refusal === null) return null
  const asked = human.lastIndexOf('>>> ', refusal.index)
  return asked < 0 ? null : commandIn(human.slice(asked, asked + 80))
}

/** @returns null when the text names no command */
export function commandIn(text: string): SmtpCommand | null {
  // Postfix names it in brackets at the end; the rest of the text may quote a command that another reply answered.
  const reply = /in reply to (?:the )?([a-z ]{4,30}?) command/i.exec(text)?.[1]
  const read = reply ?? text
  return COMMANDS.find(([, pattern]) => pattern.test(read))?.[0] ?? null
}
