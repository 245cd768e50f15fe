/** Signed access tokens of one issuer. What is fixed by configuration is never asked of a token. */
import { decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from 'jose'
import type { JsonObject } from '../../protocol/json.ts'
import { type AccessToken, type ClaimNames, invalidToken, readAccessToken } from './access-token.ts'
import { checkAlgorithms, isKeyFor, type SignatureAlgorithm } from './algorithms.ts'
import type { Audiences } from './resources.ts'

export type { AccessToken }

/** One per trusted issuer. */
export interface TokenVerifier {
  readonly issuer: string
  /**
   * @throws {OAuthError} `invalid_token`; anything else means that it cannot be told
   */
  verify(token: string): Promise<AccessToken>
}

/**
 * A public key of the issuer, or undefined where it has none of that name for that algorithm.
 * Throwing means that its keys cannot be had.
 */
export type FindKey = (wanted: {
  readonly kid: string | undefined
  readonly alg: SignatureAlgorithm
}) => Promise<CryptoKey | undefined>

export interface JwtVerifierOptions {
  /** Compared exactly with `iss`. */
  readonly issuer: string
  readonly audiences: Audiences
  readonly keys: FindKey
  /** Default ES256. */
  readonly algorithms?: readonly string[] | undefined
  /** Accepted values of `typ`. Default `at+jwt`; what else an issuer signs is no access token. */
  readonly types?: readonly string[] | undefined
  readonly claims?: ClaimNames | undefined
  /** How long after its end a token is taken, in milliseconds: nothing where its issuer has our clock. Default 60 s. */
  readonly expirySkewMs?: number | undefined
  readonly now?: (() => number) | undefined
}

/** How far the issuer's clock may be from ours. */
const CLOCK_SKEW_MS = 60_000

const RFC_9068: ClaimNames = { client: ['client_id'], scope: ['scope'] }
const REQUIRED = ['iss', 'sub', 'aud', 'exp', 'iat']

/** @throws {TypeError} for an algorithm that cannot be configured */
export function createJwtVerifier({
  issuer,
  audiences,
  keys,
  algorithms = ['ES256'],
  types = ['at+jwt'],
  claims: names = RFC_9068,
  expirySkewMs = CLOCK_SKEW_MS,
  now = () => Date.now(),
}: JwtVerifierOptions): TokenVerifier {
  const allowed = checkAlgorithms(algorithms)
  const typesOf = new Set(types.map(normalizeType))
  return {
    issuer,
    async verify(token) {
      const { alg, kid } = readHeader(token, allowed, typesOf)
      const key = await keys({ kid, alg })
      if (key === undefined || !isKeyFor(alg, key)) {
        throw invalidToken('The access token is not signed with a known key')
      }
      const claims = await readClaims(token, key, { issuer, alg, now: now() })
      const accessToken = readAccessToken(claims, audiences, names)
      if (accessToken.expiresAt + expirySkewMs <= now()) {
        throw invalidToken('The access token has expired')
      }
      return accessToken
    },
  }
}

/**
 * What the header says of the signature. `jwk`, `jku`, `x5c` and `x5u` are not looked at: a token has no
 * say in where its keys come from.
 */
function readHeader(
  token: string,
  allowed: ReadonlySet<string>,
  types: ReadonlySet<string>,
): { readonly alg: SignatureAlgorithm; readonly kid: string | undefined } {
  const [, , signature = ''] = token.split('.')
  if (!isCanonical(signature)) throw malformed()
  const { alg, kid, typ, crit } = decode(token)
  // An extension that must be understood, and none is (RFC 7515 §4.1.11).
  if (crit !== undefined) throw malformed()
  if (typeof typ !== 'string' || !types.has(normalizeType(typ))) {
    throw invalidToken('The token is not an access token')
  }
  if (typeof alg !== 'string' || !allowed.has(alg)) {
    throw invalidToken('The access token is signed with an algorithm that is not accepted')
  }
  if (kid !== undefined && typeof kid !== 'string') throw malformed()
  return { alg: alg as SignatureAlgorithm, kid }
}

function decode(token: string): { readonly [name: string]: unknown } {
  try {
    return decodeProtectedHeader(token)
  } catch (error) {
    throw malformed(error)
  }
}

async function readClaims(
  token: string,
  key: CryptoKey,
  { issuer, alg, now }: { readonly issuer: string; readonly alg: string; readonly now: number },
): Promise<JsonObject> {
  const payload = await verified(token, key, {
    issuer,
    algorithms: [alg],
    requiredClaims: REQUIRED,
    clockTolerance: CLOCK_SKEW_MS / 1000,
    currentDate: new Date(now),
  })
  if (typeof payload.iat === 'number' && payload.iat * 1000 > now + CLOCK_SKEW_MS) {
    throw invalidToken('The access token was issued in the future')
  }
  return payload as JsonObject
}

async function verified(
  token: string,
  key: CryptoKey,
  options: Parameters<typeof jwtVerify>[2],
): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, key, options)).payload
  } catch (error) {
    // The library says everything that is wrong with a token in its own class, and nothing else in it.
    if (error instanceof errors.JOSEError) throw invalidToken(describe(error), error)
    throw error
  }
}

function describe(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'The access token has expired'
  if (error instanceof errors.JWTClaimValidationFailed) {
    return `The access token is not valid here or now: ${error.claim}`
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) {
    return 'The signature of the access token is not valid'
  }
  return 'The access token is malformed'
}

function malformed(cause?: unknown) {
  return invalidToken('The access token is malformed', cause)
}

/** `at+jwt` and `application/at+jwt` are the same. @see https://www.rfc-editor.org/rfc/rfc7515#section-4.1.9 */
function normalizeType(type: string): string {
  const lower = type.toLowerCase()
  return lower.includes('/') ? lower : `application/${lower}`
}

/**
 * Whether this is the one base64url spelling of its bytes. Header and payload are signed as they are
 * written; the signature is not, and its last character has bits that a lenient reader ignores.
 */
function isCanonical(signature: string): boolean {
  if (!/^[A-Za-z0-9_-]+$/.test(signature)) return false
  try {
    const padded = signature.padEnd(Math.ceil(signature.length / 4) * 4, '=')
    Uint8Array.fromBase64(padded, { alphabet: 'base64url', lastChunkHandling: 'strict' })
    return true
  } catch {
    // A length that bytes do not have, or loose bits.
    return false
  }
}
