// The event stream (server-sent events), one for the whole dashboard. It uses fetch instead of EventSource, which cannot resume a
// stream at a chosen position: a page hidden for half a minute closes its stream and resumes with the id of the last event seen,
// so that nothing is missed and a forgotten tab costs nothing.
//
// Without the stream, pages refetch every few seconds (useApi's `every`).

import { useSyncExternalStore } from 'react'

export interface LiveEvent {
  readonly event: string
  readonly email_id?: string
}

const HIDDEN_FOR_MS = 30_000
/** The service sends something every 15 s; a longer silence means a dead connection. */
const SILENCE_MS = 45_000
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 30_000

let live = false
const watchers = new Set<() => void>()

function setLive(now: boolean): void {
  if (live === now) return
  live = now
  for (const tell of watchers) tell()
}

function watch(tell: () => void): () => void {
  watchers.add(tell)
  return () => watchers.delete(tell)
}

/** Whether the stream is connected at the moment. */
export function useLive(): boolean {
  return useSyncExternalStore(watch, () => live)
}

/**
 * Keeps a stream open until the returned function is called.
 * @param tell receives every event, in order, including those that happened while the page was hidden
 */
export function followEvents(tell: (event: LiveEvent) => void): () => void {
  let place: string | null = null
  let waitMs = FIRST_WAIT_MS
  let reading: AbortController | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let ended = false

  const message = (text: string): void => {
    const data: string[] = []
    for (const line of text.split('\n')) {
      if (line.startsWith('id: ')) place = line.slice(4)
      else if (line.startsWith('data: ')) data.push(line.slice(6))
    }
    if (data.length > 0) tell(JSON.parse(data.join('\n')) as LiveEvent)
  }

  const read = async (signal: AbortSignal, alive: () => void): Promise<void> => {
    const headers: Record<string, string> = place === null ? {} : { 'last-event-id': place }
    const answer = await fetch('/api/v1/events/stream', { credentials: 'same-origin', headers, signal })
    if (!answer.ok || answer.body === null) throw new Error(`the stream answered ${answer.status}`)
    setLive(true)
    waitMs = FIRST_WAIT_MS
    let rest = ''
    // Without for await: not every browser can iterate over a stream.
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      alive()
      const whole = (rest + value).split('\n\n')
      rest = whole.pop() ?? ''
      for (const one of whole) message(one)
    }
  }

  const open = async (): Promise<void> => {
    clearTimeout(timer)
    if (ended || reading !== null) return
    const control = new AbortController()
    reading = control
    let silence: ReturnType<typeof setTimeout> | undefined
    const alive = (): void => {
      clearTimeout(silence)
      silence = setTimeout(() => control.abort(), SILENCE_MS)
    }
    alive()
    try {
      await read(control.signal, alive)
    } catch {
      // What is left of it would keep its connection.
      control.abort()
      waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)
    }
    clearTimeout(silence)
    if (reading === control) reading = null
    setLive(false)
    if (!ended && document.visibilityState === 'visible') timer = setTimeout(() => void open(), waitMs)
  }

  const seen = (): void => {
    clearTimeout(timer)
    if (document.visibilityState === 'visible') void open()
    else timer = setTimeout(() => reading?.abort(), HIDDEN_FOR_MS)
  }

  document.addEventListener('visibilitychange', seen)
  if (document.visibilityState === 'visible') void open()
  return () => {
    ended = true
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', seen)
    reading?.abort()
  }
}
