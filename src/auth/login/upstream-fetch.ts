/** Requests to an upstream provider: JSON, bounded in bytes and time, without redirects. */
import { readBoundedBody } from '../../platform/bounded-body.ts'
import { withDeadline } from '../../platform/deadline.ts'
import { decodeUtf8 } from '../../platform/utf8.ts'
import { isJsonObject, type JsonObject } from '../../protocol/json.ts'

/** The part of the platform's `fetch` that is used. */
export type UpstreamFetch = (url: string, init: RequestInit) => Promise<Response>

export interface UpstreamAnswer {
  readonly status: number
  readonly value: JsonObject
}

/** A failed request to the upstream. Its message is for the author, and holds no content of request or response. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError'
  /** The OAuth error code of the response, when it has one. */
  readonly code: string | undefined

  constructor(message: string, options?: ErrorOptions & { readonly code?: string | undefined }) {
    super(message, options)
    this.code = options?.code
  }
}

const MAX_ANSWER_BYTES = 64 * 1024

/** From the request to the last byte. */
export const UPSTREAM_TIMEOUT_MS = 8_000

/** @throws {UpstreamError} when the response is late, redirected, too large, or no JSON object */
export async function fetchUpstream(
  fetch: UpstreamFetch,
  url: string,
  { headers, ...init }: RequestInit & { readonly headers?: Readonly<Record<string, string>> } = {},
  timeoutMs: number = UPSTREAM_TIMEOUT_MS,
): Promise<UpstreamAnswer> {
  const abort = new AbortController()
  const request = async () =>
    readAnswer(
      url,
      await fetch(url, {
        ...init,
        // GitHub requires a user agent, and the platform sends none.
        headers: { accept: 'application/json', 'user-agent': 'Edgeway', ...headers },
        redirect: 'manual',
        signal: abort.signal,
      }),
    )
  try {
    const answer = await withDeadline(timeoutMs, request())
    if (answer === undefined) throw new UpstreamError(`${addressOf(url)} did not respond in time`)
    return answer
  } catch (error) {
    if (error instanceof UpstreamError) throw error
    throw new UpstreamError(`${addressOf(url)} cannot be reached`, { cause: error })
  } finally {
    abort.abort()
  }
}

/** The statuses of OAuth responses and errors (RFC 6749 §5.2). */
const OAUTH_STATUSES = [200, 400, 401]

async function readAnswer(url: string, { status, body }: Response): Promise<UpstreamAnswer> {
  if (!OAUTH_STATUSES.includes(status)) {
    // Not awaited: cancelling an endless body may take long.
    body?.cancel().catch(() => undefined)
    throw new UpstreamError(`${addressOf(url)} responded with status ${status}`)
  }
  const bytes = await readBoundedBody(body, MAX_ANSWER_BYTES)
  if (bytes === undefined)
    throw new UpstreamError(`${addressOf(url)} responded with more than ${MAX_ANSWER_BYTES} bytes`)
  let value: unknown
  try {
    value = JSON.parse(decodeUtf8(bytes))
  } catch {
    // Neither UTF-8 nor JSON. The parser's error would quote the body.
  }
  if (!isJsonObject(value)) {
    throw new UpstreamError(`${addressOf(url)} responded with status ${status} and no JSON object`)
  }
  return { status, value }
}

/** Without the query, which may hold secrets. */
function addressOf(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}
