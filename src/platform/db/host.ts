import { isIP } from 'node:net'

/**
 * Whether a database is on this machine, as far as its connection string tells: by socket, by `localhost`, or at a loopback
 * address. Its disk is taken to be that of the data directory then.
 *
 * @param url of the form `postgresql://`
 */
export function isOnThisMachine(url: string): boolean {
  // pg takes what this does not, such as a blank in a password; nothing is known of the host then.
  if (!URL.canParse(url)) return false
  const { hostname, searchParams } = new URL(url)
  const host = (searchParams.get('host') ?? decodeURIComponent(hostname)).replace(/^\[(.*)\]$/, '$1')
  if (host === '' || host.startsWith('/') || host === '::1') return true
  return host.toLowerCase() === 'localhost' || (isIP(host) === 4 && host.startsWith('127.'))
}
