// The relay from the settings, in the form that delivery takes. A part of the composition root.

import type { Config } from '../config.ts'
import type { Relay } from '../modules/delivery/index.ts'

/** Null when mail goes directly to its receivers, or nowhere. */
export function relayOf({ delivery, relayTls, relayUser, relayPassword }: Config): Relay | null {
  if (delivery.kind !== 'relay') return null
  const { host, port } = delivery
  return { host, port, tls: relayTls, username: relayUser, password: relayPassword }
}
