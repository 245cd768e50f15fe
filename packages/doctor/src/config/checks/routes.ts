/** The routes of a Worker (Cloudflare, routes, matching behavior). */
import type { WranglerConfig } from '../wrangler.ts'

export interface Route {
  readonly host: string
  /** `*` at the end stands for any characters. */
  readonly path: string
}

export function routesOf({ route, routes = [] }: WranglerConfig): readonly Route[] {
  return [...(route === undefined ? [] : [route]), ...routes].map((entry) => {
    const { pattern, custom_domain: isDomain } =
      typeof entry === 'string' ? { pattern: entry, custom_domain: false } : domainOf(entry)
    const text = pattern.replace(/^[a-z*]*:\/\//, '')
    const slash = text.indexOf('/')
    const host = (slash === -1 ? text : text.slice(0, slash)).toLowerCase()
    if (isDomain) return { host, path: '/*' }
    // A pattern without a path is that of the root alone.
    return { host, path: slash === -1 ? '/' : text.slice(slash) }
  })
}

function domainOf(entry: { readonly pattern: string }): {
  pattern: string
  custom_domain: boolean
} {
  return {
    pattern: entry.pattern,
    custom_domain: 'custom_domain' in entry && entry.custom_domain === true,
  }
}

/** `*.example.com` matches subdomains, `*example.com` also the host itself. */
export function matchesHost({ host }: Route, name: string): boolean {
  return host.startsWith('*') ? name.endsWith(host.slice(1)) : host === name
}

export function matchesPath({ path }: Route, name: string): boolean {
  return path.endsWith('*') ? name.startsWith(path.slice(0, -1)) : path === name
}
