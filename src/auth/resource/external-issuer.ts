/** Access tokens of somebody else's authorization server. */
import type { Fetch } from '../../platform/bounded-fetch.ts'
import { checkAlgorithms } from './algorithms.ts'
import { RemoteKeys } from './remote-keys.ts'
import { audiencesOf, type ResourceOptions } from './resources.ts'
import { createJwtVerifier, type TokenVerifier } from './token-verifier.ts'

export interface ExternalIssuerOptions {
  /** Exactly as it writes `iss`. */
  readonly issuer: string
  /** Where its keys are. Default: what its metadata says. */
  readonly jwksUri?: string | undefined
  /** What it writes as `aud` instead of the resource's URL. */
  readonly audience?: string | undefined
  /** Default RS256, PS256, ES256 and EdDSA; a key of it verifies only what it is a key for. */
  readonly algorithms?: readonly string[] | undefined
  /** Accepted values of `typ`. Default `at+jwt`, and `JWT`, which is what many issuers write. */
  readonly types?: readonly string[] | undefined
  readonly resources: readonly ResourceOptions[]
  /** Must not follow redirects, and must not reach where the outside has no business. */
  readonly fetch: Fetch
  readonly now?: () => number
}

const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA']
const TYPES = ['at+jwt', 'JWT']

/** The client and the scopes, in the words of issuers that are older than RFC 9068. */
const CLAIMS = { client: ['client_id', 'azp', 'appid', 'cid'], scope: ['scope', 'scp'] } as const

/** @throws {TypeError} for an issuer or an address of keys that is no https URL */
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
