// What a client is told when a message cannot be taken.

import type { ErrorForm } from '../platform/calls.ts'

/** An answer of ours on its way through the SMTP library; `message` begins with the enhanced code. */
export class Reply extends Error {
  readonly responseCode: number
  constructor(responseCode: number, text: string) {
    super(text)
    this.name = 'Reply'
    this.responseCode = responseCode
  }
}

export function unavailable(): Reply {
  return new Reply(451, '4.3.0 the message cannot be stored right now, try again')
}

/** How errors travel between threads: replies as what they are, everything else by its text and code. */
export const replyForm: ErrorForm = {
  write: (error) => {
    if (error instanceof Reply) return { reply: [error.responseCode, error.message] }
    const { message, code } = error as { message?: unknown; code?: unknown }
    return { message: String(message ?? error), ...(typeof code === 'string' && { code }) }
  },
  read: (written) => {
    const { reply, message, code } = written as { reply?: [number, string]; message?: string; code?: string }
    if (reply !== undefined) return new Reply(...reply)
    return Object.assign(new Error(message), code !== undefined && { code })
  },
}
