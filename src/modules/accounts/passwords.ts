// Users' passwords, as argon2id in the PHC string format (19 MiB, 2 passes, 1 lane: OWASP's first choice). Hashing runs on
// half of the thread pool's four threads; the other half is left to DKIM signatures and files, however many log in. What
// waits for a thread is bounded, too.

import { type Argon2Parameters, argon2 } from 'node:crypto'
import { promisify } from 'node:util'
import { platformErrors } from '../../platform/errors.ts'
import { sameSecret } from '../../platform/secrets.ts'
import { type RandomBytes, randomBase62 } from './key-format.ts'

const MEMORY_KIB = 19_456
const PASSES = 2
const LANES = 1
const TAG_BYTES = 32
const SALT_BYTES = 16
const MADE_CHARS = 24
/** With 16 on the thread pool, DKIM signing fell from 3,150 to 33 signatures a second; with 2, to 2,030 (2026-11-26). */
const MAX_AT_ONCE = 2
const MAX_WAITING = 14
const STORED = new RegExp(`^\\$argon2id\\$v=19\\$m=${MEMORY_KIB},t=${PASSES},p=${LANES}\\$([^$]+)\\$([^$]+)$`)

const derive = promisify((parameters: Argon2Parameters, done: (error: Error | null, tag: Buffer) => void): void =>
  argon2('argon2id', parameters, done),
)

export interface Passwords {
  /** @returns `$argon2id$v=19$m=..,t=..,p=..$salt$tag` */
  hash(password: string): Promise<string>
  /** For a user who does not exist pass null: it takes the same time. */
  verify(password: string, stored: string | null): Promise<boolean>
}

/** A password for a first log-in: 142 random bits. */
export function newPassword(random: RandomBytes): string {
  return randomBase62(MADE_CHARS, random)
}

export function passwords(random: RandomBytes): Passwords {
  let running = 0
  const waiting: (() => void)[] = []
  const thread = async (): Promise<void> => {
    if (running < MAX_AT_ONCE) running++
    else if (waiting.length < MAX_WAITING) await new Promise<void>((resolve) => void waiting.push(resolve))
    else throw platformErrors.service_unavailable({}, { retryAfter: 1 })
  }
  const tagOf = async (password: string, nonce: Buffer): Promise<Buffer> => {
    await thread()
    try {
      return await derive({
        message: Buffer.from(password.normalize('NFC')),
        nonce,
        parallelism: LANES,
        tagLength: TAG_BYTES,
        memory: MEMORY_KIB,
        passes: PASSES,
      })
    } finally {
      const next = waiting.shift()
      if (next === undefined) running--
      else next()
    }
  }
  return {
    hash: async (password) => {
      const salt = random(SALT_BYTES)
      const tag = await tagOf(password, salt)
      return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${unpadded(salt)}$${unpadded(tag)}`
    },
    verify: async (password, stored) => {
      const parts = STORED.exec(stored ?? '')
      const found = await tagOf(
        password,
        parts === null ? Buffer.alloc(SALT_BYTES) : Buffer.from(parts[1] ?? '', 'base64'),
      )
      return parts !== null && sameSecret(found, Buffer.from(parts[2] ?? '', 'base64'))
    },
  }
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}
