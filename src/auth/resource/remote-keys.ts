/** The keys of an issuer elsewhere, as one isolate knows them. */
import { importJWK, type JWK } from 'jose'
import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.ts'
import { within } from '../within.ts'
import { isKeyFor, type SignatureAlgorithm } from './algorithms.ts'
import { type Fetch, fetchJson } from './fetch-json.ts'
import { discoverJwksUri, isKeyAddress } from './issuer-metadata.ts'
import { SingleFlight } from './single-flight.ts'
import type { FindKey } from './token-verifier.ts'

export interface RemoteKeysOptions {
  readonly issuer: string
  readonly jwksUri?: string | undefined
  readonly algorithms: ReadonlySet<SignatureAlgorithm>
  readonly fetch: Fetch
  readonly now?: (() => number) | undefined
}

/** How long a set is gone by. */
const CACHE_MS = 10 * 60_000

/** How much longer, while the issuer does not answer: its failure must not become ours at once. */
const MAX_STALE_MS = 60 * 60_000

/** A key that is not in the set is looked for again no sooner: anybody can make up names of keys. */
const COOLDOWN_MS = 30_000

/** An issuer that has failed is left alone as long. */
const RETRY_AFTER_MS = 5_000

/** Everything that one load asks for, together. */
const LOAD_TIMEOUT_MS = 5_000

/** A fetch from another continent. */
const FOLLOW_TIMEOUT_MS = 2_000

const MAX_KEYS = 64

interface RemoteKey {
  readonly kid: string | undefined
  readonly alg: SignatureAlgorithm
  readonly key: CryptoKey
}

interface Held {
  readonly keys: readonly RemoteKey[]
  readonly at: number
}

export class RemoteKeys {
  readonly #options: RemoteKeysOptions
  readonly #now: () => number
  readonly #loads = new SingleFlight<Held>(FOLLOW_TIMEOUT_MS)
  #held: Held | undefined
  #failure: { readonly error: unknown; readonly at: number } | undefined
  #discovered: string | undefined

  /** @throws {TypeError} for an issuer that is no URL, and for an address of keys that is not https */
  constructor(options: RemoteKeysOptions) {
    const { issuer, jwksUri, now = () => Date.now() } = options
    if (!URL.canParse(issuer)) throw new TypeError(`The issuer "${issuer}" must be a URL`)
    if (jwksUri !== undefined && !isKeyAddress(jwksUri, issuer)) {
      throw new TypeError(`The address of keys "${jwksUri}" must be an https URL`)
    }
    this.#options = options
    this.#now = now
  }

  /** @throws whatever keeps the keys from being had, where no set is young enough to go by */
  async find(wanted: Parameters<FindKey>[0]): Promise<CryptoKey | undefined> {
    const now = this.#now()
    const age = this.#held === undefined ? Infinity : now - this.#held.at
    const known = age < CACHE_MS + MAX_STALE_MS ? match(this.#held, wanted) : undefined
    if (known !== undefined && age < CACHE_MS) return known
    if (known === undefined && age < COOLDOWN_MS) return undefined
    if (known !== undefined && this.#loads.isRunning('')) return known
    try {
      if (this.#failure !== undefined && now - this.#failure.at < RETRY_AFTER_MS) {
        throw this.#failure.error
      }
      return match(await this.#loads.run('', () => this.#load()), wanted)
    } catch (error) {
      if (known !== undefined) return known
      throw error
    }
  }

  async #load(): Promise<Held> {
    const abort = new AbortController()
    try {
      const keys = await within(LOAD_TIMEOUT_MS, this.#fetchKeys(abort.signal))
      if (keys === undefined)
        throw new Error(`The keys of ${this.#options.issuer} did not come in time`)
      this.#failure = undefined
      this.#held = { keys, at: this.#now() }
      return this.#held
    } catch (error) {
      // The address may have changed with whatever else has.
      this.#discovered = undefined
      this.#failure = { error, at: this.#now() }
      throw error
    } finally {
      abort.abort()
    }
  }

  async #fetchKeys(signal: AbortSignal): Promise<readonly RemoteKey[]> {
    const { issuer, jwksUri, algorithms, fetch } = this.#options
    const read = (url: string) => fetchJson(fetch, url, signal)
    this.#discovered ??= jwksUri ?? (await discoverJwksUri(issuer, read))
    return importKeys(await read(this.#discovered), algorithms)
  }
}

/** Without a name it must be the only key that it can be. */
function match(
  held: Held | undefined,
  { kid, alg }: Parameters<FindKey>[0],
): CryptoKey | undefined {
  const fitting = (held?.keys ?? []).filter(
    (candidate) => candidate.alg === alg && (kid === undefined || candidate.kid === kid),
  )
  return kid !== undefined || fitting.length === 1 ? fitting[0]?.key : undefined
}

/** A set may hold keys of which we know nothing; they are passed over (RFC 7517 §5). */
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
    const key = await importJWK(jwk as JWK, alg)
    if (key instanceof Uint8Array || !isKeyFor(alg, key)) return undefined
    return { kid: typeof jwk.kid === 'string' ? jwk.kid : undefined, alg, key }
  } catch {
    // A key of another kind than this algorithm takes.
    return undefined
  }
}
