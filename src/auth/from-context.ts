/**
 * Authorization by the code in front of this handler, which has authenticated the request and says so in
 * its execution context: `ctx.props` and `ctx.auth`, as `@cloudflare/workers-oauth-provider` sets them.
 */

import type { AuthConfig, AuthGateContext } from '../feature/auth-config.ts'
import { sha256Base64Url } from '../platform/digest.ts'
import type { Authenticator } from '../ports/authenticator.ts'
import type { AuthInfo, GrantProps } from '../protocol/auth-info.ts'
import { isScopeToken } from '../protocol/scope-token.ts'
import { readProps } from './read-props.ts'
import { createRenewal, type RenewalOptions } from './renew-caller.ts'
import { refusalResponse } from './resource/challenge.ts'
import { checkSubject } from './subject.ts'

export interface FromContextOptions extends RenewalOptions {
  /**
   * The stable name of the person, from the props. Default: `ctx.auth.userId`; without one, a digest of
   * the props, so that a session ends when the props change.
   */
  readonly subject?: (props: GrantProps) => string
  /** Serves a request whose context has neither props nor a user, as an anonymous caller. Default false. */
  readonly anonymous?: boolean
}

/** The members of an execution context that say who calls. A client cannot set them. */
interface FrontContext {
  readonly props?: unknown
  readonly auth?: {
    readonly userId?: unknown
    readonly clientId?: unknown
    readonly scope?: unknown
    /** Epoch seconds. */
    readonly expiresAt?: unknown
  }
}

/**
 * Accepts the callers that the code in front of `fetch` has authenticated. Every way to `fetch` must lead
 * through that code.
 *
 * @see https://github.com/cloudflare/workers-oauth-provider
 */
export function fromContext(options: FromContextOptions = {}): AuthConfig {
  return {
    type: 'context',
    allowsAnonymous: options.anonymous === true,
    createGate: (context) => ({
      ...createAuthenticator(options, context),
      visitor: (_request, env, path, _background, ctx) =>
        readCaller(context.origins.ofCallers(env), path, asFront(ctx), options.subject),
      paths: [],
      route: () => undefined,
    }),
  }
}

function createAuthenticator(
  { subject, anonymous, ...renewal }: FromContextOptions,
  { report, origins }: AuthGateContext,
): Authenticator {
  return {
    async authenticate(_request, env, path, _background, ctx) {
      try {
        const auth = await readCaller(origins.ofCallers(env), path, asFront(ctx), subject)
        if (auth !== undefined) return { auth, grant: undefined }
      } catch (error) {
        report({ type: 'internal-error', error })
        return refusalResponse(503, 'The caller cannot be determined at the moment', undefined)
      }
      if (anonymous) return undefined
      const message = 'Credentials are required'
      report({ type: 'refusal', name: 'token-missing', status: 401, message })
      return refusalResponse(401, message, 'Bearer')
    },
    challenge: (_request, _env, _path, _auth, scopes) =>
      `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"`,
    // The code in front is not asked again while a stream is open, but its token ends at a known time.
    async isStillAuthorized(_request, _env, ctx) {
      const expiresAt = (ctx as FrontContext | undefined)?.auth?.expiresAt
      return typeof expiresAt !== 'number' || Date.now() < expiresAt * 1000
    },
    // Each request brings its props.
    changeDefinition: async () => undefined,
    renewCaller: createRenewal(renewal),
  }
}

const asFront = (ctx: unknown) => (ctx ?? {}) as FrontContext

/**
 * @param origin of the server, which the host of a request does not decide
 * @throws {TypeError} for props that are not JSON, and an invalid subject
 */
async function readCaller(
  origin: string,
  path: string,
  { props: given, auth: token }: FrontContext,
  subjectOf: FromContextOptions['subject'],
): Promise<AuthInfo | undefined> {
  const props = readProps(given, 'ctx.props')
  const userId = token?.userId
  // The platform gives every request empty props.
  const isEmpty = props === undefined || Object.keys(props).length === 0
  if (isEmpty && userId === undefined) return undefined
  const named = subjectOf !== undefined && props !== undefined ? subjectOf(props) : userId
  const { clientId, scope } = token ?? {}
  return {
    subject:
      named === undefined ? await sha256Base64Url(JSON.stringify(props)) : checkSubject(named),
    clientId: typeof clientId === 'string' && clientId !== '' ? clientId : 'unknown',
    scopes: Array.isArray(scope) ? scope.filter(isScopeToken) : [],
    // Otherwise a user could be named like the digest of another's props.
    issuer: named === undefined ? `${origin}#props` : origin,
    resource: `${origin}${path}`,
    ...(props !== undefined && { props }),
  }
}
