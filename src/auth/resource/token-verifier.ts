/** Verifies signed access tokens of one issuer. Configuration, and never the token, decides what is accepted. */
import { decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from 'jose'
import { decodeBase64Url } from '../../platform/base64.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { type AccessToken, type ClaimNames, invalidToken, readAccessToken } from './access-token.ts'
import { checkAlgorithms, isKeyFor, type SignatureAlgorithm } from './algorithms.ts'
import type { Audiences } from './resources.ts'

export type { AccessToken }

/** One per trusted issuer. */
export interface TokenVerifier {
  readonly issuer: string
  /**
   * @throws {OAuthError} `invalid_token`; any other error means that the token cannot be checked now
   */
  verify(token: string): Promise<AccessToken>
}

/**
 * Returns a public key of the issuer, or undefined if it has no key with that id for that algorithm.
 * Throws if the keys are unavailable.
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
  /** Accepted values of `typ`. Default `at+jwt`: an issuer also signs tokens that are not access tokens. */
  readonly types?: readonly string[] | undefined
  readonly claims?: ClaimNames | undefined
  /** How long an expired token is still accepted, in milliseconds. 0 if the issuer uses the same clock. Default 60 s. */
  readonly expirySkewMs?: number | undefined
  readonly now?: (() => number) | undefined
}

/** Accepted difference between the issuer's clock and this one. */
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
 * Reads algorithm and key id. `jwk`, `jku`, `x5c` and `x5u` are ignored: a token must not choose the key
 * that verifies it.
 */
function readHeader(
  token: string,
  allowed: ReadonlySet<string>,
  types: ReadonlySet<string>,
): { readonly alg: SignatureAlgorithm; readonly kid: string | undefined } {
  const [, , signature = ''] = token.split('.')
  if (!isCanonical(signature)) throw malformed()
  const { alg, kid, typ, crit } = decode(token)
  // No critical extension is supported (RFC 7515 §4.1.11).
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
    // jose throws this class for every defect of a token, and other errors for everything else.
    if (error instanceof errors.JOSEError) throw invalidToken(describe(error), error)
    throw error
  }
}

function describe(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'The access token has expired'
  if (error instanceof errors.JWTClaimValidationFailed) {
    return `The access token is not valid: ${error.claim}`
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
 * Whether this is the canonical base64url form of a signature. The signature covers the text of header
 * and payload but not its own, whose last character has bits that lenient decoders ignore.
 */
function isCanonical(signature: string): boolean {
  return signature !== '' && decodeBase64Url(signature) !== undefined
}
