/**
 * Verifies client assertions: authentication with `private_key_jwt`.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7523#section-3
 */

import {
  decodeJwt,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose'
import { sha256Base64Url } from '../../platform/digest.ts'
import type { Sealer } from '../../ports/sealer.ts'
import type { TelemetrySink } from '../../ports/telemetry.ts'
import type { BeforeFirst } from '../fetch/document-cache.ts'
import { invalidRequest, OAuthError } from '../oauth-error.ts'
import { ASSERTION_ALGORITHMS } from '../resource/algorithms.ts'
import type { Client } from './client.ts'
import type { ClientKeys } from './client-keys.ts'
import { type PresentedAssertion, unreadable } from './presented-credentials.ts'

/** Accepted difference between the client's clock and this one. */
const CLOCK_TOLERANCE_SECONDS = 30

/** An assertion is used once. Its `jti` is stored until it expires, so its lifetime is bounded. */
const MAX_LIFETIME_SECONDS = 300

const MAX_JTI_LENGTH = 256

/** An unknown key causes the key set to be fetched again, if the cached set has at least this age. */
const REFETCH_AFTER_MS = 60_000

export interface AssertionCheck {
  readonly keys: ClientKeys
  /**
   * Accepted values of `aud`: the issuer, and others, which are a leniency. An attacker's server that
   * names our token endpoint as its own obtains assertions for it, but none for our issuer.
   *
   * @see https://datatracker.ietf.org/doc/draft-ietf-oauth-rfc7523bis/
   */
  readonly audiences: readonly string[]
  readonly report: TelemetrySink
  readonly redeem: Sealer['redeem']
  readonly now: () => number
}

/** @throws {OAuthError} `invalid_client`, or `temporarily_unavailable` if the keys cannot be fetched */
export async function checkAssertion(
  assertion: string,
  client: Client,
  { keys, audiences, report, redeem, now }: AssertionCheck,
  beforeFirst?: BeforeFirst,
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
  const { aud, exp = 0, iat = 0, jti } = await verify(assertion, client, keys, options, beforeFirst)
  // Another server that the assertion names could replay it here.
  if (Array.isArray(aud) && aud.length > 1) throw refused('its only audience must be this server')
  if (exp > now() / 1000 + MAX_LIFETIME_SECONDS + CLOCK_TOLERANCE_SECONDS) {
    throw refused(`exp must be at most ${MAX_LIFETIME_SECONDS} seconds ahead`)
  }
  // It was signed in advance, or the clock of the client is wrong.
  if (iat > now() / 1000 + CLOCK_TOLERANCE_SECONDS) throw refused('its iat is in the future')
  if (typeof jti !== 'string' || jti === '' || jti.length > MAX_JTI_LENGTH) {
    throw refused(`jti must be a string of 1 to ${MAX_JTI_LENGTH} characters`)
  }
  // Last, because it has an effect. The hash gives every stored name the same length.
  const name = `assertion ${await sha256Base64Url(JSON.stringify([client.id, jti]))}`
  const expiresAt = (Math.ceil(exp) + CLOCK_TOLERANCE_SECONDS + 1) * 1000
  if (!(await redeem(name, expiresAt))) throw refused('it has been used before')
  const [audience] = Array.isArray(aud) ? aud : [aud]
  if (audience !== audiences[0]) {
    report({ type: 'leniency', name: 'client-assertion-audience', method: undefined })
  }
}

async function verify(
  assertion: string,
  client: Client,
  keys: ClientKeys,
  options: JWTVerifyOptions,
  beforeFirst: BeforeFirst | undefined,
): Promise<JWTPayload> {
  const cached = await keys.of(client, { beforeFirst })
  try {
    return await verifyWith(cached, assertion, options)
  } catch (error) {
    if (!(error instanceof errors.JWKSNoMatchingKey) || client.jwksUri === undefined) {
      throw toOAuthError(error)
    }
  }
  const fetched = await keys.of(client, { maxAgeMs: REFETCH_AFTER_MS })
  try {
    return await verifyWith(fetched, assertion, options)
  } catch (error) {
    throw toOAuthError(error)
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
    // The assertion has no key id, and several keys match its algorithm.
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
 * Describes the defect for the client's developer: the claim, never its value. Every other error is a
 * defect of the assertion or of a key, because verification does no I/O.
 */
function toOAuthError(error: unknown): OAuthError {
  if (error instanceof errors.JWTExpired) return refused('it has expired', error)
  if (error instanceof errors.JWTClaimValidationFailed) {
    return refused(`its ${error.claim} is not acceptable`, error)
  }
  return refused('its signature cannot be verified', error)
}

function refused(why: string, cause?: unknown): OAuthError {
  return new OAuthError('invalid_client', `The client assertion is not valid: ${why}`, { cause })
}

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** Characters. */
const MAX_ASSERTION_LENGTH = 8192

/** The unverified subject selects the client whose keys verify the signature. */
export function readAssertion(form: ReadonlyMap<string, string>): PresentedAssertion | undefined {
  const text = form.get('client_assertion')
  const type = form.get('client_assertion_type')
  if (text === undefined && type === undefined) return undefined
  if (text === undefined || type === undefined) {
    throw invalidRequest('client_assertion and client_assertion_type must be sent together')
  }
  if (type !== ASSERTION_TYPE) throw unreadable('This client_assertion_type is not supported')
  const subject = text.length > MAX_ASSERTION_LENGTH ? undefined : subjectOf(text)
  if (subject === undefined) throw unreadable('The client assertion cannot be read')
  return { text, subject }
}

function subjectOf(assertion: string): string | undefined {
  try {
    const { sub } = decodeJwt(assertion)
    return typeof sub === 'string' && sub !== '' ? sub : undefined
  } catch {
    // Not a JSON Web Token.
    return undefined
  }
}
