// TLS to servers that somebody else runs: receivers of mail, webhook endpoints, policy hosts.
//
// Without Diffie-Hellman over a prime (DHE, TLS 1.2): the server chooses the prime, and a handshake with one of 10,000 bits
// blocked the event loop for 0.9 s (2026-11). Servers of this century also have ECDHE; Go and BoringSSL have no DHE at all.

import { type ConnectionOptions, DEFAULT_CIPHERS } from 'node:tls'

export const CLIENT_TLS = {
  minVersion: 'TLSv1.2',
  ciphers: `${DEFAULT_CIPHERS}:!kDHE`,
} as const satisfies ConnectionOptions
