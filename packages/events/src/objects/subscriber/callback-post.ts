/** Sends a request to a callback or its host: to exactly the URL, bounded in time, and in what is read of the answer. */
import { readBoundedText } from '../../../../../src/platform/bounded-body.ts'
import { withAbortDeadline } from '../../../../../src/platform/deadline.ts'
import { randomToken } from '../../../../../src/platform/random-token.ts'
import type { JsonObject } from '../../../../../src/protocol/json.ts'
import { type Answer, faultOfStatus } from './decide-attempt.ts'
import type { SubscriberParts } from './parts.ts'
import { signMessage } from './signature.ts'

export interface CallbackRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Undefined: the request is a GET. */
  readonly body?: Uint8Array
  /** How much of a 2xx answer is read. Default: nothing. */
  readonly maxBytes?: number | undefined
}

/** Begins the request in the turn of the call. Never rejects. */
export function askCallback(
  { context, limits }: SubscriberParts,
  { url, maxBytes, headers, body }: CallbackRequest,
): Promise<Answer> {
  const send = async (signal: AbortSignal): Promise<Answer> => {
    try {
      const method = body === undefined ? 'GET' : 'POST'
      const init: RequestInit = { method, headers, redirect: 'manual', signal }
      const response = await context.fetch(url, body === undefined ? init : { ...init, body })
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
  return withAbortDeadline(limits.deliveryTimeoutMs, send, () => ({
    status: undefined,
    fault: 'timeout',
  }))
}

/** Signs a message of the server itself, and sends it. */
export async function sendMessage(
  parts: SubscriberParts,
  { url, id: subscription }: { readonly url: string; readonly id: string },
  { type, ...content }: { readonly type: 'verification' | 'terminated' } & JsonObject,
  keys: readonly Uint8Array<ArrayBuffer>[],
  maxBytes?: number,
): Promise<Answer> {
  const id = `msg_${type}_${randomToken(16)}`
  const body = JSON.stringify({ type, ...content })
  const signed = await signMessage({ id, subscription, body }, keys, parts.now)
  return askCallback(parts, { ...signed, url, maxBytes })
}
