/**
 * What an OpenID provider says of itself, as one isolate knows it.
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
  /** Whether its answers name it (RFC 9207). */
  readonly sendsIssuer: boolean
  readonly keys: RemoteKeys
}

export interface ProviderOptions {
  readonly issuer: string
  readonly fetch: UpstreamFetch
  readonly now: () => number
}

/** Asymmetric ones only: with another, whoever knows our secret or the public key could sign. */
export const ID_TOKEN_ALGORITHMS = checkAlgorithms(['RS256', 'ES256', 'EdDSA', 'PS256'])

const CACHE_MS = 60 * 60_000

/** How much longer, while the provider does not answer. */
const MAX_STALE_MS = 24 * 60 * 60_000

/** A provider that has failed is left alone as long. */
const RETRY_AFTER_MS = 5_000

export class ProviderMetadata {
  readonly #options: ProviderOptions
  readonly #loads = new SingleFlight<Provider>(UPSTREAM_TIMEOUT_MS)
  #held: { readonly provider: Provider; readonly jwksUri: string; readonly at: number } | undefined
  #failure: { readonly error: unknown; readonly at: number } | undefined

  constructor(options: ProviderOptions) {
    this.#options = options
  }

  /** @throws {UpstreamError} where it cannot be had, and nothing young enough is known */
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
      // The same address keeps the keys that are known, and their cooldown.
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
  // A document that speaks for another issuer would put that one's endpoints in its place (§4.3).
  if (metadata.issuer !== issuer) {
    throw new UpstreamError(`The metadata found for ${issuer} is that of another issuer`)
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

/** Plain http only where the issuer itself is on somebody's own machine. */
function endpointOf(metadata: JsonObject, name: string, issuer: string): string {
  const url = metadata[name]
  if (typeof url === 'string' && isKeyUrl(url, issuer)) return url
  throw new UpstreamError(`The metadata of ${issuer} has no usable ${name}`)
}
