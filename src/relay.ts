// The relay of the settings, as delivery takes it. A part of the composition root.

import type { Config } from './config.ts'
import type { Relay } from './modules/delivery/index.ts'

/** Null: mail goes to its own receivers, or nowhere. */
export function relayOf({ delivery, relayTls, relayUser, relayPassword }: Config): Relay | null {
  if (delivery.kind !== 'relay') return null
  const { host, port } = delivery
  return { host, port, tls: relayTls, username: relayUser, password: relayPassword }
}
