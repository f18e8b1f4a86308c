// Keyboard shortcuts: `g` and a letter open a page, `/` goes to the search, `j` and `k` move through rows, Ctrl-K opens the palette,
// `?` lists the shortcuts. They are inactive while typing in a field and in open dialogs. Shortcuts of a single character can be
// turned off, for people whose speech input or hands press keys by mistake (WCAG 2.1.4).

import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { Checkbox } from '../ui/checkbox.tsx'
import { Button } from '../ui/ui.tsx'
import { type Person, placesFor } from './nav.ts'

/** The elements that `j` and `k` move over. */
export const ROW = '[data-row]'

/** Key in the browser's storage. */
const SINGLE_KEYS = 'posthorn.single-keys'

function areSingleKeysOn(): boolean {
  return localStorage.getItem(SINGLE_KEYS) !== 'off'
}

export function useShortcuts(
  person: Person,
  { showHelp, showPalette }: { showHelp: () => void; showPalette: () => void },
): void {
  const navigate = useNavigate()
  const going = useRef(false)
  const open = useRef({ showHelp, showPalette, person })
  open.current = { showHelp, showPalette, person }
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        open.current.showPalette()
        return
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTaken(event.target) || !areSingleKeysOn()) return
      if (going.current) {
        going.current = false
        const found = placesFor(open.current.person).find(({ key }) => key === event.key)
        if (found !== undefined) void navigate({ to: found.path as '/' })
        return
      }
      if (event.key === 'g') going.current = true
      else if (event.key === '?') open.current.showHelp()
      else if (event.key === 'j' || event.key === 'k') walk(event.key === 'j' ? 1 : -1)
      else if (event.key === '/') {
        // In a list with an add form, the search field and not the form.
        const search =
          document.querySelector<HTMLInputElement>('main [role=search] input') ??
          document.querySelector<HTMLInputElement>('main form input')
        if (search === null) return
        event.preventDefault()
        search.focus()
      }
    }
    document.addEventListener('keydown', pressed)
    return () => document.removeEventListener('keydown', pressed)
  }, [navigate])
}

function isTaken(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.closest('dialog') !== null
}

/** Moves to the first link of the next or previous row; on the page of one email, opens the neighbouring one. */
function walk(step: number): void {
  if (document.querySelector('main :is(a[rel=next], a[rel=prev])') !== null) {
    document.querySelector<HTMLElement>(step > 0 ? 'main a[rel=next]' : 'main a[rel=prev]')?.click()
    return
  }
  const rows = [...document.querySelectorAll<HTMLElement>(ROW)]
  const here = rows.findIndex((row) => row.contains(document.activeElement))
  const next = rows[here === -1 ? (step > 0 ? 0 : rows.length - 1) : here + step]
  const target = next?.querySelector<HTMLElement>('a, button')
  target?.focus()
  target?.scrollIntoView({ block: 'nearest' })
}

const MORE: readonly (readonly [keys: string, what: string])[] = [
  ['Ctrl K', 'search pages, emails, domains and actions'],
  ['/', 'search on this page'],
  ['j  k', 'next and previous row, or email of the list you came from'],
  ['Enter', 'open the row'],
  ['?', 'show this list'],
]

export function ShortcutHelp({ person, close }: { readonly person: Person; readonly close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [single, setSingle] = useState(areSingleKeysOn)
  const turn = (checked: boolean): void => {
    localStorage.setItem(SINGLE_KEYS, checked ? 'on' : 'off')
    setSingle(checked)
  }
  useEffect(() => dialog.current?.showModal(), [])
  const rows = [
    ...MORE,
    ...placesFor(person).flatMap(({ key, name }) => (key === undefined ? [] : [[`g  ${key}`, name] as const])),
  ]
  return (
    <dialog
      ref={dialog}
      onClose={close}
      aria-label="Keyboard shortcuts"
      className="m-auto w-[40rem] max-w-[92vw] rounded border border-line bg-raised p-6 text-ink backdrop:bg-black/40"
    >
      <div className="mb-3 flex items-center justify-between gap-3">
        <h2 className="font-semibold">Keyboard shortcuts</h2>
        <form method="dialog">
          <Button type="submit">Close</Button>
        </form>
      </div>
      <dl className="gap-x-8 sm:columns-2">
        {rows.map(([keys, what]) => (
          <div key={keys} className="flex gap-3 py-0.5">
            <dt className="w-16 shrink-0 font-mono text-xs whitespace-pre text-quiet">{keys}</dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <Checkbox className="mt-4 min-h-6" checked={single} onChange={turn}>
        Use the shortcuts without Ctrl
      </Checkbox>
    </dialog>
  )
}
