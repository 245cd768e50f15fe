/**
 * `private_key_jwt`: a client signs who it is.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7523#section-3
 */
import {
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose'
import type { Sealer } from '../../ports/sealer.ts'
import { OAuthError } from '../oauth-error.ts'
import { ASSERTION_ALGORITHMS } from '../resource/algorithms.ts'
import type { Client } from './client.ts'
import type { ClientKeys } from './client-keys.ts'
import { hashClientSecret } from './client-secret.ts'

/** How far the client's clock may be from ours. */
const CLOCK_TOLERANCE_SECONDS = 30

/** An assertion is for one request: it need not live long, and is remembered as long as it does. */
const MAX_LIFETIME_SECONDS = 300

const MAX_JTI_LENGTH = 256

/** A key that is not among those known makes us fetch them again, this often at most. */
const REFETCH_AFTER_MS = 60_000

export interface AssertionCheck {
  readonly keys: ClientKeys
  /** The issuer and the token endpoint: either is a name of this server. */
  readonly audiences: readonly string[]
  readonly redeem: Sealer['redeem']
  readonly now: () => number
}

/** @throws {OAuthError} `invalid_client`, or `temporarily_unavailable` where keys cannot be fetched */
export async function checkAssertion(
  assertion: string,
  client: Client,
  { keys, audiences, redeem, now }: AssertionCheck,
): Promise<void> {
  const options: JWTVerifyOptions = {
    algorithms: [...ASSERTION_ALGORITHMS],
    issuer: client.id,
    subject: client.id,
    audience: [...audiences],
    requiredClaims: ['exp', 'jti'],
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
    currentDate: new Date(now()),
  }
  const { aud, exp = 0, jti } = await verify(assertion, client, keys, options)
  // One that names another server as well could be replayed by it.
  if (Array.isArray(aud) && aud.length > 1) throw refused('it must be for this server alone')
  if (exp > now() / 1000 + MAX_LIFETIME_SECONDS + CLOCK_TOLERANCE_SECONDS) {
    throw refused(`exp must be at most ${MAX_LIFETIME_SECONDS} seconds ahead`)
  }
  if (typeof jti !== 'string' || jti === '' || jti.length > MAX_JTI_LENGTH) {
    throw refused('jti must be a short string')
  }
  // Last, since it has an effect. Hashed: what is kept has one length, whatever the client wrote.
  const name = `assertion ${await hashClientSecret(JSON.stringify([client.id, jti]))}`
  const forgetAt = (Math.ceil(exp) + CLOCK_TOLERANCE_SECONDS + 1) * 1000
  if (!(await redeem(name, forgetAt))) throw refused('it has been used')
}

async function verify(
  assertion: string,
  client: Client,
  keys: ClientKeys,
  options: JWTVerifyOptions,
): Promise<JWTPayload> {
  const known = await keys.of(client)
  try {
    return await verifyWith(known, assertion, options)
  } catch (error) {
    if (!(error instanceof errors.JWKSNoMatchingKey) || client.jwksUri === undefined) {
      throw describe(error)
    }
  }
  const fetched = await keys.of(client, REFETCH_AFTER_MS)
  try {
    return await verifyWith(fetched, assertion, options)
  } catch (error) {
    throw describe(error)
  }
}

async function verifyWith(
  getKey: JWTVerifyGetKey,
  assertion: string,
  options: JWTVerifyOptions,
): Promise<JWTPayload> {
  try {
    return (await jwtVerify(assertion, getKey, options)).payload
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
    // It names no key, and the client has several of its kind.
    for await (const key of error) {
      try {
        return (await jwtVerify(assertion, key, options)).payload
      } catch (failure) {
        if (!(failure instanceof errors.JWSSignatureVerificationFailed)) throw failure
      }
    }
    throw new errors.JWSSignatureVerificationFailed()
  }
}

/**
 * What a developer needs to put it right: the claim, never its value. Whatever else went wrong lies
 * with the assertion or the key, such as a point that is not on its curve: there was no I/O.
 */
function describe(error: unknown): OAuthError {
  if (error instanceof errors.JWTExpired) return refused('it has expired', error)
  if (error instanceof errors.JWTClaimValidationFailed) {
    return refused(`its ${error.claim} is not acceptable`, error)
  }
  return refused('its signature cannot be verified', error)
}

function refused(why: string, cause?: unknown): OAuthError {
  return new OAuthError('invalid_client', `The client assertion is not valid: ${why}`, { cause })
}
