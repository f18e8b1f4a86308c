// Shows an email in a frame that may run nothing, load nothing and lead nowhere. Its links are extracted and shown as text. None can
// be followed from here, so viewing an email never counts as a click.

import { useState } from 'react'
import { bytesAt, type Json, useApiText } from '../api/api.ts'
import { saveBytes } from '../files/save.ts'
import { pageFile } from '../page-files.tsx'
import { Button, Code, Copy, Empty, Problem, Waiting } from '../ui/ui.tsx'
import { figure } from '../words/number-format.ts'
import type { Listed } from './attachments.ts'

type View = 'html' | 'text' | 'source' | 'headers' | 'links'

const NAMES: Readonly<Record<View, string>> = {
  html: 'HTML',
  text: 'Text',
  headers: 'Headers',
  links: 'Links',
  source: 'Source',
}
/** Gmail shows at most this much of an email's HTML and hides the rest behind a link. */
const GMAIL_CLIPS_BYTES = 102 * 1_024
/** Marks an email with colours for dark mode; without it the frame stays light. */
const DARK_DESIGN = /prefers-color-scheme|color-scheme|supported-color-schemes/i

export function Preview({
  base,
  mail,
}: {
  /** API path of the email; `/preview` and `/raw` are below it. */
  readonly base: string
  /** With `html`, `text` and `attachments`. */
  readonly mail: Json
}) {
  const html: string | null = mail.html
  const [view, setView] = useState<View>(html === null ? 'text' : 'html')
  const [narrow, setNarrow] = useState(false)
  const [dark, setDark] = useState(false)
  const views: readonly View[] = [...(html === null ? [] : (['html'] as const)), 'text', 'headers', 'links', 'source']
  return (
    <div>
      <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
        <div className="flex flex-wrap gap-1" role="group" aria-label="View">
          {views.map((name) => (
            <Button key={name} small pressed={view === name} onClick={() => setView(name)}>
              {NAMES[name]}
            </Button>
          ))}
        </div>
        {view === 'html' && (
          <div className="flex flex-wrap gap-1" role="group" aria-label="Display">
            <Button small pressed={narrow} onClick={() => setNarrow(!narrow)}>
              Phone width
            </Button>
            <Button small pressed={dark} onClick={() => setDark(!dark)}>
              Dark
            </Button>
          </div>
        )}
      </div>
      {view === 'html' && (
        <>
          <iframe
            title="Message preview"
            sandbox=""
            src={`/api/v1${base}/preview`}
            className={`h-[34rem] rounded border border-line ${dark ? 'scheme-dark bg-[#1f1f1f]' : 'scheme-light bg-white'} ${narrow ? 'mx-auto block w-[375px] max-w-full' : 'w-full'}`}
          />
          {dark && !DARK_DESIGN.test(html ?? '') && (
            <p role="status" className="mt-1 text-xs text-quiet">
              This email has no dark style: most apps show it like this, and some invert its colors on their own.
            </p>
          )}
          <Size html={html ?? ''} />
        </>
      )}
      {view === 'text' && (mail.text === null ? <Empty>No text part.</Empty> : <Code text={mail.text} />)}
      {view === 'links' && <Links html={html} text={mail.text} />}
      {(view === 'source' || view === 'headers') && <Raw base={base} headersOnly={view === 'headers'} />}
      {mail.attachments.length > 0 && <Attachments base={base} list={mail.attachments} />}
    </div>
  )
}

function Size({ html }: { readonly html: string }) {
  const bytes = new TextEncoder().encode(html).length
  const part = Math.min(1, bytes / GMAIL_CLIPS_BYTES)
  return (
    <p className={`mt-1 text-xs ${part === 1 ? 'text-bad' : 'text-quiet'}`}>
      {(bytes / 1_024).toFixed(1)} KB of HTML.{' '}
      {part === 1
        ? 'Gmail shows 102 KB of it and hides the rest: make it smaller.'
        : `Gmail clips at 102 KB: ${Math.round(part * 100)} % of that.`}
    </p>
  )
}

/** The code that reads an email's files is loaded on demand, like a page. */
const reader = pageFile(() => import('./attachments.ts'))

/** Files are saved and never shown: a stranger's content must not run near the session. */
function Attachments({ base, list }: { readonly base: string; readonly list: readonly Listed[] }) {
  const [busy, setBusy] = useState<number | null>(null)
  const [error, setError] = useState<unknown>(null)
  const download = async (file: Listed, place: number): Promise<void> => {
    setError(null)
    setBusy(place)
    try {
      const [{ fileIn, savedAs }, source] = await Promise.all([reader(), bytesAt(`${base}/raw`)])
      const bytes = await fileIn(source, list, place)
      if (bytes === null)
        throw new Error('It was not found in the source of the mail, which can be downloaded as .eml.')
      saveBytes(savedAs(file, place), bytes)
    } catch (problem) {
      setError(problem)
    } finally {
      setBusy(null)
    }
  }
  return (
    <>
      <ul className="mt-3" aria-label="Attachments">
        {list.map((file, i) => (
          // oxlint-disable-next-line react/no-array-index-key -- two may have the same name
          <li key={i} className="flex items-baseline gap-x-4 border-t border-line py-1.5">
            <span className="flex min-w-0 flex-1 flex-wrap gap-x-4">
              <span className="font-semibold break-all">{file.filename ?? '(no name)'}</span>
              <span className="text-quiet">
                {file.content_type}, {figure(file.size)} bytes
              </span>
            </span>
            <Button small disabled={busy !== null} onClick={() => void download(file, i)}>
              {busy === i ? 'Reading…' : 'Download'}
              <span className="sr-only"> {file.filename ?? `attachment ${i + 1}`}</span>
            </Button>
          </li>
        ))}
      </ul>
      <Problem error={error} />
    </>
  )
}

function Raw({ base, headersOnly }: { readonly base: string; readonly headersOnly: boolean }) {
  const found = useApiText(`${base}/raw`)
  if (found.error !== null) return <Problem error={found.error} />
  if (found.data === undefined) return <Waiting lines={8} />
  if (!headersOnly)
    return (
      <>
        <Code text={found.data} />
        <a href={`/api/v1${base}/raw`} download="mail.eml" className="mt-1 inline-block text-quiet underline">
          Download as .eml
        </a>
      </>
    )
  return (
    <dl className="grid gap-2">
      {headersOf(found.data).map(([name, value], i) => (
        // oxlint-disable-next-line react/no-array-index-key -- a header may come twice
        <div key={i} className="grid gap-x-4 border-b border-line pb-2 sm:grid-cols-[11rem_1fr]">
          <dt className="text-quiet">{name}</dt>
          <dd className="min-w-0">
            <code className="font-mono text-xs break-all">{value}</code>
            {explained(name, value) !== null && <p className="text-quiet">{explained(name, value)}</p>}
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** Header fields of a message, unfolded, in order. */
function headersOf(source: string): readonly (readonly [name: string, value: string])[] {
  const head = source.split(/\r?\n\r?\n/, 1)[0] ?? ''
  return head
    .replaceAll(/\r?\n[ \t]+/g, ' ')
    .split(/\r?\n/)
    .map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon), line.slice(colon + 1).trim()] as const
    })
}

function explained(name: string, value: string): string | null {
  const tag = (wanted: string): string => new RegExp(`(?:^|;)\\s*${wanted}=([^;]*)`).exec(value)?.[1]?.trim() ?? '?'
  switch (name.toLowerCase()) {
    case 'dkim-signature':
      return `Signed for ${tag('d')} with the key at ${tag('s')}._domainkey.${tag('d')}.`
    case 'list-unsubscribe':
      return 'Email apps use it to show an unsubscribe button of their own.'
    case 'list-unsubscribe-post':
      return 'Allows unsubscribing with one click in the email app (RFC 8058); Google and Yahoo require it for bulk email.'
    case 'feedback-id':
      return 'Gmail groups complaints by it in Postmaster Tools.'
    case 'authentication-results':
      return /=(?:fail|softfail|permerror)/.test(value)
        ? 'The receiver found a problem: look for the check that failed.'
        : 'What the receiver found: SPF checks the sending server, DKIM the signature, DMARC that one fits the From.'
    default:
      return null
  }
}

function Links({ html, text }: { readonly html: string | null; readonly text: string | null }) {
  const links = linksOf(html, text)
  if (links.length === 0) return <Empty>No links.</Empty>
  return (
    <ul>
      {links.map(([address, words]) => (
        <li key={`${address} ${words}`} className="flex items-start gap-3 border-b border-line py-1.5">
          <span className="min-w-0 flex-1">
            {words !== '' && <span className="block truncate">{words}</span>}
            <code className="font-mono text-xs break-all text-quiet">{address}</code>
          </span>
          <Copy text={address} what={address} />
        </li>
      ))}
    </ul>
  )
}

// Read with patterns, not the browser's parser, which checks the page's policy for every inline style and handler of a stranger's
// email, even when it runs none.
const LINK = /<(?:a|area)\s[^>]*?href\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))[^>]*>(?:(.{0,2000}?)<\/a\s*>)?/gis
const BARE_LINK = /https?:\/\/[^\s<>"]+/g
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

function linksOf(html: string | null, text: string | null): readonly (readonly [address: string, words: string])[] {
  const found = new Map<string, string>()
  if (html === null) for (const [address] of (text ?? '').matchAll(BARE_LINK)) found.set(address, '')
  else
    for (const [, double, single, bare, inner = ''] of html.matchAll(LINK)) {
      const address = plain(double ?? single ?? bare ?? '')
      if (!found.has(address)) found.set(address, plain(inner.replaceAll(/<[^>]*>/g, ' ')).slice(0, 200))
    }
  return [...found]
}

function plain(text: string): string {
  return text
    .replaceAll(/&(\w+|#\d+|#x[\da-f]+);/gi, (whole, name: string) => {
      if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()] ?? whole
      const code = name[1]?.toLowerCase() === 'x' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
    })
    .replaceAll(/\s+/g, ' ')
    .trim()
}
