/** Sends a request to a callback or its host: to exactly the URL, bounded in time, and in what is read of the answer. */
import { readBoundedText } from '../../../src/platform/bounded-body.ts'
import type { Fetch } from '../../../src/platform/bounded-fetch.ts'
import { withAbortDeadline } from '../../../src/platform/deadline.ts'
import { type Answer, faultOfStatus } from './decide-attempt.ts'

export interface CallbackRequest {
  readonly url: string
  readonly timeoutMs: number
  readonly headers: Readonly<Record<string, string>>
  /** Undefined: the request is a GET. */
  readonly body?: Uint8Array
  /** How much of a 2xx answer is read. Default: nothing. */
  readonly maxBytes?: number
}

/** Begins the request in the turn of the call. Never rejects. */
export function askCallback(
  fetch: Fetch,
  { url, timeoutMs, maxBytes, headers, body }: CallbackRequest,
): Promise<Answer> {
  const send = async (signal: AbortSignal): Promise<Answer> => {
    try {
      const method = body === undefined ? 'GET' : 'POST'
      const init: RequestInit = { method, headers, redirect: 'manual', signal }
      const response = await fetch(url, body === undefined ? init : { ...init, body })
      const { status } = response
      const fault = faultOfStatus(status)
      if (fault === undefined && maxBytes !== undefined) {
        // A body that breaks off, or is not UTF-8, has no text.
        const text = await readBoundedText(response.body, maxBytes).catch(() => undefined)
        return { status, fault, text, cacheControl: response.headers.get('cache-control') }
      }
      // Not awaited: the callback decides when a cancellation completes.
      response.body?.cancel().catch(() => undefined)
      return { status, fault }
    } catch {
      // The text of the error is the platform's, and says nothing that may leave the server.
      return { status: undefined, fault: 'connection_refused' }
    }
  }
  return withAbortDeadline(timeoutMs, send, () => ({ status: undefined, fault: 'timeout' }))
}
