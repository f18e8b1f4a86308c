// Targets that no link may lead to, kept in memory. A host blocks itself and all its subdomains.

export interface Targets {
  isBlocked(url: string): boolean
  set(hosts: readonly string[]): void
}

export function blockedTargets(): Targets {
  let blocked: ReadonlySet<string> = new Set()
  return {
    set: (hosts) => {
      blocked = new Set(hosts)
    },
    isBlocked: (url) => {
      if (blocked.size === 0 || !URL.canParse(url)) return false
      let host = new URL(url).hostname.replace(/\.$/, '')
      for (;;) {
        if (blocked.has(host)) return true
        const dot = host.indexOf('.')
        if (dot === -1) return false
        host = host.slice(dot + 1)
      }
    },
  }
}
