/** Finds the keys of a client: registered with the client, or published at its `jwks_uri`. */
import { createLocalJWKSet, type JWTVerifyGetKey } from 'jose'
import { invalid, type Result, valid } from '../../platform/result.ts'
import { isJsonObject } from '../../protocol/json.ts'
import {
  DocumentCache,
  type DocumentRequest,
  type DocumentSource,
} from '../fetch/document-cache.ts'
import { showUrl } from '../fetch/public-url.ts'
import { OAuthError } from '../oauth-error.ts'
import type { Client } from './client.ts'
import { type PublicJwk, parsePublicJwk } from './client-jwks.ts'

export interface ClientKeys {
  /**
   * Returns a lookup of the client's keys, for `jwtVerify`.
   *
   * @param request see {@link DocumentRequest}
   * @throws {OAuthError} `invalid_client` for a client without usable keys, and
   *   `temporarily_unavailable` if they cannot be fetched
   */
  of(client: Client, request?: DocumentRequest): Promise<JWTVerifyGetKey>
}

const MAX_JWKS_BYTES = 32 * 1024

/** A published set may contain unusable keys: so many are read, and so many usable ones accepted. */
const MAX_LISTED = 100
const MAX_KEYS = 20

const MINUTE_MS = 60_000

/** A withdrawn key is accepted for an hour at most. */
const FRESHNESS = { min: 5 * MINUTE_MS, max: 60 * MINUTE_MS, otherwise: 30 * MINUTE_MS }

/** Created once per isolate, because it caches published keys. */
export function createClientKeys(options: DocumentSource): ClientKeys {
  const published = new DocumentCache<JWTVerifyGetKey>({
    ...options,
    maxBytes: MAX_JWKS_BYTES,
    freshness: FRESHNESS,
    validate: parseJwks,
  })
  return {
    async of({ jwks, jwksUri }, request = {}) {
      if (jwks !== undefined) return createLocalJWKSet({ keys: [...jwks] })
      if (jwksUri === undefined) throw new OAuthError('invalid_client', 'The client has no keys')
      const keys = await published.get(jwksUri, request)
      if (keys.ok) return keys.value
      if (keys.failure === 'unreachable') {
        const message = `The jwks_uri ${showUrl(jwksUri)} cannot be read at the moment`
        throw new OAuthError('temporarily_unavailable', message)
      }
      throw new OAuthError('invalid_client', `The jwks_uri ${showUrl(jwksUri)} has no usable keys`)
    },
  }
}

/** Returns the usable keys of a published set and ignores the others (RFC 7517 §5). */
function parseJwks(value: unknown): Result<JWTVerifyGetKey> {
  const listed = isJsonObject(value) ? value.keys : undefined
  if (!Array.isArray(listed)) return invalid('it must be a JWK set')
  const keys: PublicJwk[] = []
  for (const item of listed.slice(0, MAX_LISTED)) {
    const key = parsePublicJwk(item)
    if (key.ok && keys.length < MAX_KEYS) keys.push(key.value)
  }
  if (keys.length === 0) return invalid('it has no usable key')
  return valid(createLocalJWKSet({ keys }))
}
