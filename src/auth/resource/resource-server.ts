/** The door of a protected resource: who is calling, or what is missing. Without a token nobody passes. */
import type { TelemetrySink } from '../../ports/telemetry.ts'
import type { AuthInfo } from '../../protocol/auth-info.ts'
import { OAuthError, type OAuthErrorCode } from '../oauth-error.ts'
import { type AccessToken, invalidToken, wrongResource } from './access-token.ts'
import { type Credentials, presentedScheme, readCredentials } from './bearer.ts'
import { type Challenge, challengeText, refusalResponse } from './challenge.ts'
import type { DpopProof } from './dpop.ts'
import { createMetadata } from './metadata.ts'
import {
  checkResources,
  comparable,
  identifiersOf,
  metadataUrl,
  type ResourceOptions,
} from './resources.ts'
import type { ScopeTable } from './scopes.ts'
import type { TokenVerifier } from './token-verifier.ts'
import { chooseIssuer } from './trusted-issuers.ts'
import { type CheckGrant, VerifiedTokens } from './verified-tokens.ts'

export interface ResourceServer {
  /** AuthInfo, or the response that says what is missing. Never throws. */
  authenticate(request: Request, resource: string): Promise<AuthInfo | Response>
  /**
   * The challenge beside a 403, for a call that needs scopes which its token lacks.
   *
   * @param caller whose scopes are named besides, and whose request is answered
   */
  insufficientScope(resource: string, scopes: readonly string[], caller?: Caller): string
  /** The answer at a well-known address of a resource; undefined for any other. Open to all origins. */
  metadata(request: Request): Response | undefined
  /**
   * Whether the token of a request that was let in is still good, for a stream that goes on. What
   * cannot be told ends nothing.
   */
  isStillAuthorized(request: Request): Promise<boolean>
  /** Lets this isolate forget tokens of a grant that has ended. */
  forget(grantId: string): void
}

export interface Caller {
  readonly auth?: Pick<AuthInfo, 'scopes'> | undefined
  readonly request?: Request | undefined
}

export interface ResourceServerOptions {
  readonly resources: readonly ResourceOptions[]
  readonly scopes: ScopeTable
  readonly verifiers: readonly TokenVerifier[]
  readonly checkDpop: (facts: DpopProof) => Promise<string>
  readonly checkGrant?: CheckGrant | undefined
  /** Milliseconds between two looks at a grant. Default 1000. */
  readonly grantCheckMs?: number | undefined
  readonly report: TelemetrySink
  readonly now?: (() => number) | undefined
}

/** The only faults of a caller that there are here. Anything else that is thrown is a fault of ours. */
const STATUS: Partial<Record<OAuthErrorCode, 400 | 401>> = {
  invalid_request: 400,
  invalid_token: 401,
  invalid_dpop_proof: 401,
}

/** @throws {TypeError} for options that make no sense */
export function createResourceServer(options: ResourceServerOptions): ResourceServer {
  const { resources, scopes, verifiers, checkDpop, report } = options
  checkResources(resources)
  const verify = chooseIssuer(verifiers)
  const tokens = new VerifiedTokens({
    verify: async (text) => {
      const token = await verify(text)
      // Requests share them: what a handler adds for one must not be there for the next.
      return { ...token, scopes: Object.freeze(scopes.expand(token.scopes)) }
    },
    checkGrant: options.checkGrant,
    grantCheckMs: options.grantCheckMs ?? 1000,
    now: options.now ?? (() => Date.now()),
  })
  const find = createFinder(resources)

  const authenticate = async (request: Request, resource: ResourceOptions) => {
    const credentials = readCredentials(request)
    if (credentials === undefined) return undefined
    const { token, props } =
      tokens.cached(credentials.token) ?? (await tokens.find(credentials.token))
    if (!token.resources.includes(resource.resource)) throw wrongResource()
    if (credentials.scheme === 'DPoP' || token.jkt !== undefined) {
      await checkBinding(request, resource, credentials, token, checkDpop)
    }
    return authInfo(token, resource.resource, props)
  }

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
      metadataUrl: metadataUrl(calledAs(request, resource, named)),
      scopes: scopes.defaults,
      error,
      scheme: presentedScheme(request),
      ...(error instanceof BoundTokenError && { dpop: true }),
    }
    return refusalResponse(status, message, challengeText(challenge))
  }

  return {
    async authenticate(request, named) {
      try {
        const resource = find(named)
        try {
          return (
            (await authenticate(request, resource)) ?? refuse(request, resource, named, undefined)
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
      const resource = find(named)
      return challengeText({
        metadataUrl: metadataUrl(request ? calledAs(request, resource, named) : named),
        scopes: scopes.forStepUp(needed, auth?.scopes ?? []),
        error: { code: 'insufficient_scope', message: `This needs the scope ${needed.join(' ')}` },
        ...(request && { scheme: presentedScheme(request) }),
      })
    },
    metadata: createMetadata({
      resources,
      issuers: verifiers.map(({ issuer }) => issuer),
      scopes: scopes.defaults,
    }),
    async isStillAuthorized(request) {
      try {
        const credentials = readCredentials(request)
        if (credentials === undefined) return false
        await (tokens.cached(credentials.token) ?? tokens.find(credentials.token))
        return true
      } catch (error) {
        if (error instanceof OAuthError) return false
        report({ type: 'internal-error', error })
        return true
      }
    },
    forget: (grantId) => tokens.forget(grantId),
  }
}

/** A bound token that was presented as if it were not: whoever holds it must prove that it is theirs. */
class BoundTokenError extends OAuthError {}

/**
 * A bound token needs its proof, and one that is not bound must not be presented as if it were: a
 * client that believes in a protection must have it.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9449#section-7.1
 */
async function checkBinding(
  request: Request,
  resource: ResourceOptions,
  { scheme, token: text }: Credentials,
  { jkt }: AccessToken,
  checkDpop: (facts: DpopProof) => Promise<string>,
): Promise<void> {
  if (jkt === undefined) throw invalidToken('The access token is not bound to a key')
  if (scheme !== 'DPoP') {
    throw new BoundTokenError(
      'invalid_token',
      'The access token is bound to a key: present it as DPoP',
    )
  }
  // The path is the one that was called, which may be another one of the same resource.
  const { pathname } = new URL(request.url)
  await checkDpop({
    proof: request.headers.get('dpop'),
    method: request.method,
    urls: identifiersOf(resource).map((identifier) => new URL(identifier).origin + pathname),
    token: { text, jkt },
  })
}

function authInfo(
  { issuer, subject, clientId, scopes }: AccessToken,
  resource: string,
  props: AuthInfo['props'],
): AuthInfo {
  const info = { subject, clientId, scopes, issuer, resource }
  return props === undefined ? info : { ...info, props }
}

/** @returns the resource of an identifier; it throws for one that was not configured */
function createFinder(resources: readonly ResourceOptions[]): (named: string) => ResourceOptions {
  const known = new Map(
    resources.flatMap((options) =>
      identifiersOf(options).map((identifier) => [comparable(identifier), options]),
    ),
  )
  return (named) => {
    const resource = known.get(comparable(named))
    if (resource === undefined) throw new TypeError(`"${named}" is no resource of this server`)
    return resource
  }
}

/**
 * The URL under which a resource was called, among those it has; the one that it was named by where the
 * path that was called is none of them, such as that of an older transport's messages.
 */
function calledAs({ url }: Request, resource: ResourceOptions, named: string): string {
  const { origin, pathname } = new URL(url)
  const called = comparable(origin + pathname)
  return identifiersOf(resource).find((known) => comparable(known) === called) ?? named
}
