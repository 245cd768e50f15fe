/**
 * Verifies the id token of an OpenID provider.
 *
 * @see https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation
 */
import { errors, type JWTPayload, jwtVerify } from 'jose'
import { invalid, type Result, valid } from '../../platform/result.ts'
import { RemoteError } from '../fetch/remote-error.ts'
import { joseKeys } from '../resource/jose-keys.ts'
import type { RemoteKeys } from '../resource/remote-keys.ts'
import { ID_TOKEN_ALGORITHMS } from './provider-metadata.ts'

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

/**
 * Verifies signature and claims, and returns the claims. The token may be invalid, or issued for another client or
 * another sign-in.
 *
 * @throws {RemoteError} when the provider's keys cannot be fetched
 */
export async function verifyIdToken(
  token: string,
  { issuer, clientId, nonce, keys, now }: IdTokenOptions,
): Promise<Result<JWTPayload & { readonly sub: string }>> {
  const verified = await verifySignature(token, { issuer, clientId, keys, now })
  if (!verified.ok) return verified
  const { sub, aud, azp, iat = 0, nonce: named } = verified.value
  if (typeof sub !== 'string' || sub === '') return invalid('sub is missing or no string')
  // With several audiences, `azp` names the client that the token was issued to (§3.1.3.7, steps 4 and 5).
  const several = Array.isArray(aud) && aud.length > 1
  if (azp === undefined ? several : azp !== clientId) return invalid('azp is another client')
  if (iat > now / 1000 + CLOCK_SKEW_SECONDS) return invalid('iat is in the future')
  // The nonce binds the token to this browser and this sign-in.
  if (nonce !== undefined && named !== nonce) return invalid('nonce is of another sign-in')
  return valid({ ...verified.value, sub })
}

async function verifySignature(
  token: string,
  { issuer, clientId, keys, now }: Omit<IdTokenOptions, 'nonce'>,
): Promise<Result<JWTPayload>> {
  try {
    const reachable = joseKeys({ find: reachableIn(keys) }, ID_TOKEN_ALGORITHMS)
    const { payload } = await jwtVerify(token, reachable, {
      issuer,
      audience: clientId,
      algorithms: [...ID_TOKEN_ALGORITHMS],
      requiredClaims: ['sub', 'exp', 'iat'],
      clockTolerance: CLOCK_SKEW_SECONDS,
      currentDate: new Date(now),
    })
    return valid(payload)
  } catch (error) {
    if (error instanceof errors.JOSEError) return invalid(error.code)
    throw error
  }
}

function reachableIn(keys: IdTokenOptions['keys']): IdTokenOptions['keys']['find'] {
  return (wanted) =>
    keys.find(wanted).catch((cause: unknown) => {
      throw new RemoteError("The provider's keys cannot be fetched", { cause })
    })
}

/**
 * Whether the person has signed in at the provider long before the authorization request. A provider that
 * received `max_age` must return `auth_time`; some return none, whose sign-in is accepted.
 *
 * @see https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation step 13
 */
export function isSignInTooOld(
  { auth_time: signedInAt }: JWTPayload,
  { maxAgeSeconds, begunAt }: { readonly maxAgeSeconds: number; readonly begunAt: number },
): boolean {
  if (signedInAt === undefined) return false
  const earliest = begunAt / 1000 - maxAgeSeconds - CLOCK_SKEW_SECONDS
  return typeof signedInAt !== 'number' || signedInAt < earliest
}
