// The page of the frame in which the dashboard shows an HTML draft while it is being written. The dashboard sends it the HTML as a
// message, so the frame keeps its place where a new page would start at the top. Its one script is the only one that may run, by
// its hash: the draft's own scripts may not. The frame has no origin, sends no request, and leads nowhere.

import { FRAMED_POLICY, sourceHash } from './envelopes.ts'

// `document.open` removes the listener.
const SCRIPT = `
const show = ({ source, data }) => {
  if (source !== parent || typeof data !== 'string') return
  const [left, top] = [scrollX, scrollY]
  document.open()
  document.write(data)
  document.close()
  addEventListener('message', show)
  scrollTo(left, top)
}
addEventListener('message', show)
`

export const DRAFT_FRAME = `<!doctype html><title>Draft</title><script>${SCRIPT}</script>`

export const DRAFT_FRAME_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `sandbox allow-scripts; script-src ${sourceHash(SCRIPT)}; ${FRAMED_POLICY}`,
  'cache-control': 'no-cache',
  'referrer-policy': 'no-referrer',
}
