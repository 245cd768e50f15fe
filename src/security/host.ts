/**
 * Which hosts are served. In front of Cloudflare's network a host is one of the account's own; a
 * server on somebody's own machine can be reached under any name that a web page makes resolve to
 * it (DNS rebinding), and such a page cannot have a certificate that the server would answer with.
 * So plain `http:` is served under loopback names only, unless the configuration names the host.
 */

import { LruMap } from '../platform/lru-map.ts'

export interface HostPolicy {
  /** Host names, without port, that are served over plain http as well. */
  readonly allowedHosts: readonly string[]
}

export interface ServedHost {
  readonly served: boolean
  readonly loopback: boolean
  readonly host: string
  readonly origin: string
  /** Undefined where the URL is spelt in another way than a parser would: a router has to judge. */
  readonly path: string | undefined
}

const UNREADABLE: ServedHost = {
  served: false,
  loopback: false,
  host: 'This host',
  origin: '',
  path: undefined,
}

/** Cached decisions: a URL is parsed once and not on every request. */
const MAX_DECISIONS = 64

export function isLoopbackName(hostname: string): boolean {
  // `URL` has brought every spelling of an IPv4 address to its dotted form.
  return (
    hostname === 'localhost' ||
    hostname === '[::1]' ||
    /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)
  )
}

/** A check of a request's URL, which the platform builds from the `Host` header. */
export function createHostCheck({ allowedHosts }: HostPolicy): (url: string) => ServedHost {
  const allowed = new Set(allowedHosts.map((host) => host.toLowerCase()))
  const decisions = new LruMap<ServedHost>(MAX_DECISIONS)
  return (url) => {
    const known = decisions.peek(url)
    if (known !== undefined) return known
    // A `Host` header can hold what makes no URL at all.
    if (!URL.canParse(url)) return UNREADABLE
    const { protocol, hostname, host, origin, username, pathname, search } = new URL(url)
    const loopback = isLoopbackName(hostname)
    const named = loopback || protocol === 'https:' || allowed.has(hostname)
    const served = named && username === ''
    const path = url === `${origin}${pathname}${search}` ? pathname : undefined
    const decision = { served, loopback, host, origin, path }
    decisions.set(url, decision)
    return decision
  }
}
