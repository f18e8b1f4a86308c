// The frame of every page: navigation, keyboard, event stream, sign-in.

import { Link, Outlet, useLocation, useRouter } from '@tanstack/react-router'
import { type FocusEvent, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { ApiProblem, call, type Json, problemText, queries, setShownAccount, useApi } from '../api/api.ts'
import { followEvents, useLive } from '../api/event-stream.ts'
import { PermissionsProvider } from '../api/permissions.tsx'
import { Announcements, announce } from '../ui/announcements.tsx'
import { Button, Pending } from '../ui/ui.tsx'
import { ForbiddenPage } from './forbidden.tsx'
import { closedTo, groupsFor, type Person } from './nav.ts'
import { Palette } from './palette.tsx'
import { refresher } from './refresh.ts'
import { Scroller } from './scroller.tsx'
import { ShortcutHelp, useShortcuts } from './shortcuts.tsx'
import { SignIn } from './sign-in.tsx'

export function Frame() {
  const settingUp = location.pathname === '/setup'
  const me = useApi('/session', { enabled: !settingUp })
  const account: Json = me.data?.data.account
  const who = account === undefined ? undefined : `${me.data.data.user.id} ${account.id}`
  useForgetting(who, account)
  if (settingUp) return <Outlet />
  const signedOut = me.error instanceof ApiProblem && me.error.status === 401
  // When a session ends while somebody is typing, the hidden page is kept until the same person signs in again.
  if (me.data !== undefined)
    return (
      <>
        {signedOut && <SignIn again />}
        <div hidden={signedOut}>
          <PermissionsProvider value={me.data.data.scopes}>
            <Inside key={who} me={me.data.data} away={signedOut} />
          </PermissionsProvider>
        </div>
      </>
    )
  if (signedOut) return <SignIn />
  return (
    <div className="p-8">
      <Pending error={me.error} />
    </div>
  )
}

/** Data fetched for one person is not shown to the next, who may have signed in on another tab. */
function useForgetting(who: string | undefined, account: Json): void {
  const last = useRef(who)
  useLayoutEffect(() => {
    if (who === undefined || who === last.current) return
    setShownAccount(account.id)
    if (last.current !== undefined) {
      announce(`Now signed in to ${account.name}.`)
      void queries.resetQueries({ predicate: ({ queryKey: [key] }) => key !== '/session' })
    }
    last.current = who
  }, [who, account])
}

function Inside({
  me,
  away,
}: {
  readonly me: Json
  /** Signed out: no events are followed meanwhile. */
  readonly away: boolean
}) {
  const [open, setOpen] = useState(false)
  const [help, setHelp] = useState(false)
  const [palette, setPalette] = useState(false)
  const closed = closedTo(me, useLocation({ select: ({ pathname }) => pathname }))
  useShortcuts(me, { showHelp: () => setHelp(true), showPalette: () => setPalette(true) })
  useEffect(() => (away ? undefined : followEvents(refresher())), [away])
  const header = useRef<HTMLElement>(null)
  const menu = useRef<HTMLElement>(null)
  const content = useRef<HTMLDivElement>(null)
  useFocusOnMove(() => setOpen(false))
  useEscape(open, () => {
    setOpen(false)
    if (menu.current?.contains(document.activeElement))
      header.current?.querySelector<HTMLElement>('[aria-expanded]')?.focus()
  })
  // An open menu covers the page, so it closes when the focus moves on to the page.
  const left = ({ relatedTarget: to }: FocusEvent): void => {
    if (content.current?.contains(to)) setOpen(false)
  }
  return (
    <div className="flex min-h-dvh flex-col lg:flex-row">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-30 focus:rounded focus:border focus:border-line focus:bg-raised focus:px-3 focus:py-2"
      >
        Skip to content
      </a>
      <header
        ref={header}
        className="sticky top-0 z-20 flex items-center justify-between border-b border-line bg-paper px-4 py-2 lg:hidden"
      >
        <Brand />
        <span className="flex gap-2">
          <Button onClick={() => setPalette(true)}>Jump to</Button>
          <Button expanded={open} onClick={() => setOpen(!open)}>
            {open ? 'Close' : 'Menu'}
          </Button>
        </span>
      </header>
      <nav
        ref={menu}
        onBlur={left}
        aria-label="Main"
        className={`${open ? 'flex' : 'hidden'} shrink-0 flex-col border-line px-3 pt-4 max-lg:fixed max-lg:inset-x-0 max-lg:top-[51px] max-lg:bottom-0 max-lg:z-20 max-lg:overflow-y-auto max-lg:bg-paper lg:sticky lg:top-0 lg:flex lg:h-dvh lg:w-52 lg:border-r`}
      >
        <p className="mb-3 hidden px-2 lg:block">
          <Brand />
        </p>
        <button
          type="button"
          onClick={() => setPalette(true)}
          className="mb-3 hidden cursor-pointer items-center justify-between rounded border border-line bg-raised px-2 py-1 text-quiet hover:border-quiet lg:flex"
        >
          Jump to <kbd className="font-mono text-xs">Ctrl K</kbd>
        </button>
        <Scroller>
          <Groups person={me} />
        </Scroller>
        <Who me={me} showKeys={() => setHelp(true)} />
      </nav>
      <div ref={content} className="min-w-0 flex-1">
        {me.acting && <Acting name={me.account.name} />}
        {me.account.suspended && <Suspended />}
        {closed === null ? <Outlet /> : <ForbiddenPage closed={closed} role={me.user.role} />}
      </div>
      <Announcements />
      {help && <ShortcutHelp person={me} close={() => setHelp(false)} />}
      {palette && <Palette person={me} close={() => setPalette(false)} />}
    </div>
  )
}

/** Shown above each page while an operator views another account. */
function Acting({ name }: { readonly name: string }) {
  const leave = (): Promise<void> =>
    call('POST', '/operator/leave').then(
      () => location.assign('/operator/accounts'),
      (problem: unknown) => announce(problemText(problem)),
    )
  return (
    <aside
      aria-label="Another account"
      className="flex flex-wrap items-center justify-between gap-2 border-b border-brass bg-raised px-4 py-2 sm:px-8"
    >
      <span>
        You are viewing <strong>{name}</strong> as its owner. Your changes are recorded.
      </span>
      <Button onClick={() => void leave()}>Leave</Button>
    </aside>
  )
}

/** Shown above each page while it lasts. */
function Suspended() {
  return (
    <aside aria-label="Suspended" className="border-b border-bad bg-raised px-4 py-2 sm:px-8">
      <strong className="text-bad">
        <span aria-hidden="true">▲ </span>This account is suspended.
      </strong>{' '}
      Everything can be read, but nothing is sent and nothing can be changed. Only the operator of this installation can
      lift this: contact them to find out why.
    </aside>
  )
}

function Brand() {
  return (
    <span className="font-semibold">
      <span className="text-brass" aria-hidden="true">
        ◖
      </span>{' '}
      Posthorn
    </span>
  )
}

function Groups({ person }: { readonly person: Person }) {
  const at = useLocation({ select: ({ pathname }) => pathname })
  // In a column longer than the window, scrolls to the current entry.
  useEffect(() => {
    document.querySelector('nav [aria-current=page]')?.scrollIntoView({ block: 'nearest' })
  }, [at])
  const look = 'block rounded px-2 py-[3px] no-underline hover:bg-line/50'
  return groupsFor(person).map(({ title, places }, i) => (
    <div key={title === '' ? i : title} className="mb-3">
      {title !== '' && <p className="mb-1 px-2 text-xs text-quiet">{title}</p>}
      <ul>
        {places.map(({ path, name }) => (
          <li key={path}>
            <Link
              to={path as '/'}
              activeOptions={{ exact: path === '/', includeSearch: false }}
              className={look}
              activeProps={{ className: 'bg-line/60 font-semibold', 'aria-current': 'page' }}
            >
              {name}
            </Link>
          </li>
        ))}
        {title === 'Build' && (
          <li>
            <a href="/docs" className={look}>
              Docs
            </a>
          </li>
        )}
      </ul>
    </div>
  ))
}

function Who({ me, showKeys }: { readonly me: Json; readonly showKeys: () => void }) {
  const live = useLive()
  const signOut = (): Promise<void> =>
    call('DELETE', '/session').then(
      () => {
        queries.clear()
        location.assign('/')
      },
      (problem: unknown) => announce(problemText(problem)),
    )
  return (
    <div className="mt-auto border-t border-line max-lg:sticky max-lg:bottom-0 bg-paper px-2 pt-2 text-quiet pb-3">
      <p className="truncate" title={me.user.email}>
        {me.user.email}
      </p>
      <p className="truncate text-xs">
        {me.account.name}, {me.user.role}
      </p>
      <p className="mt-1 flex flex-wrap items-center justify-between gap-x-2 text-xs">
        <span title={live ? 'Events arrive as they happen' : 'No live connection: refreshed every few seconds'}>
          <span aria-hidden="true" className={live ? 'text-good' : 'text-robot'}>
            {live ? '●' : '○'}
          </span>{' '}
          {live ? 'live' : 'not live'}
        </span>
        <button type="button" onClick={showKeys} className="min-h-6 cursor-pointer underline">
          Shortcuts
        </button>
        <button type="button" onClick={() => void signOut()} className="min-h-6 cursor-pointer underline">
          Sign out
        </button>
      </p>
    </div>
  )
}

function useEscape(open: boolean, close: () => void): void {
  useEffect(() => {
    if (!open) return
    const look = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') close()
    }
    document.addEventListener('keydown', look)
    return () => document.removeEventListener('keydown', look)
  }, [open, close])
}

/** On a new page the focus moves to its content. Changing filters of a page moves nothing. */
function useFocusOnMove(moved: () => void): void {
  const router = useRouter()
  useEffect(
    () =>
      router.subscribe('onRendered', ({ pathChanged, fromLocation }) => {
        if (fromLocation === undefined) return
        moved()
        if (!pathChanged) return
        document.getElementById('main')?.focus({ preventScroll: true })
      }),
    [router],
  )
}
