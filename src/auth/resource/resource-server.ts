/** Authenticates requests to protected resources. A request without a valid token is rejected. */

import type { CacheRequest } from '../../platform/refreshing-cache.ts'
import type { Background, Caller } from '../../ports/authenticator.ts'
import type { TelemetrySink } from '../../ports/telemetry.ts'
import type { AuthInfo } from '../../protocol/auth-info.ts'
import { OAuthError, type OAuthErrorCode } from '../oauth-error.ts'
import { type AccessToken, invalidToken, wrongResource } from './access-token.ts'
import { type Credentials, presentedScheme, readCredentials } from './bearer.ts'
import { challengeText, refusalResponse } from './challenge.ts'
import type { DpopSupport } from './dpop.ts'
import { createMetadata } from './metadata.ts'
import {
  checkResources,
  createResourceLookup,
  identifiersOf,
  metadataUrl,
  type NamedResource,
  type ResourceOptions,
  type Resources,
  requestedUrlOf,
} from './resources.ts'
import { createScopesOfResource, type ScopesOfResource, type ScopeTable } from './scopes.ts'
import { chooseIssuer, type TokenVerifier } from './token-verifier.ts'
import {
  type CheckGrant,
  DEFAULT_GRANT_CHECK_AGES,
  type GrantCheckAges,
  type TokenSelection,
  type VerifiedToken,
  VerifiedTokens,
} from './verified-tokens.ts'

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

export class ResourceServer {
  readonly #options: ResourceServerOptions
  readonly #tokens: VerifiedTokens
  readonly #scopesOf: ScopesOfResource
  readonly #lookUp: (named: string) => NamedResource | undefined
  readonly #callers = new WeakMap<VerifiedToken, AuthInfo>()
  /** Responds at the well-known URLs of the resources, for all origins. Undefined for any other path. */
  readonly metadata: (request: Request) => Response | undefined

  /** @throws {TypeError} for invalid resources, scopes or issuers */
  constructor(options: ResourceServerOptions) {
    const { resources, scopes, verifiers, dpop, now = () => Date.now() } = options
    const { checkGrant, grantChecks = DEFAULT_GRANT_CHECK_AGES } = options
    checkResources(resources)
    const verify = boundVerification(chooseIssuer(verifiers), options)
    this.#options = options
    this.#tokens = new VerifiedTokens({ verify, checkGrant, grantChecks, now })
    this.#scopesOf = createScopesOfResource(scopes, resources)
    this.#lookUp = createResourceLookup(resources)
    this.metadata = createMetadata({
      resources,
      issuers: verifiers.map(({ issuer }) => issuer),
      scopesOf: (resource) => this.#scopesOf(resource).defaults,
      dpopAlgorithms: dpop?.algorithms,
    })
  }

  /**
   * Returns the caller, or the response that rejects the request. Never throws.
   *
   * @param background receives a grant check that is repeated after the response. Default: it is waited for
   */
  async authenticate(
    request: Request,
    named: string,
    background?: Background,
  ): Promise<Caller | Response> {
    try {
      const resource = this.#find(named)
      try {
        const caller = await this.#authenticate(request, resource, background)
        return caller ?? this.#refuse(request, resource, named, undefined)
      } catch (error) {
        if (error instanceof OAuthError) return this.#refuse(request, resource, named, error)
        throw error
      }
    } catch (error) {
      this.#options.report({ type: 'internal-error', error })
      return refusalResponse(503, 'Authorization cannot be checked at the moment', undefined)
    }
  }

  /**
   * Returns the challenge of a 403, for a call that needs scopes which its token lacks.
   *
   * @param from its present scopes are named too, and its request determines resource URL and scheme
   */
  insufficientScope(
    named: string,
    needed: readonly string[],
    { auth, request }: StepUpRequest = {},
  ): string {
    const resource = this.#find(named)
    return challengeText({
      metadataUrl: metadataUrl(request ? requestedUrlOf(request, resource, named) : named),
      scopes: this.#scopesOf(resource).forStepUp(needed, auth?.scopes ?? []),
      error: { code: 'insufficient_scope', message: `This needs the scope ${needed.join(' ')}` },
      ...(request && { scheme: presentedScheme(request) }),
      dpopAlgorithms: this.#options.dpop?.algorithms,
    })
  }

  /**
   * Whether the token of an accepted request is still valid, for an open stream. Rejects when that cannot be
   * determined now.
   */
  async isStillAuthorized(request: Request): Promise<boolean> {
    const check = { maxAgeMs: STREAM_CHECK_MS, staleIfError: false }
    return (await this.#unlessRefused(request, check)) !== undefined
  }

  /**
   * The caller of an accepted request, checked anew for an open stream; undefined when its access has
   * ended. Rejects when it cannot be checked now.
   */
  async recheck(request: Request, named: string): Promise<AuthInfo | undefined> {
    const verified = await this.#unlessRefused(request)
    return verified && this.#callerOf(verified, this.#find(named).resource)
  }

  /** Removes tokens from the cache of this isolate, so that their next request waits for a check. */
  evict(tokens: TokenSelection): void {
    this.#tokens.evict(tokens)
  }

  #find(named: string): NamedResource {
    const resource = this.#lookUp(named)
    if (resource === undefined) throw new TypeError(`"${named}" is not a resource of this server`)
    return resource
  }

  async #unlessRefused(request: Request, check?: CacheRequest): Promise<VerifiedToken | undefined> {
    try {
      const credentials = readCredentials(request)
      return credentials && (await this.#tokens.find(credentials.token, check))
    } catch (error) {
      if (error instanceof OAuthError) return undefined
      throw error
    }
  }

  async #authenticate(
    request: Request,
    resource: NamedResource,
    background: Background | undefined,
  ): Promise<Caller | undefined> {
    const credentials = readCredentials(request)
    if (credentials === undefined) return undefined
    const check = { background: background && this.#reported(background) }
    const verified =
      this.#tokens.cached(credentials.token) ?? (await this.#tokens.find(credentials.token, check))
    const { token, validFrom } = verified
    if (!isFor(token, resource)) throw wrongResource()
    if (credentials.scheme === 'DPoP' || token.jkt !== undefined) {
      await checkBinding(request, resource, credentials, token, this.#options.dpop)
    }
    return { auth: this.#callerOf(verified, resource.resource), grant: grantOf(token), validFrom }
  }

  /** The same frozen caller for all requests with a token, until its grant is checked again. */
  #callerOf(verified: VerifiedToken, resource: string): AuthInfo {
    const known = this.#callers.get(verified)
    if (known?.resource === resource) return known
    const caller = Object.freeze(authInfo(verified, resource))
    this.#callers.set(verified, caller)
    return caller
  }

  /** A refusal is found again by the next request, which reports it. */
  #reported(background: Background): Background {
    const report = (error: unknown) => {
      if (!(error instanceof OAuthError)) this.#options.report({ type: 'internal-error', error })
    }
    return (check) => background(check.catch(report))
  }

  #refuse(
    request: Request,
    resource: ResourceOptions,
    named: string,
    error: OAuthError | undefined,
  ): Response {
    const { report, dpop } = this.#options
    const status = error === undefined ? 401 : STATUS[error.code]
    if (status === undefined) throw error
    const message = error?.message ?? 'An access token is required'
    report({ type: 'refusal', name: error?.code ?? 'token-missing', status, message })
    const challenge = challengeText({
      metadataUrl: metadataUrl(requestedUrlOf(request, resource, named)),
      scopes: this.#scopesOf(resource).defaults,
      error,
      scheme: presentedScheme(request),
      ...(error?.offersDpop && { dpop: true }),
      dpopAlgorithms: dpop?.algorithms,
    })
    return refusalResponse(status, message, challenge)
  }
}

/** Refuses bound tokens on a server without DPoP. The scopes of a token are expanded once, for all its requests. */
function boundVerification(
  verify: (text: string) => Promise<AccessToken>,
  { scopes, dpop }: ResourceServerOptions,
): (text: string) => Promise<AccessToken> {
  return async (text) => {
    const token = await verify(text)
    if (token.jkt !== undefined && dpop === undefined) throw unsupportedBinding()
    // Frozen, because requests share them.
    return { ...token, scopes: Object.freeze(scopes.expand(token.scopes)) }
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
