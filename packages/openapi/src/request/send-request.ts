/** Sends a request to the API: bounded in time, bytes and redirects. */
import { readBoundedBody } from '../../../../src/platform/bounded-body.ts'
import { withAbortDeadline } from '../../../../src/platform/deadline.ts'
import { ToolError } from '../../../../src/server/tool-error.ts'
import type { ApiRequest } from './build-request.ts'

/** Sends a request; the platform's `fetch`, or that of a service binding. */
export type SendRequest = (url: string, init: RequestInit) => Promise<Response>

export interface SendOptions {
  readonly send: SendRequest
  readonly timeoutMs: number
  readonly maxBytes: number
  /** Aborts the request when the call is cancelled. */
  readonly signal: AbortSignal
}

export interface ApiResponse {
  readonly status: number
  readonly headers: Headers
  /** Undefined if the body is larger than the limit. */
  readonly bytes: Uint8Array | undefined
  /** The URL that answered. It may contain credentials. */
  readonly url: URL
}

/** Maximum number of redirects of one request, all within one origin. */
const MAX_REDIRECTS = 3

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

/**
 * Sends a request and reads its response. Redirects are followed within the origin of the request. One
 * to another origin is returned as it is: neither credentials nor arguments leave the origin.
 *
 * @throws {ToolError} if the API does not answer, or not in time
 */
export async function sendRequest(
  request: ApiRequest,
  { send, timeoutMs, maxBytes, signal }: SendOptions,
): Promise<ApiResponse> {
  const timeout = () => {
    throw new ToolError(`The API did not answer within ${timeoutMs} ms.${mayHaveRun(request)}`)
  }
  try {
    return await withAbortDeadline(
      timeoutMs,
      (deadline) => exchange(request, send, maxBytes, AbortSignal.any([signal, deadline])),
      timeout,
    )
  } catch (cause) {
    if (cause instanceof ToolError || signal.aborted) throw cause
    // The message of the platform may contain the URL, and so a credential.
    throw new ToolError(`The API cannot be reached.${mayHaveRun(request)}`)
  }
}

function mayHaveRun({ method }: ApiRequest): string {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
    ? ''
    : ' It may have carried out the request.'
}

async function exchange(
  { method, url, headers, body }: ApiRequest,
  send: SendRequest,
  maxBytes: number,
  signal: AbortSignal,
): Promise<ApiResponse> {
  let at = new URL(url)
  let current: RequestInit = { method, headers, body: body ?? null }
  for (let count = 0; ; count++) {
    const response = await send(at.href, { ...current, redirect: 'manual', signal })
    const next = count < MAX_REDIRECTS ? redirectOf(response, at) : undefined
    if (next === undefined || next.origin !== at.origin) return read(response, at, maxBytes)
    response.body?.cancel().catch(() => undefined)
    at = next
    if (response.status < 307 && method !== 'HEAD') current = asGet(headers)
  }
}

function redirectOf({ status, headers }: Response, at: URL): URL | undefined {
  const location = headers.get('location')
  if (!REDIRECTS.includes(status) || location === null) return undefined
  return URL.parse(location, at.href) ?? undefined
}

/** 301, 302 and 303 repeat the request as a GET without its body (Fetch standard, HTTP-redirect fetch). */
function asGet(headers: Headers): RequestInit {
  const kept = new Headers(headers)
  kept.delete('content-type')
  return { method: 'GET', headers: kept }
}

async function read(response: Response, url: URL, maxBytes: number): Promise<ApiResponse> {
  const { status, headers, body } = response
  return { status, headers, url, bytes: await readBoundedBody(body, maxBytes) }
}
