/**
 * An authorization request, checked in order. Whatever is wrong with the client or its redirect URI
 * is shown to the person; everything after that is told to the client, through its redirect URI.
 *
 * @see https://www.ietf.org/archive/id/draft-ietf-oauth-v2-1-13.html#section-4.1.1
 */
import type { Client } from '../clients/clients.ts'
import { matchRedirectUri } from '../clients/redirect-uri.ts'
import { OAuthError } from '../oauth-error.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import { checkChallenge } from './pkce.ts'
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
}

/** A fault that the client is told, because its redirect URI is known to be its own. */
export class RedirectedError extends Error {
  readonly target: RedirectTarget
  readonly error: OAuthError

  constructor(target: RedirectTarget, error: OAuthError) {
    super(error.message)
    this.target = target
    this.error = error
  }
}

/** A client's word that comes back to it unread; longer would not fit into an address. */
const MAX_STATE_LENGTH = 4096

/**
 * @throws {OAuthError} to show to the person
 * @throws {RedirectedError} to tell the client
 */
export async function readAuthorizeRequest(
  server: AuthorizationServer,
  { search, searchParams: params }: URL,
): Promise<AuthorizeRequest> {
  const clientId = single(params, 'client_id')
  if (clientId === undefined) throw new OAuthError('invalid_request', 'client_id is required')
  const client = await server.clients.find(clientId)
  if (client === undefined) {
    throw new OAuthError(
      'invalid_client',
      'This client is not known here, or no longer: connect anew',
      {
        status: 400,
      },
    )
  }
  const redirectUri = matchRedirectUri(client.redirectUris, single(params, 'redirect_uri'))
  if (redirectUri === undefined) {
    throw new OAuthError(
      'invalid_request',
      'redirect_uri is not one that this client has registered',
    )
  }
  const states = params.getAll('state')
  const [state] = states.length === 1 && isText(states[0], search) ? states : []
  const target = { redirectUri, state }
  try {
    if (states.length === 1 && state === undefined) {
      throw new OAuthError('invalid_request', 'state must be UTF-8')
    }
    return { ...target, client, ...readRest(server, client, params) }
  } catch (error) {
    if (error instanceof OAuthError) throw new RedirectedError(target, error)
    throw error
  }
}

/** Whether a state can be given back as it came: bytes that are no text would be others. */
function isText(state: string | undefined, search: string): boolean {
  return state?.includes('\ufffd') !== true || /%EF%BF%BD|\ufffd/i.test(search)
}

function readRest(
  server: AuthorizationServer,
  client: Client,
  params: URLSearchParams,
): Pick<AuthorizeRequest, 'scopes' | 'resource' | 'codeChallenge' | 'dpopJkt'> {
  // RFC 8707 lets a client name several resources; one token is for one of them here.
  if (params.getAll('resource').length > 1) {
    throw new OAuthError('invalid_target', 'One resource can be asked for at a time')
  }
  const all = uniqueParams(params)
  if (!client.grantTypes.includes('authorization_code')) {
    throw new OAuthError('unauthorized_client', 'This client may not ask for a code')
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
  const dpopJkt = all.get('dpop_jkt')
  if (dpopJkt !== undefined && !/^[A-Za-z0-9_-]{43}$/.test(dpopJkt)) {
    throw new OAuthError('invalid_request', 'dpop_jkt must be a JWK SHA-256 thumbprint')
  }
  return {
    codeChallenge: checkChallenge(all),
    scopes: grantableScopes(server.scopes, all.get('scope'), allowedScopes(client)),
    resource: resolveResource(server, all.get('resource')),
    dpopJkt,
  }
}

/** One that is there twice is none: nothing may be decided by which of them is read. */
function single(params: URLSearchParams, name: string): string | undefined {
  const values = params.getAll(name)
  if (values.length > 1) {
    throw new OAuthError('invalid_request', 'A parameter must not be included more than once')
  }
  return values[0] === '' ? undefined : values[0]
}

/** Only the author's own clients are bound: what others register says what they know of, no more. */
function allowedScopes({ kind, scopes }: Client): readonly string[] | undefined {
  return kind === 'static' ? scopes : undefined
}
