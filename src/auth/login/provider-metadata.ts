/**
 * The metadata of an OpenID provider, cached per isolate.
 *
 * @see https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfig
 */

import type { Fetch } from '../../platform/bounded-fetch.ts'
import { RefreshingCache } from '../../platform/refreshing-cache.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { RemoteError } from '../fetch/remote-error.ts'
import { checkAlgorithms } from '../resource/algorithms.ts'
import { isKeyUrl, RemoteKeys } from '../resource/remote-keys.ts'
import { fetchUpstream, UPSTREAM_TIMEOUT_MS } from './upstream-fetch.ts'
import type { TokenEndpoint } from './upstream-tokens.ts'

export interface Provider {
  readonly authorizationEndpoint: string
  readonly tokenEndpoint: string
  readonly authMethod: TokenEndpoint['authMethod']
  /** Whether its authorization responses have `iss` (RFC 9207). */
  readonly sendsIssuer: boolean
  readonly jwksUri: string
  readonly keys: RemoteKeys
}

export interface ProviderOptions {
  readonly issuer: string
  readonly fetch: Fetch
  readonly now: () => number
}

/** Asymmetric algorithms only. With HMAC, the client secret or a public key could sign tokens. */
export const ID_TOKEN_ALGORITHMS = checkAlgorithms(['RS256', 'ES256', 'EdDSA', 'PS256'])

const FRESH_MS = 60 * 60_000

/** Stale metadata is used for another day while the provider does not respond. */
const MAX_STALE_AGE_MS = FRESH_MS + 24 * 60 * 60_000

/** Time between two requests to a provider that fails. */
const RETRY_AFTER_MS = 5_000

/** The result rejects with a `RemoteError` when the metadata cannot be fetched and no cached one is recent enough. */
export function createProviderMetadata(options: ProviderOptions): () => Promise<Provider> {
  return createMetadataCache(options, (previous) => load(options, previous))
}

/** Caches what is read of the metadata of an issuer. */
export function createMetadataCache<T>(
  options: Pick<ProviderOptions, 'issuer' | 'now'>,
  load: (previous: T | undefined) => Promise<T>,
): () => Promise<T> {
  const { now } = options
  const providers = new RefreshingCache<T>({
    load: async (_, previous) => {
      const value = await load(previous?.value)
      const loadedAt = now()
      return { value, loadedAt, freshUntil: loadedAt + FRESH_MS }
    },
    loadTimeoutMs: UPSTREAM_TIMEOUT_MS,
    followTimeoutMs: UPSTREAM_TIMEOUT_MS,
    maxStaleAgeMs: MAX_STALE_AGE_MS,
    retryAfterMs: RETRY_AFTER_MS,
    maxEntries: 1,
    now,
  })
  return () => providers.get(options.issuer)
}

async function load(
  { issuer, fetch, now }: ProviderOptions,
  previous: Provider | undefined,
): Promise<Provider> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const { status, value: metadata } = await fetchUpstream(fetch, url)
  if (status !== 200) throw new RemoteError(`${issuer} has no metadata: status ${status}`)
  const jwksUri = endpointOf(metadata, 'jwks_uri', issuer)
  // An unchanged URL keeps the cached keys and their cooldown.
  const keys =
    previous?.jwksUri === jwksUri
      ? previous.keys
      : new RemoteKeys({ issuer, jwksUri, algorithms: ID_TOKEN_ALGORITHMS, fetch, now })
  return { ...readProvider(metadata, issuer), jwksUri, keys }
}

/** @throws {RemoteError} for a document of another issuer, and for one without endpoints */
export function readProvider(
  metadata: JsonObject,
  issuer: string,
): Omit<Provider, 'jwksUri' | 'keys'> {
  // A document of another issuer would replace this one's endpoints (§4.3).
  if (metadata.issuer !== issuer) {
    throw new RemoteError(`The metadata of ${issuer} names another issuer`)
  }
  const methods = metadata.token_endpoint_auth_methods_supported
  const postOnly =
    Array.isArray(methods) &&
    methods.includes('client_secret_post') &&
    !methods.includes('client_secret_basic')
  return {
    authorizationEndpoint: endpointOf(metadata, 'authorization_endpoint', issuer),
    tokenEndpoint: endpointOf(metadata, 'token_endpoint', issuer),
    authMethod: postOnly ? 'client_secret_post' : 'client_secret_basic',
    sendsIssuer: metadata.authorization_response_iss_parameter_supported === true,
  }
}

/** Plain http is accepted when the issuer itself is on a loopback host. */
export function endpointOf(metadata: JsonObject, name: string, issuer: string): string {
  const url = metadata[name]
  if (typeof url === 'string' && isKeyUrl(url, issuer)) return url
  throw new RemoteError(`The metadata of ${issuer} has no usable ${name}`)
}
