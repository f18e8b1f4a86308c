// Reads html for composition: small html inline, html over 64 KB in a thread with limits of time and memory, so that no
// customer's html blocks the process. Html that exceeds the limits is not read: its mail goes out as written, without
// tracking, and the log says so. No mail is lost because of it.

import { type ByteCharset, type HtmlScan, scanHtml } from '../../mail/html/links.ts'
import { textFromHtml } from '../../mail/html/text.ts'
import type { Logger } from '../../platform/log.ts'
import { type ThreadOptions, threadFor } from '../../platform/thread.ts'

export interface HtmlTask {
  readonly what: 'links' | 'text'
  readonly html: string
  readonly charset: ByteCharset | null
}

export interface HtmlReader {
  /** @param charset as `scanHtml` takes it. @returns null: the html cannot be read within the limits */
  links(html: string, charset: ByteCharset | null, emailId: string): HtmlScan | Promise<HtmlScan | null>
  /** The text part for html that has none. @returns null: the mail gets no text part */
  text(html: string, emailId: string): string | Promise<string | null>
  close(): Promise<void>
}

export const INLINE_CHARS = 65_536
export const READER_LIMITS: Omit<ThreadOptions, 'file'> = { withinMs: 3_000, memoryMb: 256 }
const THREAD = new URL('./html-thread.ts', import.meta.url)

export function htmlReader(log: Logger, limits: Omit<ThreadOptions, 'file'> = READER_LIMITS): HtmlReader {
  const thread = threadFor<HtmlTask, unknown>({ file: THREAD, ...limits })
  const inThread = async (task: HtmlTask, emailId: string, note: string): Promise<unknown> => {
    try {
      return await thread.run(task)
    } catch (err) {
      log.warn({ err, email_id: emailId, chars: task.html.length }, note)
      return null
    }
  }
  return {
    links: (html, charset, emailId) =>
      html.length <= INLINE_CHARS
        ? scanHtml(html, charset)
        : (inThread(
            { what: 'links', html, charset },
            emailId,
            'html beyond the limits: its links go out as they are, without tracking',
          ) as Promise<HtmlScan | null>),
    text: (html, emailId) =>
      html.length <= INLINE_CHARS
        ? textFromHtml(html)
        : (inThread(
            { what: 'text', html, charset: null },
            emailId,
            'html beyond the limits: it goes out without a text part',
          ) as Promise<string | null>),
    close: () => thread.close(),
  }
}
