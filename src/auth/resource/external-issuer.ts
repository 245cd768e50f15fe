/** Verifies access tokens of an external authorization server. */
import type { Fetch } from '../../platform/bounded-fetch.ts'
import { checkAlgorithms } from './algorithms.ts'
import { RemoteKeys } from './remote-keys.ts'
import { audiencesOf, type ResourceOptions } from './resources.ts'
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
}

export interface ExternalIssuerOptions extends IssuerOptions {
  /** Accepted values of `typ`. Default `at+jwt` and `JWT`, which many issuers use. */
  readonly types?: readonly string[] | undefined
  readonly resources: readonly ResourceOptions[]
  /** Must not reach internal hosts. */
  readonly fetch: Fetch
  readonly now?: () => number
}

const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA']
const TYPES = ['at+jwt', 'JWT']

/** Includes the claim names of issuers that are older than RFC 9068. */
const CLAIMS = { client: ['client_id', 'azp', 'appid', 'cid'], scope: ['scope', 'scp'] } as const

/** @throws {TypeError} for an `issuer` that is not a URL or a `jwksUri` that is not https */
export function createExternalVerifier({
  issuer,
  jwksUri,
  audience,
  algorithms = ALGORITHMS,
  types = TYPES,
  resources,
  fetch,
  now,
}: ExternalIssuerOptions): TokenVerifier {
  const keys = new RemoteKeys({
    issuer,
    jwksUri,
    algorithms: checkAlgorithms(algorithms),
    fetch,
    now,
  })
  return createJwtVerifier({
    issuer,
    audiences: audiencesOf(resources, audience),
    keys: (wanted) => keys.find(wanted),
    algorithms,
    types,
    claims: CLAIMS,
    now,
  })
}
