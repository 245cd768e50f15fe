/**
 * Verifies identity assertions (ID-JAG): short-lived and single-use JWTs of a trusted provider, for
 * this issuer and one client.
 *
 * @see https://datatracker.ietf.org/doc/draft-ietf-oauth-identity-assertion-authz-grant/
 */
import { decodeJwt, errors, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { sha256Base64Url } from '../../platform/digest.ts'
import { OAuthError } from '../oauth-error.ts'
import { ASSERTION_ALGORITHMS } from '../resource/algorithms.ts'
import { mapSubject, type SubjectOf, subjectAt } from '../subject.ts'

export interface TrustedProvider {
  readonly issuer: string
  readonly keys: JWTVerifyGetKey
  /** Default: see `subjectAt`. */
  readonly subject?: SubjectOf
}

export interface Assertion {
  readonly subject: string
  /** The scopes that the provider allows, separated by spaces; undefined when it does not limit them. */
  readonly scope: string | undefined
  readonly resource: string | undefined
  /**
   * Marks the assertion as used. Called last, so that a refused request does not use it up.
   *
   * @throws {OAuthError} `invalid_grant` when the assertion was used before
   */
  readonly redeem: () => Promise<void>
}

/** @throws {OAuthError} `invalid_grant`, or `temporarily_unavailable` when the keys cannot be fetched */
export type VerifyAssertion = (assertion: string, clientId: string) => Promise<Assertion>

const MAX_LENGTH = 16 * 1024
const MAX_AGE_SECONDS = 300
const MAX_SUBJECT_LENGTH = 255

/** Accepted difference between the provider's clock and this one. */
const CLOCK_TOLERANCE_SECONDS = 30

/** @throws {TypeError} when a provider is configured twice: each may map subjects in its own way */
export function createAssertionCheck(
  issuer: string,
  providers: readonly TrustedProvider[],
  redeem: (name: string, expiresAt: number) => Promise<boolean>,
): VerifyAssertion {
  if (new Set(providers.map(({ issuer }) => issuer)).size < providers.length) {
    throw new TypeError('A trusted provider is configured twice')
  }
  const refuse = (cause?: unknown) =>
    new OAuthError('invalid_grant', 'The assertion is not valid here', { cause })
  return async (assertion, clientId) => {
    if (assertion.length > MAX_LENGTH) throw refuse()
    const provider = providers.find(({ issuer }) => issuer === unverifiedIssuer(assertion))
    if (provider === undefined) throw refuse()
    const payload = await jwtVerify(assertion, provider.keys, {
      issuer: provider.issuer,
      audience: issuer,
      typ: 'oauth-id-jag+jwt',
      algorithms: [...ASSERTION_ALGORITHMS],
      maxTokenAge: MAX_AGE_SECONDS,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      requiredClaims: ['sub', 'jti', 'exp', 'iat', 'client_id'],
    }).then(
      (verified) => verified.payload,
      (error: unknown) => {
        if (error instanceof errors.JOSEError) throw refuse(error)
        throw new OAuthError('temporarily_unavailable', KEYS_UNAVAILABLE, { cause: error })
      },
    )
    const { sub, jti, client_id, iat = 0 } = payload
    const audience = Array.isArray(payload.aud) ? payload.aud : [payload.aud]
    if (client_id !== clientId || audience.length !== 1) throw refuse()
    if (typeof sub !== 'string' || sub === '' || sub.length > MAX_SUBJECT_LENGTH) throw refuse()
    if (typeof jti !== 'string' || jti === '') throw refuse()
    const [scope, resource] = [payload.scope, payload.resource]
    // A limit in another form must not count as no limit.
    if (!isOptionalText(scope) || !isOptionalText(resource)) throw refuse()
    return {
      subject: provider.subject
        ? mapSubject(provider.subject, payload)
        : subjectAt(provider.issuer, sub),
      scope,
      resource,
      redeem: async () => {
        const name = await sha256Base64Url(JSON.stringify([provider.issuer, jti]))
        // It is too old from then on, also with a later `exp`.
        const seconds = Math.ceil(iat) + MAX_AGE_SECONDS + CLOCK_TOLERANCE_SECONDS + 1
        if (!(await redeem(`assertion ${name}`, seconds * 1000))) throw refuse()
      },
    }
  }
}

const KEYS_UNAVAILABLE = 'The keys of the issuer cannot be fetched'

function isOptionalText(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string'
}

/** The issuer that an assertion claims, to choose the keys for its verification. */
function unverifiedIssuer(assertion: string): string | undefined {
  try {
    return decodeJwt(assertion).iss
  } catch {
    // Not a JWT.
    return undefined
  }
}
