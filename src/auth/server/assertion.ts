/**
 * Identity assertions (ID-JAG): signed by a provider that the author trusts, for this issuer and this
 * client, for a short time, and good once.
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
  /** Whose tokens become whose. Default: `<issuer>#<sub>`, so that providers cannot speak for each other's people. */
  readonly subject?: (claims: { readonly [name: string]: unknown }) => string
}

export interface Assertion {
  readonly subject: string
  /** What the provider lets it be used for; undefined leaves it to this server. */
  readonly scope: string | undefined
  readonly resource: string | undefined
  /**
   * Uses it up: the last thing before a token is made of it.
   *
   * @throws {OAuthError} `invalid_grant`, when it was used before
   */
  readonly spend: () => Promise<void>
}

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
        spend: async () => {
          const name = await sha256Base64Url(JSON.stringify([provider.issuer, jti]))
          if (!(await redeem(`assertion ${name}`, exp * 1000))) throw refuse()
        },
      }
    } catch (error) {
      if (error instanceof OAuthError) throw error
      if (error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout)) {
        throw refuse(error)
      }
      throw new OAuthError('temporarily_unavailable', 'The keys of the issuer cannot be read', {
        cause: error,
      })
    }
  }
}

/** Only to choose whose keys to verify with. */
function unverifiedIssuer(assertion: string): string | undefined {
  try {
    return decodeJwt(assertion).iss
  } catch {
    // No JWT at all.
    return undefined
  }
}
