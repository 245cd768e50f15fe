/**
 * Verifies identity assertions (ID-JAG): short-lived and single-use JWTs of a trusted provider, for
 * this issuer and one client.
 *
 * @see https://datatracker.ietf.org/doc/draft-ietf-oauth-identity-assertion-authz-grant/
 */
import { decodeJwt, errors, type JWTVerifyGetKey, jwtVerify } from 'jose'
import type { Fetch } from '../../platform/bounded-fetch.ts'
import { sha256Base64Url } from '../../platform/digest.ts'
import { isJsonObject, isTextList, type JsonValue } from '../../protocol/json.ts'
import { type ClaimedAttributes, readClaimed } from '../login/claimed-attributes.ts'
import { OAuthError } from '../oauth-error.ts'
import type { PersonAttributes } from '../people/attributes.ts'
import { ASSERTION_ALGORITHMS, checkAlgorithms } from '../resource/algorithms.ts'
import { joseKeys } from '../resource/jose-keys.ts'
import { RemoteKeys } from '../resource/remote-keys.ts'
import { checkIssuer, mapSubject, type SubjectOf, subjectAt } from '../subject.ts'

export interface TrustedProvider
  extends Pick<TrustedProviderOptions, 'issuer' | 'subject' | 'attributes'> {
  readonly keys: JWTVerifyGetKey
}

export interface Assertion {
  readonly subject: string
  readonly attributes: PersonAttributes | undefined
  /** The scopes that the provider allows, separated by spaces; undefined when it does not limit them. */
  readonly scope: string | undefined
  /** The resources that the provider allows; undefined when it does not limit them. */
  readonly resources: readonly string[] | undefined
  /**
   * Marks the assertion as used. Called last, so that a refused request does not use it up.
   *
   * @throws {OAuthError} `invalid_grant` when the assertion was used before
   */
  readonly redeem: () => Promise<void>
}

/** The client that presents an assertion. */
export interface Presenter {
  readonly clientId: string
  /** JWK thumbprint of the key that it has proven with DPoP. */
  readonly dpopJkt: string | undefined
}

/** @throws {OAuthError} `invalid_grant`, or `temporarily_unavailable` when the keys cannot be fetched */
export type VerifyAssertion = (assertion: string, presenter: Presenter) => Promise<Assertion>

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
  return async (assertion, { clientId, dpopJkt }) => {
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
    const { scope, resource, authorization_details: details, cnf } = payload
    const resources = typeof resource === 'string' ? [resource] : resource
    // A limit in another form, or of a kind that this server does not know, must not count as no limit.
    if (scope !== undefined && typeof scope !== 'string') throw refuse()
    if (resources !== undefined && !isTextList(resources)) throw refuse()
    if (details !== undefined) throw refuse()
    if (cnf !== undefined && !isKey(cnf as JsonValue, dpopJkt)) throw refuse()
    return {
      subject: provider.subject
        ? mapSubject(provider.subject, payload)
        : subjectAt(provider.issuer, sub),
      attributes: provider.attributes && readClaimed(provider.attributes(payload)),
      scope,
      resources,
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

/** Whether `cnf` names exactly the proven key. The assertion is then useless to any other client. */
function isKey(cnf: JsonValue, dpopJkt: string | undefined): boolean {
  if (dpopJkt === undefined || !isJsonObject(cnf)) return false
  return Object.keys(cnf).length === 1 && cnf.jkt === dpopJkt
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

export interface TrustedProviderOptions {
  /** Exactly as the provider writes `iss`. An https URL. */
  readonly issuer: string
  /** The https URL of the provider's key set. Default: `jwks_uri` of the provider's metadata. */
  readonly jwksUri?: string
  /** Maps the claims of an assertion to a subject of this server, 1 to 255 characters. Default: `<issuer>#<sub>`. */
  readonly subject?: SubjectOf | undefined
  /**
   * The attributes of a person by the claims of an assertion, for `allow` and `scopesOf`: those that this
   * provider may decide about. Default: none but the id, which is the subject.
   */
  readonly attributes?:
    | ((claims: { readonly [name: string]: unknown }) => ClaimedAttributes)
    | undefined
}

/** @throws {TypeError} when the issuer is no URL without query and fragment, or `jwksUri` is no https URL */
export function trustedProvider(
  { issuer, jwksUri, subject, attributes }: TrustedProviderOptions,
  fetch: Fetch,
): TrustedProvider {
  checkIssuer(issuer)
  const algorithms = checkAlgorithms(ASSERTION_ALGORITHMS)
  const keys = new RemoteKeys({ issuer, jwksUri, algorithms, fetch })
  return { issuer, subject, attributes, keys: joseKeys(keys, algorithms) }
}
