// What came of an action, in a line at the foot of the window that is also read out.

import { useSyncExternalStore } from 'react'

const SHOWN_MS = 6_000

let line = ''
let timer: ReturnType<typeof setTimeout> | undefined
const watchers = new Set<() => void>()

function set(text: string): void {
  line = text
  for (const tell of watchers) tell()
}

export function say(text: string): void {
  clearTimeout(timer)
  set(text)
  timer = setTimeout(() => set(''), SHOWN_MS)
}

function watch(tell: () => void): () => void {
  watchers.add(tell)
  return () => watchers.delete(tell)
}

export function Said() {
  const text = useSyncExternalStore(watch, () => line)
  return (
    <div role="status" aria-live="polite" className="pointer-events-none fixed inset-x-0 bottom-4 z-20 text-center">
      {text !== '' && (
        <span className="inline-block max-w-[90vw] rounded bg-ink px-4 py-2 text-paper shadow">{text}</span>
      )}
    </div>
  )
}
