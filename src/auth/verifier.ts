/** Authorization by the author's own verifier: API keys, tokens of other systems, session cookies. */

import type { AuthConfig, AuthGate, AuthGateContext } from '../feature/auth-config.ts'
import { deepFreeze } from '../platform/deep-freeze.ts'
import type { Authenticator, Background, Caller } from '../ports/authenticator.ts'
import type { AuthInfo, GrantProps } from '../protocol/auth-info.ts'
import { isScopeToken } from '../protocol/scope-token.ts'
import { readProps } from './read-props.ts'
import { createRenewal, type RenewalOptions } from './renew-caller.ts'
import { refusalResponse } from './resource/challenge.ts'
import { cookieIn } from './server/cookies.ts'
import { checkSubject } from './subject.ts'
import { type VerifiedCaller, VerifiedCallers } from './verified-callers.ts'

/**
 * Recognises the caller of a request; undefined for credentials that are not valid. An error means that
 * they cannot be checked now: the request is answered with 503. The request has no body.
 */
export type Verify<Env = unknown, Props = GrantProps> = (
  request: Request,
  env: Env,
) => VerifiedCaller<Props> | undefined | Promise<VerifiedCaller<Props> | undefined>

export interface VerifierOptions extends RenewalOptions {
  /**
   * Where the credentials are: a header, by default `authorization`, or a cookie. With a cookie, web
   * pages of the server's own and of the allowed origins can act for their visitors, no others can, and
   * every POST needs a `Content-Type`.
   */
  readonly credentials?: { readonly header: string } | { readonly cookie: string }
  /** Whether handlers receive the credentials as `ctx.auth.token`, to pass them on. Default false. */
  readonly exposeToken?: boolean
  /**
   * Names these callers in sessions and records, beside the issuers of tokens. Default: the first origin of
   * the variable `EDGEWAY_ORIGIN`; without one, a name that contains the audience of the server.
   */
  readonly issuer?: string
  /** How long a verified caller is used without a check, in milliseconds. Default 20 s. */
  readonly freshMs?: number
  /**
   * How old the check of a caller may be, in milliseconds. Between `freshMs` and this age a request does
   * not wait for the check. Default 30 s. 0 checks every request.
   */
  readonly maxAgeMs?: number
}

/** Maximum length of credentials, in characters. */
const MAX_CREDENTIALS_LENGTH = 8 * 1024

/**
 * Authenticates requests with a function of the author, without an authorization server.
 *
 * @throws {TypeError} for invalid options
 */
export function verifier<Env = unknown, Props = GrantProps>(
  verify: Verify<Env, Props>,
  options: VerifierOptions = {},
): AuthConfig {
  if (typeof verify !== 'function')
    throw new TypeError('verifier() takes a function of the request')
  const { credentials = { header: 'authorization' }, freshMs = 20_000, maxAgeMs = 30_000 } = options
  const read = createCredentialReader(credentials)
  for (const [name, value] of Object.entries({ freshMs, maxAgeMs })) {
    if (!(value >= 0)) throw new TypeError(`verifier: ${name} must be a number of at least 0`)
  }
  return {
    type: 'verifier',
    usesCookies: 'cookie' in credentials,
    ...('header' in credentials && { credentialHeader: credentials.header.toLowerCase() }),
    createGate: (context) => {
      const callers = new VerifiedCallers({
        verify: async (request, env) => checkCaller(await verify(withoutBody(request), env as Env)),
        freshMs: Math.min(freshMs, maxAgeMs),
        maxAgeMs,
      })
      const authenticator = createAuthenticator(callers, read, options, context)
      return {
        ...authenticator,
        ...('cookie' in credentials && { visitor: createVisitor(authenticator, read) }),
        paths: [],
        route: () => undefined,
      }
    },
  }
}

/** A browser sends cookies to every page. Without one there is nothing to verify, and nothing to report. */
function createVisitor(
  { authenticate }: Authenticator,
  read: (request: Request) => string | undefined,
): AuthGate['visitor'] {
  return async (request, env, path, background, ctx) => {
    if (read(request) === undefined) return undefined
    const caller = await authenticate(request, env, path, background, ctx)
    return caller instanceof Response ? undefined : caller?.auth
  }
}

function createAuthenticator(
  callers: VerifiedCallers,
  read: (request: Request) => string | undefined,
  { exposeToken = false, issuer, ...renewal }: VerifierOptions,
  { report, origins }: AuthGateContext,
): Authenticator {
  const refuse = (message: string, error?: 'invalid_token'): Response => {
    report({ type: 'refusal', name: error ?? 'token-missing', status: 401, message })
    return refusalResponse(401, message, error === undefined ? 'Bearer' : `Bearer error="${error}"`)
  }
  const authenticate = async (
    request: Request,
    env: unknown,
    path: string,
    background?: Background,
  ): Promise<Caller | Response> => {
    const token = read(request)
    if (token === undefined) return refuse('Credentials are required')
    try {
      const caller = await callers.find(token, request, env, background)
      if (caller === undefined) return refuse('The credentials are not valid', 'invalid_token')
      const origin = origins.ofCallers(env)
      const { subject, clientId = 'unknown', scopes = [], props } = caller
      const auth: AuthInfo = {
        subject,
        clientId,
        scopes,
        issuer: issuer ?? origin,
        resource: `${origin}${path}`,
        ...(props !== undefined && { props }),
        ...(exposeToken && { token }),
      }
      return { auth, grant: undefined }
    } catch (error) {
      report({ type: 'internal-error', error })
      return refusalResponse(503, 'Credentials cannot be checked at the moment', undefined)
    }
  }
  return {
    authenticate,
    async recheck(request, env, path, subject) {
      callers.evictSubject(subject, env)
      const caller = await authenticate(request, env, path)
      return caller instanceof Response ? undefined : caller.auth
    },
    // The verifier says what the definition depends on.
    async changeDefinition(subject, env) {
      callers.evictSubject(subject, env)
    },
    challenge: (_request, _env, _path, _auth, scopes) =>
      `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"`,
    async isStillAuthorized(request, env) {
      const credentials = read(request)
      return (
        credentials !== undefined && (await callers.check(credentials, request, env)) !== undefined
      )
    },
    renewCaller: createRenewal(renewal),
  }
}

/** @throws {TypeError} for a header or cookie that cannot exist */
function createCredentialReader(
  from: NonNullable<VerifierOptions['credentials']>,
): (request: Request) => string | undefined {
  const name = 'cookie' in from ? from.cookie : from.header
  if (typeof name !== 'string' || !/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name)) {
    throw new TypeError('verifier: credentials must be { header: name } or { cookie: name }')
  }
  const bounded = (text: string | undefined) =>
    text === undefined || text === '' || text.length > MAX_CREDENTIALS_LENGTH ? undefined : text
  if ('cookie' in from) return ({ headers }) => bounded(cookieIn(headers.get('cookie'), name))
  return ({ headers }) => bounded(headers.get(name)?.replace(/^Bearer +/i, ''))
}

/** The body belongs to the endpoint. */
function withoutBody({ url, method, headers }: Request): Request {
  return new Request(url, { method, headers })
}

/** @throws {TypeError} for a caller of another form, which the author's code has returned */
function checkCaller(caller: VerifiedCaller<unknown> | undefined): VerifiedCaller | undefined {
  if (caller === undefined || caller === null) return undefined
  const { subject, clientId, scopes } = caller
  const props = readProps(caller.props, 'The props of a verified caller')
  checkSubject(subject)
  if (clientId !== undefined && (typeof clientId !== 'string' || clientId === '')) {
    throw new TypeError('The clientId of a verified caller must be a string with characters')
  }
  if (scopes !== undefined && !(Array.isArray(scopes) && scopes.every(isScopeToken))) {
    throw new TypeError('The scopes of a verified caller must be a list of OAuth scope tokens')
  }
  return deepFreeze({ ...structuredClone({ subject, clientId, scopes }), props }) as VerifiedCaller
}
