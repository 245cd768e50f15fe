/** What an app keeps of its authorization, in memory: one provider serves both generations of client. */
import { randomUUID } from 'node:crypto'
import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'

export const REDIRECT_URI = 'http://127.0.0.1:43117/callback'

export interface ProviderOptions {
  readonly redirectUrl?: string
  /** The app's id, where it publishes a document about itself. */
  readonly clientMetadataUrl?: string
  readonly metadata?: Partial<OAuthClientMetadata>
}

export class MemoryProvider implements OAuthClientProvider {
  readonly redirectUrl: string
  readonly clientMetadataUrl?: string
  readonly clientMetadata: OAuthClientMetadata
  /** Where the person was sent, each time. */
  readonly asked: URL[] = []
  /** Every set of tokens it was ever given, the newest last. */
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

  /** The address of the last question, with the state that its answer must bring back. */
  get question(): { readonly url: URL; readonly state: string } {
    const url = this.asked.at(-1)
    if (url === undefined || this.#state === undefined) throw new Error('Nobody has been asked')
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

  /** The client forgets its tokens, or is given others. */
  setTokens(tokens: StoredOAuthTokens | undefined): void {
    this.#tokens = tokens
  }

  /** Leaves it with an access token that nobody takes, as one that has expired, and one to refresh it. */
  spoilAccessToken(refreshToken = this.refreshToken): void {
    if (this.#tokens === undefined) throw new Error('There is no token')
    this.#tokens = {
      ...this.#tokens,
      access_token: 'of-no-use-any-more',
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
    this.asked.push(url)
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
