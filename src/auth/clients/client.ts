/** A client, wherever it is known from: what the authorize page and the token endpoint need of it. */
import type { PublicJwk } from './client-jwks.ts'

export type ClientAuthMethod =
  | 'none'
  | 'client_secret_basic'
  | 'client_secret_post'
  | 'private_key_jwt'

export const JWT_BEARER_GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

export type ClientGrantType =
  | 'authorization_code'
  | 'refresh_token'
  | 'client_credentials'
  | typeof JWT_BEARER_GRANT

export interface Client {
  readonly id: string
  /**
   * `static`: in the author's configuration; `registered`: anybody's, who asked; `document`: published
   * at the URL that is its id.
   */
  readonly kind: 'static' | 'registered' | 'document'
  /** As it calls itself, fit to be shown: one line, at most 100 characters. */
  readonly name: string | undefined
  /** Its home page, as it says: nobody has checked it. */
  readonly uri: string | undefined
  /** The host that speaks for it, for `document` alone: the others' words prove nothing. */
  readonly host: string | undefined
  readonly redirectUris: readonly string[]
  readonly authMethod: ClientAuthMethod
  /** Of a client with a secret: its SHA-256, base64url. */
  readonly secretHash: string | undefined
  /** Of a client with keys: these, or where it publishes them. */
  readonly jwks: readonly PublicJwk[] | undefined
  readonly jwksUri: string | undefined
  readonly grantTypes: readonly ClientGrantType[]
  /** What it may ask for; undefined sets no bound. */
  readonly scopes: readonly string[] | undefined
}

/** Longer ids are refused unread: they are parts of addresses. */
export const MAX_CLIENT_ID_LENGTH = 4096
