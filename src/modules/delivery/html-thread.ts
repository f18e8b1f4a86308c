// The thread that reads large html: finds links and placeholders, or makes the text part.

import { parentPort } from 'node:worker_threads'
import { scanHtml } from '../../mail/html/links.ts'
import { textFromHtml } from '../../mail/html/text.ts'
import type { HtmlTask } from './html-reader.ts'

parentPort?.on('message', ({ what, html, charset }: HtmlTask) => {
  parentPort?.postMessage(what === 'links' ? scanHtml(html, charset) : textFromHtml(html))
})
