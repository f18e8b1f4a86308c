// Whether mail sent to an MX host would come back to us (RFC 5321 section 5.1). It would if address and port are those of our
// own inbound MX. Towards the public port (25) it also would if the host has our name: a port forwarded to ours is not visible
// from here. With other ports the name proves nothing.

import os from 'node:os'

export interface OwnMx {
  /** POSTHORN_HOSTNAME. */
  readonly hostname: string
  /** The address that the inbound MX listens on; a wildcard for all. */
  readonly bind: string
  readonly mxPort: number
  /** Port of MX hosts. */
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
