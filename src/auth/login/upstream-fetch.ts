/** Requests to an upstream provider: JSON, bounded in bytes and time, without redirects. */
import {
  type Fetch,
  fetchJson,
  type JsonRequest,
  withoutQuery,
} from '../../platform/bounded-fetch.ts'
import { withAbortDeadline } from '../../platform/deadline.ts'
import { isJsonObject, type JsonObject } from '../../protocol/json.ts'
import { RemoteError } from '../fetch/remote-error.ts'
import { LoginError } from './login-error.ts'

export interface UpstreamAnswer {
  readonly status: number
  readonly value: JsonObject
}

/**
 * The error that a person reads after a failed sign-in: a `LoginError` for errors of the upstream, with the details as
 * its cause. Returns other errors unchanged.
 */
export function displayText(error: unknown, name: string): unknown {
  if (!(error instanceof RemoteError)) return error
  if (error.code !== undefined) {
    const text = `Signing in with ${name} did not succeed. Please try again.`
    return new LoginError(text, { cause: error })
  }
  const text = `Signing in with ${name} is not possible at the moment. Please try again later.`
  return new LoginError(text, { cause: error, reason: 'unavailable' })
}

const MAX_ANSWER_BYTES = 64 * 1024

/** From the request to the last byte. */
export const UPSTREAM_TIMEOUT_MS = 8_000

/** The statuses of OAuth responses and errors (RFC 6749 §5.2). */
const STATUSES = [200, 400, 401]

type UpstreamRequest = Pick<JsonRequest, 'method' | 'headers' | 'body'>

/** @throws {RemoteError} when the response is late, redirected, too large, or no JSON object */
export async function fetchUpstream(
  fetch: Fetch,
  url: string,
  request: UpstreamRequest = {},
): Promise<UpstreamAnswer> {
  const { status, value } = await fetchUpstreamJson(fetch, url, request, MAX_ANSWER_BYTES)
  if (isJsonObject(value)) return { status, value }
  throw new RemoteError(`${withoutQuery(url)} responded with status ${status} and no JSON object`)
}

/** @throws {RemoteError} when the response is late, redirected, larger than `maxBytes`, or no JSON */
export async function fetchUpstreamJson(
  fetch: Fetch,
  url: string,
  request: UpstreamRequest,
  maxBytes: number,
): Promise<{ readonly status: number; readonly value: unknown }> {
  const response = await withAbortDeadline(
    UPSTREAM_TIMEOUT_MS,
    (signal) => fetchJson(fetch, url, { ...request, signal, maxBytes, statuses: STATUSES }),
    () => {
      throw new RemoteError(`${withoutQuery(url)} did not respond in time`)
    },
  )
  if (!response.ok) throw new RemoteError(response.message, { cause: response.cause })
  return response
}

/** The platform functions that upstream logins use. Tests inject others. */
export interface LoginPlatform {
  readonly fetch: Fetch
  readonly now: () => number
}

export const PLATFORM: LoginPlatform = {
  fetch: (url, init) => fetch(url, init),
  now: () => Date.now(),
}
