/**
 * Proofs that a client holds the key which its token is bound to.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9449#section-4.3
 */
import { calculateJwkThumbprint, decodeProtectedHeader, importJWK, type JWK, jwtVerify } from 'jose'
import { sha256Base64Url } from '../../platform/digest.ts'
import { isJsonObject, type JsonObject } from '../../protocol/json.ts'
import { OAuthError } from '../oauth-error.ts'
import { Replays } from './replays.ts'

/** For the metadata, too. Those whose verification costs the same whatever key the client has made. */
export const DPOP_ALGORITHMS = ['ES256', 'EdDSA'] as const

/** What a proof has to be about. */
export interface DpopProof {
  /** The `DPoP` header. */
  readonly proof: string | null
  readonly method: string
  /** The addresses that the request may have been meant for. Configuration, never `Host`. */
  readonly urls: readonly string[]
  /** The access token that is presented beside the proof, with the key it is bound to. */
  readonly token?: { readonly text: string; readonly jkt: string }
}

/** The thumbprint of the key that a request proves to hold; undefined for a request without a proof. */
export type DpopCheck = (request: Request, url: string) => Promise<string | undefined>

export interface DpopOptions {
  /** Makes a proof good once in the world, rather than once in this isolate. As `Sealer` has it. */
  readonly redeem?: (name: string, expiresAt: number) => Promise<boolean>
  readonly now?: () => number
}

/** How long a proof is good, and how far ahead the client's clock may be. */
const WINDOW_MS = 60_000
const MAX_PROOF_LENGTH = 8 * 1024
const MAX_JTI_LENGTH = 512
const MAX_PROOFS = 10_000

/** @throws {OAuthError} `invalid_dpop_proof` from the check; whatever else means that it cannot be told */
export function createDpopProofs({
  redeem,
  now = () => Date.now(),
}: DpopOptions = {}): (facts: DpopProof) => Promise<string> {
  const replays = new Replays(MAX_PROOFS)
  return async ({ proof, method, urls, token }) => {
    if (proof === null) throw refuse('A DPoP proof is required')
    const { alg, jwk, jkt } = await readHeader(proof)
    // Before the signature, which costs more.
    if (token !== undefined && token.jkt !== jkt) throw refuse('The proof is for another key')
    const { jti, htm, htu, iat, ath } = await readClaims(proof, jwk, alg, now())
    if (htm !== method) throw refuse('The proof is for another method')
    const address = addressOf(htu)
    if (address === undefined || !urls.some((url) => addressOf(url) === address)) {
      throw refuse('The proof is for another address')
    }
    if (typeof iat !== 'number' || Math.abs(now() - iat * 1000) > WINDOW_MS) {
      throw refuse('The proof is too old, or from the future')
    }
    if (token !== undefined && ath !== (await sha256Base64Url(token.text))) {
      throw refuse('The proof is for another access token')
    }
    if (typeof jti !== 'string' || jti === '' || jti.length > MAX_JTI_LENGTH) {
      throw refuse('The proof must have a jti')
    }
    const expiresAt = iat * 1000 + WINDOW_MS
    const name = await sha256Base64Url(JSON.stringify(['dpop', jkt, jti]))
    const first = replays.add(name, expiresAt + 1, now())
    if (!first || (redeem !== undefined && !(await redeem(name, Math.ceil(expiresAt) + 1)))) {
      throw refuse('The proof was used before')
    }
    return jkt
  }
}

/** The check at an endpoint where a proof binds the tokens that are issued: there it may be missing. */
export function createDpopCheck(check: (facts: DpopProof) => Promise<string>): DpopCheck {
  return async ({ method, headers }, url) => {
    const proof = headers.get('dpop')
    return proof === null ? undefined : check({ proof, method, urls: [url] })
  }
}

async function readHeader(proof: string): Promise<{
  readonly alg: string
  readonly jwk: JsonObject
  readonly jkt: string
}> {
  if (proof.length > MAX_PROOF_LENGTH) throw refuse('The proof is too long')
  const { typ, alg, jwk, crit } = await attempt(async () => decodeProtectedHeader(proof))
  if (typ !== 'dpop+jwt' || crit !== undefined) throw refuse('The proof is no DPoP proof')
  if (alg === undefined || !DPOP_ALGORITHMS.some((allowed) => allowed === alg)) {
    throw refuse('The proof is signed with an algorithm that is not accepted')
  }
  if (!isJsonObject(jwk) || 'd' in jwk) throw refuse('The proof must name a public key')
  // No more than what makes the key: a client must not have a say in how it is used.
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

/** Nothing but the proof decides whether this throws: whatever does is a fault of the proof. */
async function attempt<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    throw refuse('The proof is not valid', error)
  }
}

/** Without query and fragment, which a proof does not speak of; undefined for what is no address. */
function addressOf(url: unknown): string | undefined {
  if (typeof url !== 'string' || !URL.canParse(url)) return undefined
  const { origin, pathname, username } = new URL(url)
  return username === '' && origin !== 'null' ? `${origin}${pathname}` : undefined
}

function refuse(description: string, cause?: unknown): OAuthError {
  return new OAuthError('invalid_dpop_proof', description, { cause })
}
