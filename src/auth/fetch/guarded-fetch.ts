/**
 * Fetches JSON documents from URLs that clients name: public hosts only, no redirects, bounded in bytes
 * and time. Callers learn one of four kinds of failure, so that a response discloses nothing about the
 * network.
 *
 * @see https://www.ietf.org/archive/id/draft-ietf-oauth-client-id-metadata-document-00.html#section-6.5
 */

import { type Fetch, fetchJson, type JsonFailure } from '../../platform/bounded-fetch.ts'
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
    if (response?.ok === true) return response
    return { ok: false, failure: response === undefined ? 'unreachable' : failureOf(response) }
  }
}

function failureOf(failure: JsonFailure): FetchFailure {
  switch (failure.reason) {
    case 'status':
      return failureOfStatus(failure.status)
    case 'unreachable':
      return 'unreachable'
    case 'content-type':
    case 'too-large':
    case 'not-json':
      return 'unusable'
  }
}

function failureOfStatus(status: number): FetchFailure {
  if (status === 404 || status === 410) return 'gone'
  // 408, 425 and 429 invite a retry.
  return status >= 500 || [408, 425, 429].includes(status) ? 'unreachable' : 'unusable'
}
