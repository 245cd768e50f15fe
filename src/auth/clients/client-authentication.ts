/** Authenticates the clients that call the authorization server, with the method that each has registered. */
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
import { createSecretFailures } from './secret-failures.ts'

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
    if (presented.method === 'secret' && !(await hasSecret(client, presented.secret))) {
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

async function hasSecret({ secretHash }: Client, secret: string): Promise<boolean> {
  return secretHash !== undefined && secretMatches(secret, secretHash)
}

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
