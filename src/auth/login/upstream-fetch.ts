/** Requests to a sign-in elsewhere: JSON, bounded in bytes and in time, and never led on to another place. */

import { readBoundedBody } from '../../platform/bounded-body.ts'
import { withDeadline } from '../../platform/deadline.ts'
import { decodeUtf8 } from '../../platform/utf8.ts'
import { isJsonObject, type JsonObject } from '../../protocol/json.ts'

/** As much of the platform's `fetch` as is needed. */
export type UpstreamFetch = (url: string, init: RequestInit) => Promise<Response>

export interface UpstreamAnswer {
  readonly status: number
  readonly value: JsonObject
}

/** What upstream did not give. Its text is for the author: it holds nothing that was sent or received. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError'
  /** An OAuth error code, where upstream has answered with one. */
  readonly code: string | undefined

  constructor(message: string, options?: ErrorOptions & { readonly code?: string | undefined }) {
    super(message, options)
    this.code = options?.code
  }
}

const MAX_ANSWER_BYTES = 64 * 1024

/** From the request to the last byte. */
export const UPSTREAM_TIMEOUT_MS = 8_000

/** @throws {UpstreamError} for anything but a JSON object from this very address, in time */
export async function fetchUpstream(
  fetch: UpstreamFetch,
  url: string,
  { headers, ...init }: RequestInit & { readonly headers?: Readonly<Record<string, string>> } = {},
  timeoutMs: number = UPSTREAM_TIMEOUT_MS,
): Promise<UpstreamAnswer> {
  const abort = new AbortController()
  const ask = async () =>
    readAnswer(
      url,
      await fetch(url, {
        ...init,
        // GitHub for one refuses whoever does not say who they are, and the platform does not by itself.
        headers: { accept: 'application/json', 'user-agent': 'Edgeway', ...headers },
        redirect: 'manual',
        signal: abort.signal,
      }),
    )
  try {
    const answer = await withDeadline(timeoutMs, ask())
    if (answer === undefined) throw new UpstreamError(`${whereOf(url)} did not answer in time`)
    return answer
  } catch (error) {
    if (error instanceof UpstreamError) throw error
    throw new UpstreamError(`${whereOf(url)} cannot be reached`, { cause: error })
  } finally {
    abort.abort()
  }
}

/** The statuses with which OAuth says yes, and no (RFC 6749 §5.2). */
const MEANT = [200, 400, 401]

async function readAnswer(url: string, { status, body }: Response): Promise<UpstreamAnswer> {
  if (!MEANT.includes(status)) {
    // Not waited for: a body that does not end must not hold this up.
    body?.cancel().catch(() => undefined)
    throw new UpstreamError(`${whereOf(url)} answered with status ${status}`)
  }
  const bytes = await readBoundedBody(body, MAX_ANSWER_BYTES)
  if (bytes === undefined) throw new UpstreamError(`${whereOf(url)} answered with too much`)
  let value: unknown
  try {
    value = JSON.parse(decodeUtf8(bytes))
  } catch {
    // Neither UTF-8 nor JSON; what it says is not repeated.
  }
  if (!isJsonObject(value)) {
    throw new UpstreamError(`${whereOf(url)} answered ${status} without a JSON object`)
  }
  return { status, value }
}

/** Without the query, which may hold what nobody else should read. */
function whereOf(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}
