/** An identity provider whose assertions are believed, with the keys that it publishes. */
import { errors } from 'jose'
import type { TrustedProviderOptions } from '../auth-settings.ts'
import { checkAlgorithms } from '../resource/algorithms.ts'
import type { Fetch } from '../resource/fetch-json.ts'
import { RemoteKeys } from '../resource/remote-keys.ts'
import { ASSERTION_ALGORITHMS, type TrustedProvider } from './assertion.ts'

/** @throws {TypeError} for an issuer or an address of keys that is no https URL */
export function trustedProvider(
  { issuer, jwksUri, subject }: TrustedProviderOptions,
  fetch: Fetch,
): TrustedProvider {
  const algorithms = checkAlgorithms(ASSERTION_ALGORITHMS)
  const keys = new RemoteKeys({ issuer, jwksUri, algorithms, fetch })
  return {
    issuer,
    ...(subject === undefined ? undefined : { subject }),
    keys: async ({ kid, alg }) => {
      const known = ASSERTION_ALGORITHMS.find((algorithm) => algorithm === alg)
      const key = known && (await keys.find({ kid, alg: known }))
      if (key === undefined) throw new errors.JWKSNoMatchingKey()
      return key
    },
  }
}
