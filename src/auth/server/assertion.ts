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

export interface TrustedProvider {
  readonly issuer: string
  readonly keys: JWTVerifyGetKey
  /** Maps claims to a subject. Default: `<issuer>#<sub>`, so that the subjects of two providers never collide. */
  readonly subject?: (claims: { readonly [name: string]: unknown }) => string
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

export function createAssertionCheck(
  issuer: string,
  providers: readonly TrustedProvider[],
  redeem: (name: string, expiresAt: number) => Promise<boolean>,
): VerifyAssertion {
  const refuse = (cause?: unknown) =>
    new OAuthError('invalid_grant', 'The assertion is not valid here', { cause })
  return async (assertion, clientId) => {
    if (assertion.length > MAX_LENGTH) throw refuse()
    const provider = providers.find(({ issuer }) => issuer === unverifiedIssuer(assertion))
    if (provider === undefined) throw refuse()
    try {
      const { payload } = await jwtVerify(assertion, provider.keys, {
        issuer: provider.issuer,
        audience: issuer,
        typ: 'oauth-id-jag+jwt',
        algorithms: [...ASSERTION_ALGORITHMS],
        maxTokenAge: MAX_AGE_SECONDS,
        requiredClaims: ['sub', 'jti', 'exp', 'iat', 'client_id'],
      })
      const { sub, jti, client_id, scope, resource, exp = 0 } = payload
      const audience = Array.isArray(payload.aud) ? payload.aud : [payload.aud]
      if (client_id !== clientId || audience.length !== 1 || typeof sub !== 'string') throw refuse()
      return {
        subject: provider.subject?.(payload) ?? `${provider.issuer}#${sub}`,
        scope: typeof scope === 'string' ? scope : undefined,
        resource: typeof resource === 'string' ? resource : undefined,
        redeem: async () => {
          const name = await sha256Base64Url(JSON.stringify([provider.issuer, jti]))
          if (!(await redeem(`assertion ${name}`, exp * 1000))) throw refuse()
        },
      }
    } catch (error) {
      if (error instanceof OAuthError) throw error
      if (error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout)) {
        throw refuse(error)
      }
      throw new OAuthError('temporarily_unavailable', 'The keys of the issuer cannot be fetched', {
        cause: error,
      })
    }
  }
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
