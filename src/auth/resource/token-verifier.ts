/** Verifies signed access tokens of one issuer. Configuration, and never the token, decides what is accepted. */
import type { JsonObject } from '../../protocol/json.ts'
import { type AccessToken, type ClaimNames, invalidToken, readAccessToken } from './access-token.ts'
import { checkAlgorithms, isKeyFor, type SignatureAlgorithm } from './algorithms.ts'
import { hasValidSignature, parseJws, payloadOf } from './jws.ts'
import { type Audiences, audiencesOf, type Resources } from './resources.ts'

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
const CLOCK_SKEW_SECONDS = CLOCK_SKEW_MS / 1000

const RFC_9068: ClaimNames = { client: ['client_id'], scope: ['scope'] }
const REQUIRED = ['iss', 'iat', 'exp', 'aud', 'sub']

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
      const jws = parseJws(token)
      if (jws === undefined) throw malformed()
      const { alg, kid } = readHeader(jws.header, allowed, typesOf)
      const key = await keys({ kid, alg })
      if (key === undefined || !isKeyFor(alg, key)) {
        throw invalidToken('The access token is not signed with a known key')
      }
      if (!(await hasValidSignature(jws, key, alg))) {
        throw invalidToken('The signature of the access token is not valid')
      }
      const claims = payloadOf(jws)
      if (claims === undefined) throw malformed()
      checkClaims(claims, issuer, now())
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
  { alg, kid, typ, crit }: JsonObject,
  allowed: ReadonlySet<string>,
  types: ReadonlySet<string>,
): { readonly alg: SignatureAlgorithm; readonly kid: string | undefined } {
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

/** Checks issuer and times. `access-token.ts` reads the other claims. */
function checkClaims(claims: JsonObject, issuer: string, nowMs: number): void {
  const { iss, iat, exp, nbf } = claims
  const now = Math.floor(nowMs / 1000)
  const missing = REQUIRED.find((name) => !Object.hasOwn(claims, name))
  if (missing !== undefined) throw invalidClaim(missing)
  if (iss !== issuer) throw invalidClaim('iss')
  if (typeof iat !== 'number') throw invalidClaim('iat')
  if (nbf !== undefined && !(typeof nbf === 'number' && nbf <= now + CLOCK_SKEW_SECONDS)) {
    throw invalidClaim('nbf')
  }
  if (typeof exp !== 'number') throw invalidClaim('exp')
  if (exp <= now - CLOCK_SKEW_SECONDS) throw invalidToken('The access token has expired')
  if (iat * 1000 > nowMs + CLOCK_SKEW_MS) {
    throw invalidToken('The access token was issued in the future')
  }
}

function invalidClaim(name: string) {
  return invalidToken(`The access token is not valid: ${name}`)
}

function malformed() {
  return invalidToken('The access token is malformed')
}

/** `at+jwt` and `application/at+jwt` are the same. @see https://www.rfc-editor.org/rfc/rfc7515#section-4.1.9 */
function normalizeType(type: string): string {
  const lower = type.toLowerCase()
  return lower.includes('/') ? lower : `application/${lower}`
}

/**
 * Returns a function that verifies a token with the issuer that it names. The unverified name only
 * selects among configured issuers; the selected one then requires its own name in the signed claims.
 *
 * @throws {TypeError} if no issuer is configured, or one is configured twice
 */
export function chooseIssuer(
  verifiers: readonly TokenVerifier[],
): (token: string) => Promise<AccessToken> {
  const [only] = verifiers
  if (only === undefined) throw new TypeError('At least one issuer must be configured')
  const byIssuer = new Map(verifiers.map((verifier) => [verifier.issuer, verifier]))
  if (byIssuer.size !== verifiers.length) throw new TypeError('An issuer is configured twice')
  if (verifiers.length === 1) return (token) => only.verify(token)
  return async (token) => {
    const verifier = byIssuer.get(unverifiedIssuer(token))
    if (verifier === undefined) throw invalidToken('The access token is from another issuer')
    return verifier.verify(token)
  }
}

function unverifiedIssuer(token: string): string {
  const claims = payloadOf({ signed: token.slice(0, token.lastIndexOf('.')) })
  if (claims === undefined) throw invalidToken('The access token is malformed')
  return typeof claims.iss === 'string' ? claims.iss : ''
}

/** The claims for the id of the grant and for the sealed key of its props. */
export const GRANT_CLAIMS = { grantId: 'gid', grantKey: 'gk' } as const

export interface EmbeddedIssuerOptions extends Pick<JwtVerifierOptions, 'issuer' | 'now'> {
  readonly resources: Resources
  /** See `SigningKeys`. */
  readonly verificationKey: (kid: string) => Promise<CryptoKey | undefined>
}

/** Verifies access tokens of the embedded authorization server. */
export function createEmbeddedVerifier({
  resources,
  verificationKey,
  ...options
}: EmbeddedIssuerOptions): TokenVerifier {
  return createJwtVerifier({
    ...options,
    audiences: audiencesOf(resources),
    keys: async ({ kid }) => (kid === undefined ? undefined : verificationKey(kid)),
    claims: { client: ['client_id'], scope: ['scope'], ...GRANT_CLAIMS },
    expirySkewMs: 0,
  })
}
