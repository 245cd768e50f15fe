/**
 * The one fetch for URLs that clients name: JSON, from public hosts, without redirects, bounded in bytes
 * and in time. What went wrong is told in one of four words, and to nobody outside in more detail.
 *
 * @see https://www.ietf.org/archive/id/draft-ietf-oauth-client-id-metadata-document-00.html#section-6.5
 */

import { within } from '../within.ts'
import { parsePublicUrl } from './public-url.ts'
import { readBounded } from './read-bounded.ts'

/**
 * `refused`: the URL is not one to fetch, and was not; `gone`: its host says that there is no such
 * document; `unusable`: its host says something else that is of no use; `unreachable`: nothing to be
 * had at the moment.
 */
export type FetchFailure = 'refused' | 'gone' | 'unusable' | 'unreachable'

export type GuardedAnswer =
  | { readonly ok: true; readonly headers: Headers; readonly value: unknown }
  | { readonly ok: false; readonly failure: FetchFailure }

export type GuardedFetch = (url: string, maxBytes: number) => Promise<GuardedAnswer>

export interface GuardedFetchOptions {
  /** Of the platform. Nobody's credentials are at hand to go with it: a Worker has no cookies. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** From the request to the last byte. Default 5 s. */
  readonly timeoutMs?: number
}

const TIMEOUT_MS = 5000

/** Some hosts refuse a request without it, and the platform sends none. */
const USER_AGENT = 'Edgeway'

// A leading byte order mark is ignored, as RFC 8259 §8.1 allows.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

export function createGuardedFetch({
  fetch,
  timeoutMs = TIMEOUT_MS,
}: GuardedFetchOptions): GuardedFetch {
  return async (url, maxBytes) => {
    if (parsePublicUrl(url) === undefined) return failed('refused')
    const abort = new AbortController()
    const init: RequestInit = {
      headers: { accept: 'application/json', 'user-agent': USER_AGENT },
      redirect: 'manual',
      signal: abort.signal,
    }
    const ask = async (): Promise<GuardedAnswer> => {
      try {
        return await readAnswer(await fetch(url, init), maxBytes)
      } catch {
        // No name, no connection, no certificate, a body cut short: all one to whoever asked.
        return failed('unreachable')
      }
    }
    const answer = await within(timeoutMs, ask())
    abort.abort()
    return answer ?? failed('unreachable')
  }
}

async function readAnswer(response: Response, maxBytes: number): Promise<GuardedAnswer> {
  const { status, headers, body } = response
  const failure = status === 200 ? undefined : failureOf(status)
  if (failure !== undefined || !isJson(headers.get('content-type'))) {
    // Not waited for: a body that does not end must not hold this up.
    body?.cancel().catch(() => undefined)
    return failed(failure ?? 'unusable')
  }
  const bytes = await readBounded(body, maxBytes)
  if (bytes === undefined) return failed('unusable')
  try {
    return { ok: true, headers, value: JSON.parse(utf8.decode(bytes)) }
  } catch {
    // Neither UTF-8 nor JSON.
    return failed('unusable')
  }
}

function failureOf(status: number): FetchFailure {
  if (status === 404 || status === 410) return 'gone'
  // 408, 425 and 429 ask to come again.
  return status >= 500 || [408, 425, 429].includes(status) ? 'unreachable' : 'unusable'
}

/** `application/json`, or a kind of it (RFC 6839 §3.1). */
function isJson(contentType: string | null): boolean {
  const [type = ''] = (contentType ?? '').split(';', 1)
  return /^application\/(?:[\w.-]{1,100}\+)?json$/.test(type.trim().toLowerCase())
}

function failed(failure: FetchFailure): GuardedAnswer {
  return { ok: false, failure }
}
