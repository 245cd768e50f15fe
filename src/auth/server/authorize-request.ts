/**
 * Parses an authorization request: the ordered list of its checks (`authorize-checks.ts`). An error in the client
 * or its redirect URI is shown to the person. Every later error is for the client too.
 *
 * @see https://www.ietf.org/archive/id/draft-ietf-oauth-v2-1-13.html#section-4.1.1
 */
import { invalid, type Result, valid } from '../../platform/result.ts'
import type { Client } from '../clients/clients.ts'
import type { ValidatedRedirectUri } from '../clients/redirect-uri.ts'
import { OAuthError } from '../oauth-error.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import {
  checkDpopJkt,
  checkGrantType,
  checkNoRequestObject,
  checkRedirectUri,
  checkResponseMode,
  checkResponseType,
  checkState,
  findClient,
  readState,
} from './authorize-checks.ts'
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
export interface RedirectedError {
  readonly client: Client
  readonly target: RedirectTarget
  readonly error: OAuthError
}

/** @throws {OAuthError} when the client or the redirect URI is invalid, which the client must not receive */
export async function readAuthorizeRequest(
  server: AuthorizationServer,
  request: Request,
): Promise<Result<AuthorizeRequest, RedirectedError>> {
  const { search, searchParams: params } = new URL(request.url)
  const client = await findClient(server, request, params)
  const redirectUri = checkRedirectUri(client, params)
  const state = readState(params, search)
  const target = { redirectUri, state }
  try {
    checkState(params, state)
    return valid({ ...target, client, ...readRest(server, client, redirectUri, params) })
  } catch (error) {
    if (error instanceof OAuthError) return invalid({ client, target, error })
    throw error
  }
}

function readRest(
  server: AuthorizationServer,
  client: Client,
  redirectUri: ValidatedRedirectUri,
  params: URLSearchParams,
): Omit<AuthorizeRequest, keyof RedirectTarget | 'client'> {
  const all = uniqueParams(params)
  checkGrantType(client)
  checkNoRequestObject(all)
  checkResponseType(all)
  checkResponseMode(all)
  const dpopJkt = checkDpopJkt(server, all)
  const prompt = readPrompt(all)
  const codeChallenge = checkChallenge(all)
  const resource = resolveResource(server, all.get('resource'))
  checkMayConnect(server, client, { redirectUri, resource })
  const scopes = grantableScopes(
    server.scopesOf(resource),
    all.get('scope'),
    // Only configured clients are limited. Registered clients list the scopes they know, which is no limit.
    client.kind === 'static' ? client.scopes : undefined,
  )
  return { codeChallenge, scopes, resource, dpopJkt, prompt }
}
