/** Authenticates the clients that call the authorization server, with the method that each has registered. */

import { clientAddress } from '../../platform/client-network.ts'
import { parseIpAddress } from '../../platform/ip-address.ts'
import { LruMap } from '../../platform/lru-map.ts'
import type { RateLimits } from '../../ports/rate-limits.ts'
import type { BeforeFirst } from '../fetch/document-cache.ts'
import { OAuthError } from '../oauth-error.ts'
import { limitNetwork } from '../over-limit.ts'
import type { Client } from './client.ts'
import { secretMatches } from './client-secret.ts'
import type { Clients } from './clients.ts'
import {
  type PresentedCredentials,
  type ReadAssertion,
  readCredentials,
} from './presented-credentials.ts'

/**
 * Authenticates a request and returns its client.
 *
 * @param form the parameters of the body, without empty ones
 * @param findOther finds a client whose id is unknown
 * @throws {OAuthError} `invalid_request`, `invalid_client`, or `temporarily_unavailable`
 */
export type ClientAuthentication = (
  headers: Headers,
  form: ReadonlyMap<string, string>,
  findOther?: (clientId: string) => Promise<Client | undefined>,
) => Promise<Client>

/** Authentication with `private_key_jwt`. */
export interface ClientAssertions {
  readonly read: ReadAssertion
  /** @throws {OAuthError} `invalid_client`, or `temporarily_unavailable` if the keys cannot be fetched */
  check(assertion: string, client: Client, beforeFirst: BeforeFirst): Promise<void>
}

export interface ClientAuthenticationOptions {
  readonly clients: Pick<Clients, 'find'>
  /** Undefined where no client authenticates with `private_key_jwt`. */
  readonly assertions?: ClientAssertions | undefined
  /** Bounds the documents that a network makes this server fetch. */
  readonly rateLimits?: RateLimits | undefined
  readonly now?: () => number
}

export function createClientAuthentication({
  clients,
  assertions,
  rateLimits,
  now = Date.now,
}: ClientAuthenticationOptions): ClientAuthentication {
  const countFailure = createSecretFailures(now)
  return async (headers, form, findOther) => {
    const presented = readCredentials(headers, form, assertions?.read)
    const { clientId } = presented
    const beforeFirst = () => limitNetwork(rateLimits, 'client-documents', { headers })
    const client = (await clients.find(clientId, beforeFirst)) ?? (await findOther?.(clientId))
    if (client === undefined) throw new OAuthError('invalid_client', 'The client is unknown')
    const expected = EXPECTED[client.authMethod]
    if (presented.method !== expected) {
      throw new OAuthError('invalid_client', `The client is registered with ${client.authMethod}`)
    }
    if (
      presented.method === 'secret' &&
      !(await secretMatches(presented.secret, client.secretHash))
    ) {
      throw wrongSecret(countFailure(client.id, headers))
    }
    if (presented.method === 'assertion') {
      if (assertions === undefined) throw new TypeError('No client assertion can be presented')
      await assertions.check(presented.assertion, client, beforeFirst)
    }
    return client
  }
}

/** A secret is accepted in the header and in the form, because clients confuse the two methods. */
const EXPECTED = {
  none: 'none',
  client_secret_basic: 'secret',
  client_secret_post: 'secret',
  private_key_jwt: 'assertion',
} as const satisfies Readonly<Record<Client['authMethod'], PresentedCredentials['method']>>

function wrongSecret(retryAfterSeconds: number | undefined): OAuthError {
  return retryAfterSeconds === undefined
    ? new OAuthError('invalid_client', 'The client secret is wrong')
    : new OAuthError('invalid_client', 'Too many wrong client secrets', {
        status: 429,
        retryAfterSeconds,
      })
}

/**
 * Returns the challenge of a failed client authentication. A client that has used the Authorization
 * header needs it.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-5.2
 */
export function authenticationChallenge(error: OAuthError, issuer: string): string | undefined {
  if (error.code !== 'invalid_client' || error.status !== 401) return undefined
  return `Basic realm="${issuer}", charset="UTF-8"`
}

/** Wrong secrets that are answered at once. */
const FREE_FAILURES = 10
/** Failures are counted for this long after the last one, or after the wait that it caused. */
const WINDOW_MS = 15 * 60_000
/** Each further failure doubles the wait. */
const FIRST_WAIT_MS = 15_000
const LONGEST_WAIT_MS = 15 * 60_000
const MAX_COUNTS = 1_000

interface Count {
  readonly failures: number
  readonly waitUntil: number
}

/** Counts a wrong secret. Returns how many seconds the client has to wait, or undefined if it need not. */
export type CountFailure = (clientId: string, headers: Headers) => number | undefined

export function createSecretFailures(clock: () => number): CountFailure {
  const counts = new LruMap<Count>(MAX_COUNTS)
  return (clientId, headers) => {
    const now = clock()
    const key = `${networkOf(headers)} ${clientId}`
    const known = counts.get(key)
    const wait = (known?.waitUntil ?? 0) - now
    // Not counted: otherwise wrong secrets could extend the wait without end.
    if (wait > 0) return Math.ceil(wait / 1000)
    const isRecent = known !== undefined && now < known.waitUntil + WINDOW_MS
    const failures = isRecent ? known.failures + 1 : 1
    const waits = failures - FREE_FAILURES
    const waitMs = waits < 0 ? 0 : Math.min(FIRST_WAIT_MS * 2 ** waits, LONGEST_WAIT_MS)
    counts.set(key, { failures, waitUntil: now + waitMs })
    return undefined
  }
}

/** The IPv4 address or the IPv6 /64 of a request. The platform sets the header on Cloudflare. */
function networkOf(headers: Headers): string {
  const bytes = parseIpAddress(clientAddress(headers) ?? '')
  return bytes === undefined ? 'unknown' : bytes.slice(0, bytes.length === 4 ? 4 : 8).join('.')
}
