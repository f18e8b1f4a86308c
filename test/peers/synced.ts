// Reads the strace output of a service and its PostgreSQL, and finds answers that left before the log was on disk.

/** A completed system call; times in seconds since the epoch, with microsecond precision. */
export interface Call {
  readonly name: string
  readonly words: string
  readonly began: number
  readonly ended: number
}

/** One mail: a text found only in its rows, the service port it was sent to, and the time its answer was read. */
export interface Answered {
  readonly marker: string
  readonly port: number
  readonly at: number
}

/** Options of strace for `readTrace`, with texts long enough for a page of the log. `-p` and the process ids follow. */
export const STRACE = ['-f', '-ttt', '-T', '-yy', '-s', '65536', '-e', 'trace=fdatasync,pwrite64,write,writev,sendmsg']

/** @param text of `strace -o`, with STRACE's options */
export function readTrace(text: string): readonly Call[] {
  const calls: Call[] = []
  const open = new Map<string, { readonly name: string; readonly words: string; readonly began: number }>()
  for (const line of text.split('\n')) {
    const [, pid = '', at = '', rest = ''] = /^(\d+) +(\d+\.\d+) (.*)$/s.exec(line) ?? []
    const [, began] = /^(\w+)\(/.exec(rest) ?? []
    const [, took] = / = \d+(?: \(.*\))? <(\d+\.\d+)>$/.exec(rest) ?? []
    if (began !== undefined && rest.endsWith('<unfinished ...>')) {
      open.set(pid, { name: began, words: rest, began: Number(at) })
    } else if (rest.startsWith('<... ')) {
      const first = open.get(pid)
      open.delete(pid)
      if (first !== undefined && took !== undefined) calls.push({ ...first, ended: first.began + Number(took) })
    } else if (began !== undefined && took !== undefined) {
      calls.push({ name: began, words: rest, began: Number(at), ended: Number(at) + Number(took) })
    }
  }
  return calls
}

/**
 * Returns the markers of mails that were answered too early. In time means: after the mail was written to the log, an
 * fdatasync of the log began, and it ended before the answer left the service. The answer is the last write to the port's
 * client before the client read it, so a client must pause before its next request.
 */
export function unsynced(calls: readonly Call[], mails: readonly Answered[]): readonly string[] {
  const onLog = ({ words }: Call): boolean => words.includes('/pg_wal/')
  const writes = calls.filter((call) => call.name === 'pwrite64' && onLog(call))
  const syncs = calls.filter((call) => call.name === 'fdatasync' && onLog(call))
  return mails
    .filter(({ marker, port, at }) => {
      const said = calls.filter(({ words, began }) => words.includes(`:${port}->`) && began < at)
      if (said.length === 0) throw new Error(`no answer of port ${port} was seen`)
      const left = Math.max(...said.map(({ began }) => began))
      const written = writes.find(({ words }) => words.includes(marker))
      return !(written !== undefined && syncs.some(({ began, ended }) => began >= written.ended && ended <= left))
    })
    .map(({ marker }) => marker)
}
