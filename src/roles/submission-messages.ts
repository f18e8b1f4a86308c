// Messages on their way in, held in memory: each up to the size limit, all together up to MAX_HELD_BYTES; what goes beyond
// is read and dropped.
//
// What turns out to be large (a megabyte) gets room for the size it declared (RFC 1870) before more of it is read, and is
// worked on one at a time, so that neither the messages nor their copies add up. It is collected in one buffer: its pages
// are only taken as they fill, and no small pieces live on until the garbage collector comes by. Whoever gets no room
// within a minute is told to come back.
//
// What is large and declared nothing may be of any size: it goes on in a file without a name, and takes room in memory
// only when its end has shown that it is not too large. So 100 MB are refused with one of them in memory.

import { type FileHandle, open, unlink } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { SMTPServerDataStream } from 'smtp-server'
import { Reply } from './submission-replies.ts'

export interface IncomingMessages {
  /**
   * Reads a message to its end, then works on it.
   *
   * @param declaredBytes what MAIL said; a message may be a tenth larger, for line ends that were counted otherwise
   * @throws Reply 552 5.3.4 when it is too large, 452 4.3.1 when there is no room
   */
  take<T>(stream: SMTPServerDataStream, declaredBytes: number | null, work: (raw: Buffer) => Promise<T>): Promise<T>
}

const LARGE_BYTES = 1_048_576
const LARGE_TOGETHER_BYTES = 80 * 1_048_576
const WAIT_FOR_ROOM_MS = 60_000
const MAX_HELD_BYTES = 384 * 1_048_576
const MAX_SPOOLED_BYTES = 1_073_741_824

/** @param spoolFolder where messages of unknown size are kept until they end; nothing stays there */
export function incomingMessages(maxMessageBytes: number, spoolFolder: string): IncomingMessages {
  const room = roomOf(LARGE_TOGETHER_BYTES)
  let heldBytes = 0
  let spooledBytes = 0
  let spools = 0
  let large: Promise<unknown> = Promise.resolve()

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = large.then(work, work)
    large = turn
    return turn
  }

  const newSpool = async (): Promise<FileHandle> => {
    const file = path.join(spoolFolder, `incoming.${process.pid}.${++spools}`)
    const handle = await open(file, 'wx+', 0o600)
    await unlink(file)
    return handle
  }

  return {
    take: async (stream, declaredBytes, work) => {
      const mostBytes = Math.min(maxMessageBytes, Math.ceil((declaredBytes ?? maxMessageBytes) * 1.1) + LARGE_BYTES)
      let pieces: Buffer[] = []
      let whole: Buffer | null = null
      let spool: FileHandle | null = null
      let roomBytes = 0
      let bytes = 0
      let refused: Reply | null = null
      const give = async (): Promise<void> => {
        if (spool === null) heldBytes -= bytes
        else spooledBytes -= bytes
        bytes = 0
        pieces = []
        whole = null
        room.leave(roomBytes)
        roomBytes = 0
        const closed = spool
        spool = null
        await closed?.close()
      }
      const getRoom = async (wanted: number): Promise<boolean> => {
        if (!(await room.enter(wanted, WAIT_FOR_ROOM_MS))) return false
        roomBytes = wanted
        whole = Buffer.allocUnsafeSlow(wanted)
        return true
      }
      const becomeLarge = async (): Promise<void> => {
        const collected = Buffer.concat(pieces, bytes)
        if (declaredBytes === null) {
          spool = await newSpool()
          await spool.writeFile(collected)
          heldBytes -= bytes
          spooledBytes += bytes
        } else if (await getRoom(mostBytes)) collected.copy(whole as unknown as Buffer)
        else refused = noRoom()
        pieces = []
      }
      const keep = async (chunk: Buffer): Promise<void> => {
        if (bytes + chunk.length > mostBytes) {
          refused = new Reply(552, `5.3.4 the message is larger than ${mostBytes} bytes`)
        } else if (heldBytes + chunk.length > MAX_HELD_BYTES || spooledBytes + chunk.length > MAX_SPOOLED_BYTES) {
          refused = noRoom()
        } else if (whole === null && spool === null && bytes + chunk.length > LARGE_BYTES) await becomeLarge()
        if (refused !== null) return
        if (spool !== null) {
          await spool.writeFile(chunk)
          spooledBytes += chunk.length
        } else {
          if (whole === null) pieces.push(chunk)
          else chunk.copy(whole, bytes)
          heldBytes += chunk.length
        }
        bytes += chunk.length
      }
      const readBack = async (from: FileHandle): Promise<void> => {
        if (!(await getRoom(bytes))) throw noRoom()
        await from.read(whole as unknown as Buffer, 0, bytes, 0)
      }
      try {
        for await (const chunk of stream as AsyncIterable<Buffer>) {
          if (refused === null) await keep(chunk)
          if (refused !== null) await give()
        }
        if (refused !== null) throw refused as Reply
        if (spool !== null) await readBack(spool)
        const collected = whole as Buffer | null
        const raw = collected === null ? Buffer.concat(pieces, bytes) : collected.subarray(0, bytes)
        pieces = []
        return await (collected === null ? work(raw) : inTurn(() => work(raw)))
      } finally {
        await give()
      }
    },
  }
}

function noRoom(): Reply {
  return new Reply(452, '4.3.1 too many large messages are coming in, try again')
}

interface Room {
  /** First come, first served. @returns false when there was not enough in time */
  enter(bytes: number, withinMs: number): Promise<boolean>
  leave(bytes: number): void
}

function roomOf(totalBytes: number): Room {
  let freeBytes = totalBytes
  const waiting: { readonly bytes: number; readonly enter: () => void }[] = []
  const admit = (): void => {
    for (let next = waiting[0]; next !== undefined && next.bytes <= freeBytes; next = waiting[0]) {
      waiting.shift()
      freeBytes -= next.bytes
      next.enter()
    }
  }
  return {
    enter: async (bytes, withinMs) => {
      const enough = new AbortController()
      const turn = new Promise<true>((resolve) => {
        waiting.push({ bytes, enter: () => resolve(true) })
      })
      const own = waiting.at(-1)
      admit()
      const late = delay(withinMs, false, { signal: enough.signal, ref: false }).catch(() => false)
      await Promise.race([turn, late])
      enough.abort()
      const place = waiting.findIndex((one) => one === own)
      // Not waiting any more: the room was given, be it at the last moment.
      if (place < 0) return true
      waiting.splice(place, 1)
      admit()
      return false
    },
    leave: (bytes) => {
      freeBytes += bytes
      admit()
    },
  }
}
