/** A client of the authorization server: registered, static, or from a metadata document. */

import type { Result } from '../../platform/result.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { PublicJwk } from './client-jwks.ts'

export type ClientAuthMethod =
  | 'none'
  | 'client_secret_basic'
  | 'client_secret_post'
  | 'private_key_jwt'

export function usesSecret(method: ClientAuthMethod): boolean {
  return method === 'client_secret_basic' || method === 'client_secret_post'
}

export const JWT_BEARER_GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

export type ClientGrantType =
  | 'authorization_code'
  | 'refresh_token'
  | 'client_credentials'
  | typeof JWT_BEARER_GRANT

/** The keys of a client, or the URL of its published set. At most one of the two. */
export interface RegisteredKeys {
  readonly jwks: readonly PublicJwk[] | undefined
  readonly jwksUri: string | undefined
}

export interface Client extends RegisteredKeys {
  readonly id: string
  /**
   * - `static`: in the author's configuration.
   * - `registered`: by dynamic registration, which is open to everyone.
   * - `document`: its id is the URL of its metadata document.
   */
  readonly kind: 'static' | 'registered' | 'document'
  /** Chosen by the client, sanitized for display: one line, at most 100 characters. */
  readonly name: string | undefined
  /** Home page. Chosen by the client and not verified. */
  readonly uri: string | undefined
  /** The host of its document. Undefined for other kinds, whose claims of a host are not verified. */
  readonly host: string | undefined
  readonly redirectUris: readonly string[]
  readonly authMethod: ClientAuthMethod
  /** SHA-256 of the secret, base64url. */
  readonly secretHash: string | undefined
  readonly grantTypes: readonly ClientGrantType[]
  /** Scopes that the client may request. Undefined: all. */
  readonly scopes: readonly string[] | undefined
  /** Whether each of its token requests needs a DPoP proof (RFC 9449 §5.2). */
  readonly dpopBound: boolean
}

/** A longer id is rejected without being read. Ids are parts of URLs. */
export const MAX_CLIENT_ID_LENGTH = 4096

/** What clients may register, as far as it depends on the features of the app. */
export interface ClientSupport {
  /** Reads the keys of clients that authenticate with `private_key_jwt`. Undefined where no client can. */
  readonly keys?: ClientKeyReader
  /** Whether clients may exchange identity assertions. */
  readonly assertions?: boolean
  /** Whether clients may bind their tokens to keys. */
  readonly dpop?: boolean
}

export interface ClientKeyReader {
  /** Reads one key of a configured client. */
  parse(value: unknown): Result<PublicJwk>
  /**
   * Reads the keys of client metadata.
   *
   * @throws {OAuthError} `invalid_client_metadata`
   */
  registered(metadata: JsonObject): RegisteredKeys
}
