/**
 * The metadata of an OpenID provider, cached per isolate.
 *
 * @see https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfig
 */

import { SingleFlight } from '../../platform/single-flight.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { checkAlgorithms } from '../resource/algorithms.ts'
import { isKeyUrl } from '../resource/issuer-metadata.ts'
import { RemoteKeys } from '../resource/remote-keys.ts'
import {
  fetchUpstream,
  UPSTREAM_TIMEOUT_MS,
  UpstreamError,
  type UpstreamFetch,
} from './upstream-fetch.ts'
import type { TokenEndpoint } from './upstream-tokens.ts'

export interface Provider {
  readonly authorizationEndpoint: string
  readonly tokenEndpoint: string
  readonly authMethod: TokenEndpoint['authMethod']
  /** Whether its authorization responses have `iss` (RFC 9207). */
  readonly sendsIssuer: boolean
  readonly keys: RemoteKeys
}

export interface ProviderOptions {
  readonly issuer: string
  readonly fetch: UpstreamFetch
  readonly now: () => number
}

/** Asymmetric algorithms only. With HMAC, the client secret or a public key could sign tokens. */
export const ID_TOKEN_ALGORITHMS = checkAlgorithms(['RS256', 'ES256', 'EdDSA', 'PS256'])

const CACHE_MS = 60 * 60_000

/** How much longer the metadata is used while the provider does not respond. */
const MAX_STALE_MS = 24 * 60 * 60_000

/** Time between two requests to a provider that fails. */
const RETRY_AFTER_MS = 5_000

export class ProviderMetadata {
  readonly #options: ProviderOptions
  readonly #loads = new SingleFlight<Provider>(UPSTREAM_TIMEOUT_MS)
  #held: { readonly provider: Provider; readonly jwksUri: string; readonly at: number } | undefined
  #failure: { readonly error: unknown; readonly at: number } | undefined

  constructor(options: ProviderOptions) {
    this.#options = options
  }

  /** @throws {UpstreamError} when the metadata cannot be fetched and no cached one is recent enough */
  async provider(): Promise<Provider> {
    const now = this.#options.now()
    const age = this.#held === undefined ? Number.POSITIVE_INFINITY : now - this.#held.at
    if (this.#held !== undefined && age < CACHE_MS) return this.#held.provider
    try {
      if (this.#failure !== undefined && now - this.#failure.at < RETRY_AFTER_MS) {
        throw this.#failure.error
      }
      return await this.#loads.run('', () => this.#load())
    } catch (error) {
      if (this.#held !== undefined && age < CACHE_MS + MAX_STALE_MS) return this.#held.provider
      throw error
    }
  }

  async #load(): Promise<Provider> {
    const { issuer, fetch, now } = this.#options
    try {
      const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
      const { status, value } = await fetchUpstream(fetch, url)
      if (status !== 200) throw new UpstreamError(`${issuer} has no metadata: status ${status}`)
      const jwksUri = endpointOf(value, 'jwks_uri', issuer)
      // An unchanged URL keeps the cached keys and their cooldown.
      const keys =
        this.#held?.jwksUri === jwksUri
          ? this.#held.provider.keys
          : new RemoteKeys({ issuer, jwksUri, algorithms: ID_TOKEN_ALGORITHMS, fetch, now })
      const provider = readProvider(value, issuer, keys)
      this.#failure = undefined
      this.#held = { provider, jwksUri, at: now() }
      return provider
    } catch (error) {
      this.#failure = { error, at: now() }
      throw error
    }
  }
}

function readProvider(metadata: JsonObject, issuer: string, keys: RemoteKeys): Provider {
  // A document of another issuer would replace this one's endpoints (§4.3).
  if (metadata.issuer !== issuer) {
    throw new UpstreamError(`The metadata of ${issuer} names another issuer`)
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
    keys,
  }
}

/** Plain http is accepted when the issuer itself is on a loopback host. */
function endpointOf(metadata: JsonObject, name: string, issuer: string): string {
  const url = metadata[name]
  if (typeof url === 'string' && isKeyUrl(url, issuer)) return url
  throw new UpstreamError(`The metadata of ${issuer} has no usable ${name}`)
}
