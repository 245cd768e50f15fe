/** Authenticates requests to protected resources. A request without a valid token is rejected. */

import type { Background, Caller } from '../../ports/authenticator.ts'
import type { TelemetrySink } from '../../ports/telemetry.ts'
import type { AuthInfo } from '../../protocol/auth-info.ts'
import { OAuthError, type OAuthErrorCode } from '../oauth-error.ts'
import { type AccessToken, invalidToken, wrongResource } from './access-token.ts'
import { type Credentials, presentedScheme, readCredentials } from './bearer.ts'
import { type Challenge, challengeText, refusalResponse } from './challenge.ts'
import type { DpopSupport } from './dpop-proof.ts'
import { createMetadata } from './metadata.ts'
import { createScopesOfResource } from './resource-scopes.ts'
import {
  checkResources,
  comparable,
  createResourceLookup,
  identifiersOf,
  metadataUrl,
  type NamedResource,
  type ResourceOptions,
  type Resources,
} from './resources.ts'
import type { ScopeTable } from './scopes.ts'
import { chooseIssuer, type TokenVerifier } from './token-verifier.ts'
import {
  type CheckGrant,
  DEFAULT_GRANT_CHECK_AGES,
  type GrantCheckAges,
  type VerifiedToken,
  VerifiedTokens,
} from './verified-tokens.ts'

export interface ResourceServer {
  /**
   * Returns the caller, or the response that rejects the request. Never throws.
   *
   * @param background receives a grant check that is repeated after the response. Default: it is waited for
   */
  authenticate(
    request: Request,
    resource: string,
    background?: Background,
  ): Promise<Caller | Response>
  /**
   * Returns the challenge of a 403, for a call that needs scopes which its token lacks.
   *
   * @param from its present scopes are named too, and its request determines resource URL and scheme
   */
  insufficientScope(resource: string, scopes: readonly string[], from?: StepUpRequest): string
  /** Responds at the well-known URLs of the resources, for all origins. Undefined for any other path. */
  metadata(request: Request): Response | undefined
  /**
   * Whether the token of an accepted request is still valid, for an open stream. Rejects when that cannot be
   * determined now.
   */
  isStillAuthorized(request: Request): Promise<boolean>
  /**
   * The caller of an accepted request, checked anew for an open stream; undefined when its access has
   * ended. Rejects when it cannot be checked now.
   */
  recheck(request: Request, resource: string): Promise<AuthInfo | undefined>
  /** Removes the tokens of a revoked grant from the cache of this isolate. */
  evictGrant(grantId: string): void
  /** Removes the tokens of a subject from the cache of this isolate: its next request waits for a check. */
  evictSubject(subject: string): void
  /** Removes all tokens from the cache of this isolate. */
  evictAll(): void
}

export interface StepUpRequest {
  readonly auth?: Pick<AuthInfo, 'scopes'> | undefined
  readonly request?: Request | undefined
}

export interface ResourceServerOptions {
  readonly resources: Resources
  readonly scopes: ScopeTable
  readonly verifiers: readonly TokenVerifier[]
  /** Undefined on a server without DPoP, which accepts no token that is bound to a key. */
  readonly dpop: DpopSupport | undefined
  readonly checkGrant?: CheckGrant | undefined
  readonly grantChecks?: GrantCheckAges | undefined
  readonly report: TelemetrySink
  readonly now?: (() => number) | undefined
}

/** Errors of the caller. Any other error is a fault of the server, answered with 503. */
const STATUS: Partial<Record<OAuthErrorCode, 400 | 401>> = {
  invalid_request: 400,
  invalid_token: 401,
  invalid_dpop_proof: 401,
}

/** An open stream adds its own interval to the age of a check, so it shares only one of the last second. */
const STREAM_CHECK_MS = 1_000

/** @throws {TypeError} for invalid resources, scopes or issuers */
export function createResourceServer(options: ResourceServerOptions): ResourceServer {
  const { resources, scopes, verifiers, dpop, report } = options
  checkResources(resources)
  const verify = chooseIssuer(verifiers)
  const tokens = new VerifiedTokens({
    verify: async (text) => {
      const token = await verify(text)
      if (token.jkt !== undefined && dpop === undefined) throw unsupportedBinding()
      // Frozen, because requests share them.
      return { ...token, scopes: Object.freeze(scopes.expand(token.scopes)) }
    },
    checkGrant: options.checkGrant,
    grantChecks: options.grantChecks ?? DEFAULT_GRANT_CHECK_AGES,
    now: options.now ?? (() => Date.now()),
  })
  const scopesOf = createScopesOfResource(scopes, resources)
  const lookUp = createResourceLookup(resources)
  const findResource = (named: string) => {
    const resource = lookUp(named)
    if (resource === undefined) throw new TypeError(`"${named}" is not a resource of this server`)
    return resource
  }

  const callers = new WeakMap<VerifiedToken, AuthInfo>()
  /** The same frozen caller for all requests with a token, until its grant is checked again. */
  const callerOf = (verified: VerifiedToken, resource: string): AuthInfo => {
    const known = callers.get(verified)
    if (known?.resource === resource) return known
    const caller = Object.freeze(authInfo(verified, resource))
    callers.set(verified, caller)
    return caller
  }

  const authenticate = async (
    request: Request,
    resource: NamedResource,
    background: Background | undefined,
  ) => {
    const credentials = readCredentials(request)
    if (credentials === undefined) return undefined
    const verified =
      tokens.cached(credentials.token) ??
      (await tokens.find(credentials.token, { background: background && reported(background) }))
    const { token } = verified
    if (!isFor(token, resource)) throw wrongResource()
    if (credentials.scheme === 'DPoP' || token.jkt !== undefined) {
      await checkBinding(request, resource, credentials, token, dpop)
    }
    const { validFrom } = verified
    return { auth: callerOf(verified, resource.resource), grant: grantOf(token), validFrom }
  }

  // A refusal is found again by the next request, which reports it.
  const reported =
    (background: Background): Background =>
    (check) =>
      background(
        check.catch((error: unknown) => {
          if (!(error instanceof OAuthError)) report({ type: 'internal-error', error })
        }),
      )

  const refuse = (
    request: Request,
    resource: ResourceOptions,
    named: string,
    error: OAuthError | undefined,
  ) => {
    const status = error === undefined ? 401 : STATUS[error.code]
    if (status === undefined) throw error
    const message = error?.message ?? 'An access token is required'
    report({ type: 'refusal', name: error?.code ?? 'token-missing', status, message })
    const challenge: Challenge = {
      metadataUrl: metadataUrl(requestedUrlOf(request, resource, named)),
      scopes: scopesOf(resource).defaults,
      error,
      scheme: presentedScheme(request),
      ...(error?.offersDpop && { dpop: true }),
      dpopAlgorithms: dpop?.algorithms,
    }
    return refusalResponse(status, message, challengeText(challenge))
  }

  return {
    async authenticate(request, named, background) {
      try {
        const resource = findResource(named)
        try {
          return (
            (await authenticate(request, resource, background)) ??
            refuse(request, resource, named, undefined)
          )
        } catch (error) {
          if (error instanceof OAuthError) return refuse(request, resource, named, error)
          throw error
        }
      } catch (error) {
        report({ type: 'internal-error', error })
        return refusalResponse(503, 'Authorization cannot be checked at the moment', undefined)
      }
    },
    insufficientScope(named, needed, { auth, request } = {}) {
      const resource = findResource(named)
      return challengeText({
        metadataUrl: metadataUrl(request ? requestedUrlOf(request, resource, named) : named),
        scopes: scopesOf(resource).forStepUp(needed, auth?.scopes ?? []),
        error: { code: 'insufficient_scope', message: `This needs the scope ${needed.join(' ')}` },
        ...(request && { scheme: presentedScheme(request) }),
        dpopAlgorithms: dpop?.algorithms,
      })
    },
    metadata: createMetadata({
      resources,
      issuers: verifiers.map(({ issuer }) => issuer),
      scopesOf: (resource) => scopesOf(resource).defaults,
      dpopAlgorithms: dpop?.algorithms,
    }),
    async isStillAuthorized(request) {
      try {
        const credentials = readCredentials(request)
        if (credentials === undefined) return false
        await tokens.find(credentials.token, { maxAgeMs: STREAM_CHECK_MS, staleIfError: false })
        return true
      } catch (error) {
        if (error instanceof OAuthError) return false
        throw error
      }
    },
    async recheck(request, named) {
      const credentials = readCredentials(request)
      if (credentials === undefined) return undefined
      try {
        const { resource } = findResource(named)
        return callerOf(await tokens.find(credentials.token), resource)
      } catch (error) {
        if (error instanceof OAuthError) return undefined
        throw error
      }
    },
    evictGrant: (grantId) => tokens.evictGrant(grantId),
    evictSubject: (subject) => tokens.evictSubject(subject),
    evictAll: () => tokens.evictAll(),
  }
}

/** Such a token proves nothing without its key, so it must not be accepted as a bearer token. */
function unsupportedBinding(): OAuthError {
  return invalidToken('The access token is bound to a key, and this server does not support DPoP')
}

/**
 * Requires a proof for a bound token. Rejects an unbound token that is presented as DPoP, because its
 * client assumes a protection that does not exist.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9449#section-7.1
 */
async function checkBinding(
  request: Request,
  resource: ResourceOptions,
  { scheme, token: text }: Credentials,
  { jkt }: AccessToken,
  dpop: DpopSupport | undefined,
): Promise<void> {
  if (jkt === undefined) throw invalidToken('The access token is not bound to a key')
  if (dpop === undefined) throw unsupportedBinding()
  if (scheme !== 'DPoP') {
    throw new OAuthError(
      'invalid_token',
      'The access token is bound to a key: present it as DPoP',
      {
        offersDpop: true,
      },
    )
  }
  // The resource may have several paths; the proof names the requested one.
  const { pathname } = new URL(request.url)
  // Not redeemed in the whole deployment: that would be one call of an object per request.
  await dpop.verify({
    proof: request.headers.get('dpop'),
    method: request.method,
    urls: identifiersOf(resource).map((identifier) => new URL(identifier).origin + pathname),
    token: { text, jkt },
  })
}

function authInfo(
  { token: { issuer, subject, clientId, scopes }, props, definitionVersion }: VerifiedToken,
  resource: string,
): AuthInfo {
  return {
    subject,
    clientId,
    scopes,
    issuer,
    resource,
    ...(props !== undefined && { props }),
    ...(definitionVersion !== undefined && { definitionVersion }),
  }
}

function grantOf({ grantId, grantKey }: AccessToken): Caller['grant'] {
  if (grantId === undefined || grantKey === undefined) return undefined
  return { id: grantId, sealedKey: grantKey }
}

/** A token can be for one resource of a family, or for all of them. */
function isFor({ resources }: AccessToken, { resource, family }: NamedResource): boolean {
  return resources.includes(resource) || (family !== undefined && resources.includes(family))
}

/**
 * Returns the URL of a resource that the request used. If it used none of them, as at the message path
 * of the older transport, returns `named`.
 */
function requestedUrlOf({ url }: Request, resource: ResourceOptions, named: string): string {
  const { origin, pathname } = new URL(url)
  const requested = comparable(origin + pathname)
  return identifiersOf(resource).find((known) => comparable(known) === requested) ?? named
}
