// What stands around every page: navigation, keyboard, sign-in.

import { Link, Outlet, useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { ApiProblem, call, type Json, useApi } from './api.ts'
import { SignIn } from './sign-in.tsx'
import { Button, Problem, Waiting } from './ui.tsx'

const GROUPS: readonly (readonly [
  title: string,
  items: readonly (readonly [path: string, name: string, key?: string])[],
])[] = [
  ['', [['/', 'Overview', 'o']]],
  [
    'Send',
    [
      ['/emails', 'Emails', 'e'],
      ['/inbox', 'Inbox', 'i'],
      ['/templates', 'Templates', 't'],
      ['/contacts', 'Contacts', 'c'],
    ],
  ],
  [
    'Reputation',
    [
      ['/domains', 'Domains', 'd'],
      ['/tracking-domains', 'Tracking domains'],
      ['/health', 'Health', 'h'],
      ['/suppressions', 'Suppressions', 's'],
      ['/unsubscribes', 'Unsubscribes', 'u'],
      ['/bounces', 'Bounces', 'b'],
    ],
  ],
  [
    'Check',
    [
      ['/validation', 'Validation', 'v'],
      ['/risk', 'Content and risk', 'r'],
    ],
  ],
  [
    'Build',
    [
      ['/webhooks', 'Webhooks', 'w'],
      ['/keys', 'API keys', 'k'],
      ['/smtp', 'SMTP', 'm'],
      ['/usage', 'Usage', 'g'],
    ],
  ],
  ['', [['/settings', 'Settings', ',']]],
]

export function Frame() {
  const me = useApi('/session')
  if (me.isPending)
    return (
      <div className="p-8">
        <Waiting />
      </div>
    )
  if (me.error instanceof ApiProblem && me.error.status === 401) return <SignIn />
  if (me.error !== null)
    return (
      <div className="p-8">
        <Problem error={me.error} />
      </div>
    )
  return <Inside me={me.data.data} />
}

function Inside({ me }: { readonly me: Json }) {
  const [open, setOpen] = useState(false)
  const [help, setHelp] = useState(false)
  useKeys(() => setHelp((shown) => !shown))
  const signOut = async (): Promise<void> => {
    await call('DELETE', '/session')
    location.assign('/')
  }
  return (
    <div className="flex min-h-dvh flex-col md:flex-row">
      <a href="#main" className="sr-only focus:not-sr-only focus:absolute focus:p-2">
        Skip to content
      </a>
      <header className="flex items-center justify-between border-b border-line px-4 py-2 md:hidden">
        <span className="font-semibold">Posthorn</span>
        <Button onClick={() => setOpen(!open)}>{open ? 'Close' : 'Menu'}</Button>
      </header>
      <nav
        aria-label="Main"
        className={`${open ? 'block' : 'hidden'} shrink-0 border-line px-4 py-4 md:sticky md:top-0 md:block md:h-dvh md:w-52 md:overflow-y-auto md:border-r`}
      >
        <p className="mb-3 hidden font-semibold md:block">
          <span className="text-brass" aria-hidden="true">
            ◖
          </span>{' '}
          Posthorn
        </p>
        {GROUPS.map(([title, items], i) => (
          <div key={title === '' ? i : title} className="mb-3">
            {title !== '' && <p className="mb-1 text-xs tracking-wide text-quiet uppercase">{title}</p>}
            <ul>
              {items.map(([path, name]) => (
                <li key={path}>
                  <Link
                    to={path as '/'}
                    onClick={() => setOpen(false)}
                    activeOptions={{ exact: path === '/' }}
                    className="block rounded px-2 py-1 no-underline hover:bg-line/50"
                    activeProps={{ className: 'bg-line/60 font-medium', 'aria-current': 'page' }}
                  >
                    {name}
                  </Link>
                </li>
              ))}
              {title === 'Build' && (
                <li>
                  <a href="/docs" className="block rounded px-2 py-1 no-underline hover:bg-line/50">
                    Docs
                  </a>
                </li>
              )}
            </ul>
          </div>
        ))}
        <div className="mt-6 border-t border-line pt-3 text-quiet">
          <p className="truncate" title={me.user.email}>
            {me.user.email}
          </p>
          <p className="truncate text-xs">
            {me.account.name}, {me.user.role}
          </p>
          <button type="button" onClick={() => void signOut()} className="mt-2 cursor-pointer underline">
            Sign out
          </button>
        </div>
      </nav>
      <div className="min-w-0 flex-1">
        <Outlet />
      </div>
      {help && <KeyHelp close={() => setHelp(false)} />}
    </div>
  )
}

function KeyHelp({ close }: { readonly close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog
      ref={dialog}
      onClose={close}
      aria-label="Keyboard"
      className="m-auto rounded border border-line bg-raised p-6 text-ink"
    >
      <h2 className="mb-3 font-semibold">Keyboard</h2>
      <ul className="grid grid-cols-2 gap-x-8 gap-y-1">
        {GROUPS.flatMap(([, items]) => items).map(([path, name, key]) =>
          key === undefined ? null : (
            <li key={path}>
              <kbd className="font-mono">g {key}</kbd> {name}
            </li>
          ),
        )}
        <li>
          <kbd className="font-mono">/</kbd> search
        </li>
        <li>
          <kbd className="font-mono">?</kbd> this list
        </li>
      </ul>
      <form method="dialog" className="mt-4">
        <Button type="submit">Close</Button>
      </form>
    </dialog>
  )
}

/** `g` and a letter go to a page, `/` to the search, `?` shows the list. Nothing is taken from a field that is typed in. */
function useKeys(showHelp: () => void): void {
  const navigate = useNavigate()
  const going = useRef(false)
  const help = useRef(showHelp)
  help.current = showHelp
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement | null
      if (event.ctrlKey || event.metaKey || event.altKey) return
      if (target !== null && /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return
      if (going.current) {
        going.current = false
        const found = GROUPS.flatMap(([, items]) => items).find(([, , key]) => key === event.key)
        if (found !== undefined) void navigate({ to: found[0] as '/' })
        return
      }
      if (event.key === 'g') going.current = true
      else if (event.key === '?') help.current()
      else if (event.key === '/') {
        const search = document.querySelector<HTMLInputElement>('[name=search]')
        if (search === null) return
        event.preventDefault()
        search.focus()
      }
    }
    document.addEventListener('keydown', pressed)
    return () => document.removeEventListener('keydown', pressed)
  }, [navigate])
}
