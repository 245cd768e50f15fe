/** The published keys of an issuer, as `jwtVerify` of jose asks for them. */
import { errors, type JWTVerifyGetKey } from 'jose'
import type { SignatureAlgorithm } from './algorithms.ts'
import type { RemoteKeys } from './remote-keys.ts'

/** Finds only keys for one of the algorithms. Rejects with the error of the fetch when they are unavailable. */
export function joseKeys(
  keys: Pick<RemoteKeys, 'find'>,
  algorithms: Iterable<SignatureAlgorithm>,
): JWTVerifyGetKey {
  return async ({ kid, alg }) => {
    const known = [...algorithms].find((algorithm) => algorithm === alg)
    const key = known && (await keys.find({ kid, alg: known }))
    if (key === undefined) throw new errors.JWKSNoMatchingKey()
    return key
  }
}
