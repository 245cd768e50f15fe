/**
 * Verifies the id token of an OpenID provider.
 *
 * @see https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation
 */
import { errors, type JWTPayload, jwtVerify } from 'jose'
import type { RemoteKeys } from '../resource/remote-keys.ts'
import { ID_TOKEN_ALGORITHMS } from './provider-metadata.ts'
import { UpstreamError } from './upstream-fetch.ts'

export interface IdTokenOptions {
  readonly issuer: string
  readonly clientId: string
  /** Undefined for the token of a refresh, which needs none (OpenID Connect Core §12.2). */
  readonly nonce: string | undefined
  readonly keys: Pick<RemoteKeys, 'find'>
  /** Epoch milliseconds. */
  readonly now: number
}

/** Tolerated difference between the provider's clock and this one. */
const CLOCK_SKEW_SECONDS = 60

/** The id token is invalid, or was issued for another client or another sign-in. */
export class IdTokenError extends Error {
  override readonly name = 'IdTokenError'
}

/**
 * Verifies signature and claims, and returns the claims.
 *
 * @throws {IdTokenError} when the token is invalid
 * @throws {UpstreamError} when the provider's keys cannot be fetched
 */
export async function verifyIdToken(
  token: string,
  { issuer, clientId, nonce, keys, now }: IdTokenOptions,
): Promise<JWTPayload & { readonly sub: string }> {
  const payload = await verified(token, { issuer, clientId, keys, now })
  const { sub, aud, azp, iat = 0 } = payload
  if (typeof sub !== 'string' || sub === '') throw new IdTokenError('sub is missing or no string')
  // With several audiences, `azp` names the client that the token was issued to (§3.1.3.7, steps 4 and 5).
  const several = Array.isArray(aud) && aud.length > 1
  if (azp === undefined ? several : azp !== clientId)
    throw new IdTokenError('azp is another client')
  if (iat > now / 1000 + CLOCK_SKEW_SECONDS) throw new IdTokenError('iat is in the future')
  // The nonce binds the token to this browser and this sign-in.
  if (nonce !== undefined && payload.nonce !== nonce) {
    throw new IdTokenError('nonce is of another sign-in')
  }
  return { ...payload, sub }
}

async function verified(
  token: string,
  { issuer, clientId, keys, now }: Omit<IdTokenOptions, 'nonce'>,
): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(
      token,
      async ({ alg, kid }) => {
        const known = [...ID_TOKEN_ALGORITHMS].find((algorithm) => algorithm === alg)
        const key = known && (await keys.find({ kid, alg: known }).catch(unreachable))
        if (key === undefined) throw new errors.JWKSNoMatchingKey()
        return key
      },
      {
        issuer,
        audience: clientId,
        algorithms: [...ID_TOKEN_ALGORITHMS],
        requiredClaims: ['sub', 'exp', 'iat'],
        clockTolerance: CLOCK_SKEW_SECONDS,
        currentDate: new Date(now),
      },
    )
    return payload
  } catch (error) {
    if (error instanceof errors.JOSEError) throw new IdTokenError(error.code, { cause: error })
    throw error
  }
}

/**
 * Checks how long before the authorization request the person has signed in at the provider. A provider that
 * received `max_age` must return `auth_time`; some return none, whose sign-in is accepted.
 *
 * @throws {IdTokenError} when `auth_time` shows an older sign-in
 * @see https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation step 13
 */
export function checkSignInAge(
  { auth_time: signedInAt }: JWTPayload,
  { maxAgeSeconds, begunAt }: { readonly maxAgeSeconds: number; readonly begunAt: number },
): void {
  if (signedInAt === undefined) return
  const earliest = begunAt / 1000 - maxAgeSeconds - CLOCK_SKEW_SECONDS
  if (typeof signedInAt !== 'number' || signedInAt < earliest) {
    throw new IdTokenError('auth_time is older than max_age')
  }
}

function unreachable(cause: unknown): never {
  throw new UpstreamError("The provider's keys cannot be fetched", { cause })
}
