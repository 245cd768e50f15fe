/**
 * The public keys of an external issuer, cached per isolate.
 *
 * `createRemoteJWKSet` of jose does not serve here: on Workers it fetches for every concurrent request, uses no stale
 * set while the issuer fails, remembers no failure, and bounds neither bytes nor unknown key ids.
 */

import { type Fetch, fetchJson } from '../../platform/bounded-fetch.ts'
import { withAbortDeadline } from '../../platform/deadline.ts'
import { RefreshingCache } from '../../platform/refreshing-cache.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.ts'
import { serverLocations } from '../../protocol/metadata-locations.ts'
import { importJwk, isKeyFor, type SignatureAlgorithm } from './algorithms.ts'
import type { FindKey } from './token-verifier.ts'

export interface RemoteKeysOptions {
  readonly issuer: string
  readonly jwksUri?: string | undefined
  readonly algorithms: ReadonlySet<SignatureAlgorithm>
  readonly fetch: Fetch
  readonly now?: (() => number) | undefined
}

/** How long a key set is fresh. */
const FRESH_MS = 10 * 60_000

/** A stale key set is used for another hour while the issuer does not respond. */
const MAX_STALE_AGE_MS = FRESH_MS + 60 * 60_000

/** A token with an unknown key id causes a fetch no more often than this: anyone can invent key ids. */
const COOLDOWN_MS = 30_000

const RETRY_AFTER_MS = 5_000

/** All requests of one load together: metadata and key set. */
const LOAD_TIMEOUT_MS = 5_000

/** A fetch from another continent. */
const FOLLOW_TIMEOUT_MS = 2_000

/** The key sets of large providers have some tens of kilobytes. */
const MAX_DOCUMENT_BYTES = 256 * 1024

const MAX_KEYS = 64

const HEADERS = { accept: 'application/json, application/jwk-set+json' }

interface RemoteKey {
  readonly kid: string | undefined
  readonly alg: SignatureAlgorithm
  readonly key: CryptoKey
}

export class RemoteKeys {
  readonly #options: RemoteKeysOptions
  readonly #keySets: RefreshingCache<readonly RemoteKey[]>
  #discoveredUri: string | undefined

  /** @throws {TypeError} for an issuer that is not a URL, and for a `jwksUri` that is not https */
  constructor(options: RemoteKeysOptions) {
    const { issuer, jwksUri, now = () => Date.now() } = options
    if (!URL.canParse(issuer)) throw new TypeError(`The issuer "${issuer}" must be a URL`)
    if (jwksUri !== undefined && !isKeyUrl(jwksUri, issuer)) {
      throw new TypeError(`jwksUri "${jwksUri}" must be an https URL`)
    }
    this.#options = options
    this.#keySets = new RefreshingCache({
      load: async () => {
        const value = await this.#load()
        const loadedAt = now()
        return { value, loadedAt, freshUntil: loadedAt + FRESH_MS }
      },
      loadTimeoutMs: LOAD_TIMEOUT_MS,
      followTimeoutMs: FOLLOW_TIMEOUT_MS,
      maxStaleAgeMs: MAX_STALE_AGE_MS,
      retryAfterMs: RETRY_AFTER_MS,
      maxEntries: 1,
      now,
    })
  }

  /** @throws the error of the fetch, if no cached key set may be used */
  async find(wanted: Parameters<FindKey>[0]): Promise<CryptoKey | undefined> {
    const { issuer } = this.#options
    const cached = this.#keySets.peek(issuer)
    const isKnown = cached !== undefined && match(cached.value, wanted) !== undefined
    // A stale set does not show whether the issuer has a new key with this id.
    const request = isKnown ? {} : { maxAgeMs: COOLDOWN_MS, staleIfError: false }
    return match(await this.#keySets.get(issuer, request), wanted)
  }

  async #load(): Promise<readonly RemoteKey[]> {
    const { issuer } = this.#options
    try {
      return await withAbortDeadline(
        LOAD_TIMEOUT_MS,
        (signal) => this.#fetchKeys(signal),
        () => {
          throw new Error(`The keys of ${issuer} were not received in time`)
        },
      )
    } catch (error) {
      // The issuer may have moved its keys.
      this.#discoveredUri = undefined
      throw error
    }
  }

  async #fetchKeys(signal: AbortSignal): Promise<readonly RemoteKey[]> {
    const { issuer, jwksUri, algorithms, fetch } = this.#options
    const read = (url: string) => fetchObject(fetch, url, signal)
    this.#discoveredUri ??= jwksUri ?? (await discoverJwksUri(issuer, read))
    return importKeys(await read(this.#discoveredUri), algorithms)
  }
}

/** @throws {Error} for anything but a JSON object at exactly this URL */
async function fetchObject(fetch: Fetch, url: string, signal: AbortSignal): Promise<JsonObject> {
  const response = await fetchJson(fetch, url, {
    maxBytes: MAX_DOCUMENT_BYTES,
    signal,
    headers: HEADERS,
  })
  if (!response.ok) throw response.cause ?? new Error(response.message)
  if (!isJsonObject(response.value)) throw new Error(`${url} is not a JSON object`)
  return response.value
}

/** A token without a key id matches only if one key is possible. */
function match(
  keys: readonly RemoteKey[],
  { kid, alg }: Parameters<FindKey>[0],
): CryptoKey | undefined {
  const candidates = keys.filter((key) => key.alg === alg && (kid === undefined || key.kid === kid))
  return kid !== undefined || candidates.length === 1 ? candidates[0]?.key : undefined
}

/** Ignores keys of unknown kinds (RFC 7517 §5). */
async function importKeys(
  { keys }: JsonObject,
  algorithms: ReadonlySet<SignatureAlgorithm>,
): Promise<readonly RemoteKey[]> {
  if (!Array.isArray(keys)) throw new Error('The key set has no keys')
  const imports = keys
    .slice(0, MAX_KEYS)
    .filter(isForSignatures)
    .flatMap((jwk) => [...algorithms].map((alg) => importKey(jwk, alg)))
  return (await Promise.all(imports)).filter((key) => key !== undefined)
}

function isForSignatures(jwk: JsonValue): jwk is JsonObject {
  return isJsonObject(jwk) && (jwk.use === undefined || jwk.use === 'sig')
}

async function importKey(jwk: JsonObject, alg: SignatureAlgorithm): Promise<RemoteKey | undefined> {
  if (jwk.alg !== undefined && jwk.alg !== alg) return undefined
  try {
    const key = await importJwk(jwk, alg, 'verify')
    if (!isKeyFor(alg, key)) return undefined
    return { kid: typeof jwk.kid === 'string' ? jwk.kid : undefined, alg, key }
  } catch {
    // The key does not belong to this algorithm.
    return undefined
  }
}

/**
 * Discovers the URL of the issuer's key set in its metadata.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8414#section-3
 * @param read fetches a document
 * @throws {AggregateError} if no document names it
 */
export async function discoverJwksUri(
  issuer: string,
  read: (url: string) => Promise<JsonObject>,
): Promise<string> {
  const failures: unknown[] = []
  for (const { href } of serverLocations(new URL(issuer))) {
    try {
      return jwksUriOf(await read(href), issuer)
    } catch (error) {
      failures.push(error)
    }
  }
  throw new AggregateError(failures, `The metadata of ${issuer} does not name a key set`)
}

function jwksUriOf({ issuer: named, jwks_uri: uri }: JsonObject, issuer: string): string {
  // With the metadata of another issuer, that issuer could sign tokens of this one (§3.3).
  if (named !== issuer) throw new Error('The metadata belongs to another issuer')
  if (typeof uri !== 'string' || !isKeyUrl(uri, issuer)) {
    throw new Error('jwks_uri must be an https URL')
  }
  return uri
}

/** Whether keys may be fetched from a URL: https, or http on the issuer's own origin, for a local issuer. */
export function isKeyUrl(uri: string, issuer: string): boolean {
  if (!URL.canParse(uri)) return false
  const { protocol, origin } = new URL(uri)
  return protocol === 'https:' || (protocol === 'http:' && origin === new URL(issuer).origin)
}
