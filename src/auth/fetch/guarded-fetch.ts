/**
 * Fetches JSON documents from URLs that clients name: public hosts only, no redirects, bounded in bytes
 * and time. Callers learn one of four kinds of failure, so that a response discloses nothing about the
 * network.
 *
 * @see https://www.ietf.org/archive/id/draft-ietf-oauth-client-id-metadata-document-00.html#section-6.5
 */

import { type Fetch, fetchJson } from '../../platform/bounded-fetch.ts'
import { withAbortDeadline } from '../../platform/deadline.ts'
import { parsePublicUrl } from './public-url.ts'

/**
 * - `refused`: the URL must not be fetched, and was not.
 * - `gone`: the host has no such document.
 * - `unusable`: the host sent another response that is not a document.
 * - `unreachable`: the host cannot serve the document at the moment.
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
}

const TIMEOUT_MS = 5000

export function createGuardedFetch({
  fetch,
  timeoutMs = TIMEOUT_MS,
}: GuardedFetchOptions): GuardedFetch {
  return async (url, maxBytes) => {
    if (parsePublicUrl(url) === undefined) return { ok: false, failure: 'refused' }
    const response = await withAbortDeadline(timeoutMs, (signal) =>
      fetchJson(fetch, url, { maxBytes, signal, requireJsonType: true }),
    )
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
