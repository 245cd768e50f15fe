/** Stores the credentials of an app in memory, for both generations of the official client. */
import { randomUUID } from 'node:crypto'
import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'

export const REDIRECT_URI = 'http://127.0.0.1:43117/callback'

/** An app with a secret and an https redirect, whose consent is remembered. */
export const CONFIDENTIAL = {
  redirectUrl: 'https://app.example/callback',
  metadata: { token_endpoint_auth_method: 'client_secret_post' },
} as const

export interface ProviderOptions {
  readonly redirectUrl?: string
  /** The client id of an app with a metadata document. */
  readonly clientMetadataUrl?: string
  readonly metadata?: Partial<OAuthClientMetadata>
}

export class MemoryProvider implements OAuthClientProvider {
  readonly redirectUrl: string
  readonly clientMetadataUrl?: string
  readonly clientMetadata: OAuthClientMetadata
  /** The URLs of its authorization requests. */
  readonly authorizationUrls: URL[] = []
  /** All tokens that it has received, the newest last. */
  readonly received: StoredOAuthTokens[] = []
  #client: StoredOAuthClientInformation | undefined
  #tokens: StoredOAuthTokens | undefined
  #verifier: string | undefined
  #discovered: OAuthDiscoveryState | undefined
  #state: string | undefined

  constructor({ redirectUrl = REDIRECT_URI, clientMetadataUrl, metadata }: ProviderOptions = {}) {
    this.redirectUrl = redirectUrl
    if (clientMetadataUrl !== undefined) this.clientMetadataUrl = clientMetadataUrl
    this.clientMetadata = {
      client_name: 'Test app',
      redirect_uris: [redirectUrl],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      ...metadata,
    }
  }

  /** URL and state of the last authorization request. */
  get pending(): { readonly url: URL; readonly state: string } {
    const url = this.authorizationUrls.at(-1)
    if (url === undefined || this.#state === undefined)
      throw new Error('There is no authorization request')
    return { url, state: this.#state }
  }

  get accessToken(): string {
    if (this.#tokens === undefined) throw new Error('There is no token')
    return this.#tokens.access_token
  }

  get refreshToken(): string {
    if (this.#tokens?.refresh_token === undefined) throw new Error('There is no refresh token')
    return this.#tokens.refresh_token
  }

  /** Replaces or removes the tokens. */
  setTokens(tokens: StoredOAuthTokens | undefined): void {
    this.#tokens = tokens
  }

  /** Replaces the access token with an invalid one, so that the client must refresh. */
  invalidateAccessToken(refreshToken = this.refreshToken): void {
    if (this.#tokens === undefined) throw new Error('There is no token')
    this.#tokens = {
      ...this.#tokens,
      access_token: 'invalid-access-token',
      refresh_token: refreshToken,
    }
  }

  state(): string {
    this.#state = randomUUID()
    return this.#state
  }

  clientInformation(): StoredOAuthClientInformation | undefined {
    return this.#client
  }

  saveClientInformation(client: StoredOAuthClientInformation): void {
    this.#client = client
  }

  tokens(): StoredOAuthTokens | undefined {
    return this.#tokens
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.received.push(tokens)
    this.#tokens = tokens
  }

  redirectToAuthorization(url: URL): void {
    this.authorizationUrls.push(url)
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier
  }

  codeVerifier(): string {
    if (this.#verifier === undefined) throw new Error('There is no verifier')
    return this.#verifier
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovered = state
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovered
  }

  invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): void {
    if (scope === 'all' || scope === 'client') this.#client = undefined
    if (scope === 'all' || scope === 'tokens') this.#tokens = undefined
    if (scope === 'all' || scope === 'verifier') this.#verifier = undefined
    if (scope === 'all' || scope === 'discovery') this.#discovered = undefined
  }
}
