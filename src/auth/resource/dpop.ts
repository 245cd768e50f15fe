/**
 * Verifies DPoP proofs: that a client holds the key which its token is bound to.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9449#section-4.3
 */
import { calculateJwkThumbprint, decodeProtectedHeader, importJWK, type JWK, jwtVerify } from 'jose'
import { sha256Base64Url } from '../../platform/digest.ts'
import { isJsonObject, type JsonObject } from '../../protocol/json.ts'
import { OAuthError } from '../oauth-error.ts'

/** Published in the metadata. Verification costs the same for every key, unlike RSA, whose keys the client chooses. */
export const DPOP_ALGORITHMS = ['ES256', 'EdDSA'] as const

export interface DpopOptions {
  /** Detects replays across isolates; see `Sealer`. Default: replays are detected per isolate. */
  readonly redeem?: (name: string, expiresAt: number) => Promise<boolean>
  readonly now?: () => number
}

/** How far `iat` may be in the past or in the future. */
const WINDOW_MS = 60_000
const MAX_PROOF_LENGTH = 8 * 1024
const MAX_JTI_LENGTH = 512
const MAX_PROOFS = 10_000
const REPLAYED = 'The proof has been used before'

/** @throws {OAuthError} the verification: `invalid_dpop_proof` */
export function createDpopProofs({
  redeem = async () => true,
  now = () => Date.now(),
}: DpopOptions = {}): VerifyProof {
  const replays = new Replays(MAX_PROOFS)
  return async ({ proof, method, urls, token }) => {
    if (proof === null) throw refuse('A DPoP proof is required')
    const { alg, jwk, jkt } = await readHeader(proof)
    // Before the signature, which costs more.
    if (token !== undefined && token.jkt !== jkt) throw refuse('The proof is for another key')
    const { jti, htm, htu, iat, ath } = await readClaims(proof, jwk, alg, now())
    if (htm !== method) throw refuse('The proof is for another method')
    const target = targetOf(htu)
    if (target === undefined || !urls.some((url) => targetOf(url) === target)) {
      throw refuse('The proof is for another URL')
    }
    if (typeof iat !== 'number' || Math.abs(now() - iat * 1000) > WINDOW_MS) {
      throw refuse('The proof is too old, or dated in the future')
    }
    if (token !== undefined && ath !== (await sha256Base64Url(token.text))) {
      throw refuse('The proof is for another access token')
    }
    if (typeof jti !== 'string' || jti === '' || jti.length > MAX_JTI_LENGTH) {
      throw refuse('The proof must have a jti')
    }
    const expiresAt = iat * 1000 + WINDOW_MS
    const name = await sha256Base64Url(JSON.stringify(['dpop', jkt, jti]))
    if (!replays.add(name, expiresAt + 1, now())) throw refuse(REPLAYED)
    return {
      jkt,
      async redeem() {
        if (!(await redeem(name, Math.ceil(expiresAt) + 1))) throw refuse(REPLAYED)
      },
      release: () => replays.delete(name),
    }
  }
}

/** The DPoP of a resource server: proofs are not redeemed in the whole deployment. */
export function createDpopSupport(options: Pick<DpopOptions, 'now'> = {}): DpopSupport {
  return { algorithms: DPOP_ALGORITHMS, verify: createDpopProofs(options) }
}

/** Creates the check of the token endpoint, where a proof is optional: it binds the issued tokens. */
export function createDpopCheck(verify: VerifyProof): DpopCheck {
  return async ({ method, headers }, url) => {
    const proof = headers.get('dpop')
    return proof === null ? undefined : verify({ proof, method, urls: [url] })
  }
}

async function readHeader(proof: string): Promise<{
  readonly alg: string
  readonly jwk: JsonObject
  readonly jkt: string
}> {
  if (proof.length > MAX_PROOF_LENGTH) throw refuse('The proof is too long')
  const { typ, alg, jwk, crit } = await attempt(async () => decodeProtectedHeader(proof))
  if (typ !== 'dpop+jwt' || crit !== undefined) throw refuse('The proof is not a DPoP proof')
  if (alg === undefined || !DPOP_ALGORITHMS.some((allowed) => allowed === alg)) {
    throw refuse('The proof is signed with an algorithm that is not accepted')
  }
  if (!isJsonObject(jwk) || 'd' in jwk) throw refuse('The proof must contain a public key')
  // Members such as `use` and `key_ops` are dropped: the client must not restrict how the key is used.
  const { kty, crv, x, y } = jwk as JsonObject
  const key = { kty, crv, x, ...(kty === 'EC' && { y }) }
  return { alg, jwk: key, jkt: await attempt(() => calculateJwkThumbprint(key as JWK)) }
}

async function readClaims(
  proof: string,
  jwk: JsonObject,
  alg: string,
  now: number,
): Promise<{ readonly [name: string]: unknown }> {
  const options = {
    algorithms: [alg],
    currentDate: new Date(now),
    clockTolerance: WINDOW_MS / 1000,
  }
  return attempt(async () => {
    const key = await importJWK(jwk as JWK, alg)
    return (await jwtVerify(proof, key, options)).payload
  })
}

/** Converts every error to `invalid_dpop_proof`: without I/O, only the proof can be the cause. */
async function attempt<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    throw refuse('The proof is not valid', error)
  }
}

/** A URL without query and fragment (RFC 9449 §4.2), or undefined for anything that is not a URL. */
function targetOf(url: unknown): string | undefined {
  if (typeof url !== 'string' || !URL.canParse(url)) return undefined
  const { origin, pathname, username } = new URL(url)
  return username === '' && origin !== 'null' ? `${origin}${pathname}` : undefined
}

function refuse(description: string, cause?: unknown): OAuthError {
  return new OAuthError('invalid_dpop_proof', description, { cause })
}

/** Detects repeated use of a name within one isolate. */
export class Replays {
  /** Expiry times in epoch milliseconds, oldest entry first. */
  readonly #expiries = new Map<string, number>()
  readonly #max: number

  /** @param max when there are more names, the oldest are evicted */
  constructor(max: number) {
    this.#max = max
  }

  delete(name: string): void {
    this.#expiries.delete(name)
  }

  /** Returns whether the name is new, and stores it until it expires. */
  add(name: string, expiresAt: number, now: number): boolean {
    const known = this.#expiries.get(name)
    if (known !== undefined && known > now) return false
    this.#expiries.delete(name)
    for (const [oldest, until] of this.#expiries) {
      if (until > now && this.#expiries.size < this.#max) break
      this.#expiries.delete(oldest)
    }
    this.#expiries.set(name, expiresAt)
    return true
  }
}

/** A proof and the request that it must belong to. */
export interface DpopProof {
  /** The `DPoP` header. */
  readonly proof: string | null
  readonly method: string
  /** Accepted values of `htu`: configured URLs, never from the `Host` header. */
  readonly urls: readonly string[]
  /** The access token of the request, and the thumbprint of the key that it is bound to. */
  readonly token?: { readonly text: string; readonly jkt: string }
}

/** A verified proof. This isolate accepts it once, other isolates only until it is redeemed. */
export interface VerifiedProof {
  /** Thumbprint of the proven key. */
  readonly jkt: string
  /**
   * Marks the proof as used in the whole deployment. Called when its request has succeeded otherwise, so
   * that a request without a valid grant stores nothing.
   *
   * @throws {OAuthError} `invalid_dpop_proof` when it was used before
   */
  redeem(): Promise<void>
  /** Lets this isolate accept the proof again, because its request has failed. */
  release(): void
}

/** Verifies a proof. */
export type VerifyProof = (proof: DpopProof) => Promise<VerifiedProof>

/** Verifies the proof of a request; undefined for a request without one. */
export type DpopCheck = (request: Request, url: string) => Promise<VerifiedProof | undefined>

/** The DPoP of a resource server. */
export interface DpopSupport {
  /** The algorithms of proofs, for metadata and challenges. */
  readonly algorithms: readonly string[]
  readonly verify: VerifyProof
}
