/**
 * Parses and checks an authorization request. An error in the client or its redirect URI is shown to
 * the person. Every later error is for the client too.
 *
 * @see https://www.ietf.org/archive/id/draft-ietf-oauth-v2-1-13.html#section-4.1.1
 */
import type { Client } from '../clients/clients.ts'
import { matchRedirectUri, type ValidatedRedirectUri } from '../clients/redirect-uri.ts'
import { OAuthError } from '../oauth-error.ts'
import { limitNetwork } from '../over-limit.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import { checkMayConnect } from './client-trust.ts'
import { checkChallenge } from './pkce.ts'
import { type Prompt, readPrompt } from './prompt.ts'
import { uniqueParams } from './read-form.ts'
import type { RedirectTarget } from './redirect.ts'
import { grantableScopes } from './requested-scopes.ts'
import { resolveResource } from './resource-parameter.ts'

export interface AuthorizeRequest extends RedirectTarget {
  readonly client: Client
  readonly scopes: readonly string[]
  readonly resource: string
  readonly codeChallenge: string
  readonly dpopJkt: string | undefined
  readonly prompt: Prompt
}

/** An error that the client may receive, because its redirect URI has been validated. */
export class RedirectedError extends Error {
  readonly client: Client
  readonly target: RedirectTarget
  readonly error: OAuthError

  constructor(client: Client, target: RedirectTarget, error: OAuthError) {
    super(error.message)
    this.client = client
    this.target = target
    this.error = error
  }
}

/** In characters. A longer `state` may exceed the URL length that browsers and servers accept. */
const MAX_STATE_LENGTH = 4096

/**
 * @throws {OAuthError} when the client or the redirect URI is invalid
 * @throws {RedirectedError} when any other parameter is invalid
 */
export async function readAuthorizeRequest(
  server: AuthorizationServer,
  request: Request,
): Promise<AuthorizeRequest> {
  const { search, searchParams: params } = new URL(request.url)
  const clientId = single(params, 'client_id')
  if (clientId === undefined) throw new OAuthError('invalid_request', 'client_id is required')
  const client = await server.clients.find(clientId, () =>
    limitNetwork(server.rateLimits, 'client-documents', request),
  )
  if (client === undefined) {
    throw new OAuthError(
      'invalid_client',
      'This app is not registered here any more. Please connect again from the app.',
      {
        status: 400,
      },
    )
  }
  const redirectUri = matchRedirectUri(client.redirectUris, single(params, 'redirect_uri'))
  if (redirectUri === undefined) {
    throw new OAuthError('invalid_request', 'redirect_uri is not registered for this client')
  }
  const states = params.getAll('state')
  const [first, ...others] = states
  const state =
    first !== undefined && others.length === 0 && isText(first, search) ? first : undefined
  const target = { redirectUri, state }
  try {
    if (states.length === 1 && state === undefined) {
      throw new OAuthError('invalid_request', 'state must be UTF-8')
    }
    return { ...target, client, ...readRest(server, client, redirectUri, params) }
  } catch (error) {
    if (error instanceof OAuthError) throw new RedirectedError(client, target, error)
    throw error
  }
}

/**
 * Whether `state` was valid UTF-8. Decoding replaces invalid bytes by U+FFFD, so they could not be
 * returned unchanged. Each U+FFFD must therefore be one in the encoded parameter too.
 */
function isText(state: string, search: string): boolean {
  const encoded = search.slice(1).split('&')
  const own = encoded.find((parameter) => new URLSearchParams(parameter).has('state')) ?? ''
  const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0
  return count(state, /\ufffd/g) === count(own, /%EF%BF%BD|\ufffd/gi)
}

function readRest(
  server: AuthorizationServer,
  client: Client,
  redirectUri: ValidatedRedirectUri,
  params: URLSearchParams,
): Pick<AuthorizeRequest, 'scopes' | 'resource' | 'codeChallenge' | 'dpopJkt' | 'prompt'> {
  // RFC 8707 §2 allows several resources. Tokens of this server are for one.
  if (params.getAll('resource').length > 1) {
    throw new OAuthError('invalid_target', 'Only one resource can be requested')
  }
  const all = uniqueParams(params)
  if (!client.grantTypes.includes('authorization_code')) {
    throw new OAuthError('unauthorized_client', 'This client may not use authorization codes')
  }
  if ((all.get('state')?.length ?? 0) > MAX_STATE_LENGTH) {
    throw new OAuthError('invalid_request', 'state is too long')
  }
  if (all.has('request') || all.has('request_uri')) {
    throw new OAuthError('invalid_request', 'Request objects are not supported')
  }
  if (!all.has('response_type')) {
    throw new OAuthError('invalid_request', 'response_type is required')
  }
  if (all.get('response_type') !== 'code') {
    throw new OAuthError('unsupported_response_type', 'response_type must be code')
  }
  if ((all.get('response_mode') ?? 'query') !== 'query') {
    throw new OAuthError('invalid_request', 'response_mode must be query')
  }
  // A server without DPoP ignores the parameter: it could not redeem a code that is bound to a key.
  const dpopJkt = server.checkDpop && all.get('dpop_jkt')
  if (dpopJkt !== undefined && !/^[A-Za-z0-9_-]{43}$/.test(dpopJkt)) {
    throw new OAuthError('invalid_request', 'dpop_jkt must be a JWK SHA-256 thumbprint')
  }
  const prompt = readPrompt(all)
  const codeChallenge = checkChallenge(all)
  const resource = resolveResource(server, all.get('resource'))
  checkMayConnect(server, client, { redirectUri, resource })
  return {
    codeChallenge,
    scopes: grantableScopes(server.scopesOf(resource), all.get('scope'), allowedScopes(client)),
    resource,
    dpopJkt,
    prompt,
  }
}

/** @throws {OAuthError} `invalid_request` when the parameter is repeated */
function single(params: URLSearchParams, name: string): string | undefined {
  const values = params.getAll(name)
  if (values.length > 1) {
    throw new OAuthError('invalid_request', 'A parameter must not be included more than once')
  }
  return values[0] === '' ? undefined : values[0]
}

/** Only configured clients are limited. Registered clients list the scopes they know, which is no limit. */
function allowedScopes({ kind, scopes }: Client): readonly string[] | undefined {
  return kind === 'static' ? scopes : undefined
}
