/** An identity provider whose assertions are accepted, with its published keys. */
import { errors } from 'jose'
import type { Fetch } from '../../platform/bounded-fetch.ts'
import type { ClaimedAttributes } from '../login/claimed-attributes.ts'
import { ASSERTION_ALGORITHMS, checkAlgorithms } from '../resource/algorithms.ts'
import { RemoteKeys } from '../resource/remote-keys.ts'
import { checkIssuer, type SubjectOf } from '../subject.ts'
import type { TrustedProvider } from './assertion.ts'

export interface TrustedProviderOptions {
  /** Exactly as the provider writes `iss`. An https URL. */
  readonly issuer: string
  /** The https URL of the provider's key set. Default: `jwks_uri` of the provider's metadata. */
  readonly jwksUri?: string
  /** Maps the claims of an assertion to a subject of this server, 1 to 255 characters. Default: `<issuer>#<sub>`. */
  readonly subject?: SubjectOf
  /**
   * The attributes of a person by the claims of an assertion, for `allow` and `scopesOf`: those that this
   * provider may decide about. Default: none but the id, which is the subject.
   */
  readonly attributes?: (claims: { readonly [name: string]: unknown }) => ClaimedAttributes
}

/** @throws {TypeError} when the issuer is no URL without query and fragment, or `jwksUri` is no https URL */
export function trustedProvider(
  { issuer, jwksUri, subject, attributes }: TrustedProviderOptions,
  fetch: Fetch,
): TrustedProvider {
  checkIssuer(issuer)
  const algorithms = checkAlgorithms(ASSERTION_ALGORITHMS)
  const keys = new RemoteKeys({ issuer, jwksUri, algorithms, fetch })
  return {
    issuer,
    ...(subject === undefined ? undefined : { subject }),
    ...(attributes === undefined ? undefined : { attributes }),
    keys: async ({ kid, alg }) => {
      const known = ASSERTION_ALGORITHMS.find((algorithm) => algorithm === alg)
      const key = known && (await keys.find({ kid, alg: known }))
      if (key === undefined) throw new errors.JWKSNoMatchingKey()
      return key
    },
  }
}
