// The command palette (Ctrl-K): pages, the latest matching emails, domains and frequent actions.

import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useDeferredValue, useEffect, useId, useRef, useState } from 'react'
import { type Json, problemText, useApi, withQuery } from '../api/api.ts'
import { type Scope, usePermission } from '../api/permissions.tsx'
import { bareOf } from '../ui/pasted-address.ts'
import { type Person, placesFor } from './nav.ts'

interface Hit {
  readonly name: string
  readonly note: string
  readonly to: string
  readonly needs?: Scope
}

const ACTIONS: readonly Hit[] = [
  { name: 'Add a domain', note: 'Domains', to: '/domains', needs: 'domains:write' },
  { name: 'Create an API key', note: 'API keys', to: '/keys', needs: 'api_keys:write' },
  { name: 'Add a webhook', note: 'Webhooks', to: '/webhooks', needs: 'webhooks:write' },
  { name: 'Create a template', note: 'Templates', to: '/templates', needs: 'templates:write' },
  { name: 'Suppress an address', note: 'Suppressions', to: '/suppressions', needs: 'suppressions:write' },
  {
    name: 'Import suppressions',
    note: 'Suppressions',
    to: '/suppressions?import=1',
    needs: 'suppressions:write',
  },
  { name: 'Validate an address or a list', note: 'Validation', to: '/validation', needs: 'validation' },
  { name: 'Why did an email not arrive? Bounced emails', note: 'Emails', to: '/emails?status=bounced' },
  { name: 'Deferred emails', note: 'Emails', to: '/emails?status=deferred' },
]
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const MIN_CHARS = 3
const MAX_HITS = 14
/** Time without a key after which it asks: a search for each letter of a word would hold up the account's others. */
const SETTLE_MS = 200

export function Palette({ person, close }: { readonly person: Person; readonly close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const { hits, says } = useHits(useDeferredValue(bareOf(text)), person)
  const at = Math.min(chosen, Math.max(0, hits.length - 1))
  useEffect(() => dialog.current?.showModal(), [])
  useEffect(() => {
    document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: 'nearest' })
  }, [id, at])
  const go = ({ to }: Hit): void => {
    dialog.current?.close()
    void navigate({ href: to })
  }
  const pressed = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) {
      event.preventDefault()
      setChosen((at + step + hits.length) % Math.max(1, hits.length))
    } else if (event.key === 'Enter') {
      event.preventDefault()
      const hit = hits[at]
      if (hit !== undefined) go(hit)
    }
  }
  return (
    <dialog
      ref={dialog}
      onClose={close}
      aria-label="Search or jump to"
      className="mx-auto mt-[12vh] w-[36rem] max-w-[92vw] rounded border border-line bg-raised p-0 text-ink shadow-lg backdrop:bg-black/40"
    >
      <input
        role="combobox"
        aria-label="Search for a page, an email, a domain or an action"
        aria-expanded={hits.length > 0}
        aria-controls={`${id}-hits`}
        aria-activedescendant={hits.length > 0 ? `${id}-${at}` : undefined}
        autoComplete="off"
        placeholder="Page, subject, address or domain…"
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setChosen(0)
        }}
        onKeyDown={pressed}
        className="w-full border-b border-line bg-transparent px-4 py-3 text-base outline-none placeholder:text-quiet"
      />
      <ul id={`${id}-hits`} role="listbox" aria-label="Results" className="max-h-[50vh] overflow-y-auto p-1">
        {hits.map((hit, i) => (
          <li
            key={`${hit.to} ${hit.name}`}
            id={`${id}-${i}`}
            role="option"
            aria-selected={i === at}
            onClick={() => go(hit)}
            onMouseMove={() => setChosen(i)}
            className={`flex cursor-pointer justify-between gap-4 rounded px-3 py-1.5 ${i === at ? 'bg-line/60' : ''}`}
          >
            <span className="truncate">{hit.name}</span>
            <span className="shrink-0 truncate text-quiet">{hit.note}</span>
          </li>
        ))}
      </ul>
      <p role="status" className="px-4 text-quiet not-empty:pb-3">
        {says}
      </p>
    </dialog>
  )
}

interface Found {
  readonly hits: readonly Hit[]
  /** What is said below them: that there are none, or not yet, or why not. */
  readonly says: string
}

function useHits(text: string, person: Person): Found {
  const may = usePermission()
  const settled = useSettled(text)
  const asks = text.length >= MIN_CHARS && settled.length >= MIN_CHARS
  const by = settled.includes('@') ? { recipient: settled } : { search: settled }
  const emails = useApi(withQuery('/emails', { ...by, limit: 5 }), { enabled: asks })
  const domains = useApi(withQuery('/customer/domains', { search: settled, limit: MAX_HITS }), { enabled: asks })
  const fits = ({ name, note }: Hit): boolean => `${name} ${note}`.toLowerCase().includes(text.toLowerCase())
  const places = placesFor(person).map(({ path, name, key }) => ({
    name,
    note: key === undefined ? '' : `g ${key}`,
    to: path,
  }))
  const own = [...places, ...ACTIONS.filter(({ needs }) => may(needs))].filter(fits)
  const said = (hits: readonly Hit[]): Found => {
    const error = asks ? (emails.error ?? domains.error) : null
    if (error !== null) return { hits, says: problemText(error) }
    const waits = settled !== text || (asks && [emails, domains].some((one) => one.isPending || one.isPlaceholderData))
    return { hits, says: hits.length > 0 ? '' : waits ? 'Searching…' : 'No results.' }
  }
  if (!asks) return said(own.slice(0, MAX_HITS))
  const mails: readonly Hit[] = (emails.data?.data ?? []).map(({ id, subject, to, status }: Json) => ({
    name: subject === '' ? '(no subject)' : subject,
    note: `${status}, ${to}`,
    to: `/emails/${id}`,
  }))
  const domainHits: readonly Hit[] = (domains.data?.data ?? [])
    .map(({ id, domain }: Json) => ({ name: domain, note: 'domain', to: `/domains/${id}` }))
    .filter(fits)
  const byId = UUID.test(text) ? [{ name: text, note: 'email with this ID', to: `/emails/${text}` }] : []
  return said([...byId, ...own, ...domainHits, ...mails].slice(0, MAX_HITS))
}

/** The text as it was when it last stayed the same for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
