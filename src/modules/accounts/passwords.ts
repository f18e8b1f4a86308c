// Users' passwords, as argon2id in the PHC string format (19 MiB, 2 passes, 1 lane: OWASP's first choice). Hashing runs on
// the thread pool and is refused beyond MAX_AT_ONCE, which bounds the memory a flood of log-ins can use.

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
const MAX_AT_ONCE = 16
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
  const tagOf = async (password: string, nonce: Buffer): Promise<Buffer> => {
    if (running >= MAX_AT_ONCE) throw platformErrors.service_unavailable({}, { retryAfter: 1 })
    running++
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
      running--
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
