/** Verifies access tokens of an external authorization server. */
import type { Fetch } from '../../platform/bounded-fetch.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { checkIssuer, mapSubject, type SubjectOf, subjectAt } from '../subject.ts'
import { invalidToken } from './access-token.ts'
import { checkAlgorithms } from './algorithms.ts'
import { RemoteKeys } from './remote-keys.ts'
import { audiencesOf, type Resources } from './resources.ts'
import { createJwtVerifier, type TokenVerifier } from './token-verifier.ts'

/** An issuer of access tokens. */
export interface IssuerOptions {
  /** Compared exactly with `iss`. An https URL. */
  readonly issuer: string
  /** The https URL of the key set. Default: `jwks_uri` of the issuer's metadata. */
  readonly jwksUri?: string | undefined
  /** The `aud` of its tokens. Default: the URL of the endpoint. */
  readonly audience?: string | undefined
  /**
   * Accepted signature algorithms, asymmetric ones only. Each key verifies only signatures of its own
   * algorithm. Default: RS256, PS256, ES256 and EdDSA.
   */
  readonly algorithms?: readonly string[] | undefined
  /**
   * Maps the claims of a token to a subject: stable, unique among all issuers, 1 to 255 characters.
   * Default: `sub` where this is the only issuer, otherwise `<issuer>#<sub>`.
   */
  readonly subject?: SubjectOf | undefined
}

export interface ExternalIssuerOptions extends IssuerOptions {
  /** Whether it is the only issuer, whose `sub` needs no prefix. Default true. */
  readonly isOnly?: boolean | undefined
  /** Accepted values of `typ`. Default `at+jwt` and `JWT`, which many issuers use. */
  readonly types?: readonly string[] | undefined
  readonly resources: Resources
  /** Must not reach internal hosts. */
  readonly fetch: Fetch
  readonly now?: () => number
}

const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA']
const TYPES = ['at+jwt', 'JWT']

/** Includes the claim names of issuers that are older than RFC 9068. */
const CLAIMS = { client: ['client_id', 'azp', 'appid', 'cid'], scope: ['scope', 'scp'] } as const

/** @throws {TypeError} for an `issuer` that is not a URL without query and fragment, or a `jwksUri` that is not https */
export function createExternalVerifier({
  issuer,
  jwksUri,
  audience,
  algorithms = ALGORITHMS,
  types = TYPES,
  subject,
  isOnly = true,
  resources,
  fetch,
  now,
}: ExternalIssuerOptions): TokenVerifier {
  checkIssuer(issuer)
  const keys = new RemoteKeys({
    issuer,
    jwksUri,
    algorithms: checkAlgorithms(algorithms),
    fetch,
    now,
  })
  const verifier = createJwtVerifier({
    issuer,
    audiences: audiencesOf(resources, audience),
    keys: (wanted) => keys.find(wanted),
    algorithms,
    types,
    claims: CLAIMS,
    now,
  })
  return {
    issuer,
    async verify(text) {
      const token = await verifier.verify(text)
      if (isIdToken(token.claims)) throw invalidToken('The token is an ID token')
      if (subject === undefined && isOnly) return token
      const mapped = subject ? mapSubject(subject, token.claims) : subjectAt(issuer, token.subject)
      return { ...token, subject: mapped }
    },
  }
}

/**
 * Whether the claims are those of an ID token. Issuers that write `JWT` as the type of both tokens sign
 * them with the same keys, and an ID token is for the client: a server that receives it must not accept it as access.
 *
 * @see https://openid.net/specs/openid-connect-core-1_0.html#CodeIDToken
 */
function isIdToken(claims: JsonObject): boolean {
  const has = (name: string) => Object.hasOwn(claims, name)
  return has('at_hash') || has('c_hash') || (has('nonce') && !CLAIMS.scope.some(has))
}
