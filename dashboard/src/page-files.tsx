// Loads the code of pages when they are first opened, and handles failures. All of it is prefetched after the first page is shown,
// so that a later loss of the network makes no page unavailable.

import type { ErrorComponentProps } from '@tanstack/react-router'
import { useEffect } from 'react'
import { ASK_AGAIN_MS } from './api/api.ts'
import { Button, Page, Problem } from './ui/ui.tsx'

type Load = () => Promise<Record<string, unknown>>

const RELOADED_AT = 'posthorn-reloaded-at'
/** When a file is missing again within this time after a reload for a new release, the user is asked. */
const RELOAD_AGAIN_MS = 60_000
const FIRST_PAGE_MS = 5_000

const loads: Load[] = []

class PageAway extends Error {}

/** @returns the same loader; failures show a page of ours, where the router would reload the whole URL */
export function pageFile<Code extends Record<string, unknown>>(load: () => Promise<Code>): () => Promise<Code> {
  loads.push(load)
  return () =>
    load().catch((cause: unknown) => {
      throw new PageAway('This page could not be loaded.', { cause })
    })
}

/** One after the other; none when the browser should save data. */
export function fetchPages(): void {
  const { connection } = navigator as { readonly connection?: { readonly saveData?: boolean } }
  if (connection?.saveData === true) return
  const fetchAll = async (): Promise<void> => {
    for (const load of loads) await load().catch(() => undefined)
  }
  setTimeout(() => void fetchAll(), FIRST_PAGE_MS)
}

/** Shown instead of a page that failed. */
export function PageFailed({ error }: ErrorComponentProps) {
  const away = error instanceof PageAway
  useEffect(() => {
    if (!away) return
    // While the service restarts, none of its files can be read. After an upgrade those of the previous release are gone. A reload
    // leads to the present ones in both cases.
    const back = (): void => void reload(mayReload)
    back()
    const timer = setInterval(back, ASK_AGAIN_MS)
    addEventListener('online', back)
    return () => {
      clearInterval(timer)
      removeEventListener('online', back)
    }
  }, [away])
  const said = !away
    ? `This page failed because of an error in the dashboard itself: ${error instanceof Error ? error.message : String(error)}`
    : navigator.onLine
      ? 'This page could not be loaded. Is the service running, and can this browser reach it? It is tried again automatically.'
      : 'This browser is offline, and this page is not loaded yet. It loads once there is a network again.'
  return (
    <Page title="Page not loaded">
      <Problem error={new Error(said)} />
      <Button onClick={() => void reload()}>Try again</Button>
    </Page>
  )
}

function mayReload(): boolean {
  const last = Number(sessionStorage.getItem(RELOADED_AT) ?? 0)
  if (Date.now() - last < RELOAD_AGAIN_MS) return false
  sessionStorage.setItem(RELOADED_AT, String(Date.now()))
  return true
}

/** Only when the service answers: the browser's own error page leads nowhere. */
async function reload(may = (): boolean => true): Promise<void> {
  const answer = await fetch('/', { cache: 'no-store' }).catch(() => null)
  if (answer?.ok === true && may()) location.reload()
}
