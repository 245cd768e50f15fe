/** What clients may register, as far as it depends on the features of the app. Types alone. */
import type { Result } from '../../platform/result.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { PublicJwk } from './client-jwks.ts'

export interface ClientSupport {
  /** Reads the keys of clients that authenticate with `private_key_jwt`. Undefined where no client can. */
  readonly keys?: ClientKeyReader
  /** Whether clients may exchange identity assertions. */
  readonly assertions?: boolean
  /** Whether clients may bind their tokens to keys. */
  readonly dpop?: boolean
}

/** The keys of a client, or the URL of its published set. At most one of the two. */
export interface RegisteredKeys {
  readonly jwks: readonly PublicJwk[] | undefined
  readonly jwksUri: string | undefined
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
