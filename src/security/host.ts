/**
 * Decides which hosts are served. On Cloudflare's network, the host is one of the account's own. A
 * server on a developer's machine can be reached under any name that a web page makes resolve to it
 * (DNS rebinding), but such a page has no certificate for that name. So plain `http:` is served on
 * loopback names and configured hosts only.
 */
import { LruMap } from '../platform/lru-map.ts'
import { isLoopbackName } from '../protocol/loopback-name.ts'

export interface HostPolicy {
  /** Host names, without port, that are served over plain http too. */
  readonly allowedHosts: readonly string[]
}

/** The decision about the host of a URL, and the parts of the URL that later checks need. */
export interface ServedHost {
  readonly served: boolean
  readonly loopback: boolean
  readonly host: string
  readonly origin: string
  /** The path; undefined if the URL is not in normal form, so that only a router can match it. */
  readonly path: string | undefined
}

export type HostCheck = (url: string) => ServedHost

const INVALID: ServedHost = {
  served: false,
  loopback: false,
  host: 'This host',
  origin: '',
  path: undefined,
}

/** Maximum number of cached decisions. The cache saves parsing the URL of each request. */
const MAX_DECISIONS = 64

/** Creates the check of a request's URL, which the platform builds from the `Host` header. */
export function createHostCheck({ allowedHosts }: HostPolicy): HostCheck {
  const allowed = new Set(allowedHosts.map((host) => host.toLowerCase()))
  const decisions = new LruMap<ServedHost>(MAX_DECISIONS)
  return (url) => {
    const known = decisions.peek(url)
    if (known !== undefined) return known
    // A `Host` header may hold text that makes no valid URL.
    if (!URL.canParse(url)) return INVALID
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
