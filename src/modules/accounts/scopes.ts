// The scopes of a key (contract section 3). `full` opens everything; no other scope implies another.

export const SCOPES = [
  'full',
  'send',
  'validation',
  'risk',
  'content',
  'emails:read',
  'emails:write',
  'domains:read',
  'domains:write',
  'tracking_domains:read',
  'tracking_domains:write',
  'webhooks:read',
  'webhooks:write',
  'suppressions:read',
  'suppressions:write',
  'unsubscribes:read',
  'unsubscribes:write',
  'contacts:read',
  'contacts:write',
  'templates:read',
  'templates:write',
  'api_keys:read',
  'api_keys:write',
  'smtp:read',
  'smtp:write',
  'profile:read',
  'profile:write',
  'bounces:read',
  'bounces:write',
  'stats:read',
] as const

export type Scope = (typeof SCOPES)[number]

/** True when a key with these scopes may do what requires `scope`. */
export function allows(scopes: readonly string[], scope: string): boolean {
  return scopes.includes('full') || scopes.includes(scope)
}
