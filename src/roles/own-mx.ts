// Whether a mail sent to an MX host would come back to us (RFC 5321 section 5.1). It would where the address and the port
// are those that our own inbound MX listens on; and, towards the port of the world (25), where the host has our name: a
// port that is forwarded to ours cannot be seen from here. With other ports the name says nothing.

import os from 'node:os'

export interface OwnMx {
  /** POSTHORN_HOSTNAME. */
  readonly hostname: string
  /** The address that the inbound MX listens on; a wildcard for all. */
  readonly bind: string
  readonly mxPort: number
  /** Towards MX hosts. */
  readonly smtpPort: number
}

const SMTP_PORT = 25
const EVERYWHERE = ['0.0.0.0', '::']

export function ownMx({ hostname, bind, mxPort, smtpPort }: OwnMx): (host: string, address: string | null) => boolean {
  const name = hostname.toLowerCase()
  const listensAt = (address: string): boolean => {
    if (!EVERYWHERE.includes(bind)) return address === bind
    return Object.values(os.networkInterfaces()).some((all) => all?.some((one) => one.address === address) === true)
  }
  return (host, address) =>
    (smtpPort === SMTP_PORT && host === name) || (address !== null && smtpPort === mxPort && listensAt(address))
}
