/**
 * Fetches JSON documents from URLs that clients name: public hosts only, no redirects, bounded in bytes
 * and time, and in number per host. Callers learn one of four kinds of failure, so that a response discloses nothing about the
 * network.
 *
 * @see https://www.ietf.org/archive/id/draft-ietf-oauth-client-id-metadata-document-00.html#section-6.5
 */

import { type Fetch, fetchJson } from '../../platform/bounded-fetch.ts'
import { withAbortDeadline } from '../../platform/deadline.ts'
import { HostLimits } from './host-limits.ts'
import { parsePublicUrl } from './public-url.ts'

/**
 * - `refused`: the URL must not be fetched, and was not.
 * - `gone`: the host has no such document.
 * - `unusable`: the host sent another response that is not a document.
 * - `unreachable`: the host cannot serve the document at the moment, or has been asked too often.
 */
export type FetchFailure = 'refused' | 'gone' | 'unusable' | 'unreachable'

export type GuardedResponse =
  | { readonly ok: true; readonly headers: Headers; readonly value: unknown }
  | { readonly ok: false; readonly failure: FetchFailure }

export type GuardedFetch = (url: string, maxBytes: number) => Promise<GuardedResponse>

export interface GuardedFetchOptions {
  /** The platform's `fetch`. It sends no credentials: a Worker has no cookies. */
  readonly fetch: Fetch
  /** From the request to the last byte. Default 5 s. */
  readonly timeoutMs?: number
  /** URLs of its hosts are refused: fetching one would be a request of this server to itself. */
  readonly ownOrigins?: readonly string[]
  readonly now?: () => number
}

const TIMEOUT_MS = 5000

export function createGuardedFetch({
  fetch,
  timeoutMs = TIMEOUT_MS,
  ownOrigins = [],
  now = Date.now,
}: GuardedFetchOptions): GuardedFetch {
  const limits = new HostLimits(timeoutMs, now)
  const ownHosts = new Set(ownOrigins.map((origin) => new URL(origin).hostname))
  return async (url, maxBytes) => {
    const parsed = parsePublicUrl(url)
    if (parsed === undefined || ownHosts.has(parsed.hostname)) {
      return { ok: false, failure: 'refused' }
    }
    const end = limits.start(parsed.hostname)
    if (end === undefined) return { ok: false, failure: 'unreachable' }
    const response = await withAbortDeadline(timeoutMs, (signal) =>
      fetchJson(fetch, url, { maxBytes, signal, requireJsonType: true }),
    ).finally(end)
    return response?.ok === true
      ? response
      : { ok: false, failure: failureOfStatus(response?.status) }
  }
}

/** @param status undefined if the connection failed */
function failureOfStatus(status: number | undefined): FetchFailure {
  if (status === 404 || status === 410) return 'gone'
  // 408, 425 and 429 invite a retry.
  const isTemporary = status === undefined || status >= 500 || [408, 425, 429].includes(status)
  return isTemporary ? 'unreachable' : 'unusable'
}
