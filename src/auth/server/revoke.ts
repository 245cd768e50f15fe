/**
 * `POST /revoke`: revokes the grant of a token. Answers 200 for unknown tokens as well (RFC 7009 §2.2). An
 * access token without a grant (client credentials, assertions) cannot be revoked, which the client learns. A
 * personal access token belongs to no client, so no client authenticates for it.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7009#section-2
 */

import type { Account } from '../../ports/accounts.ts'
import { jsonResponse } from '../json-response.ts'
import { OAuthError } from '../oauth-error.ts'
import type { AuthorizationServer, Handle } from './authorization-server.ts'
import { type PresentedToken, readPresentation, readToken } from './presented-token.ts'
import { readForm } from './read-form.ts'
import { endGrantSubscriptions, principalsOf } from './subscriptions.ts'

/** @throws {OAuthError} `invalid_client`, `invalid_request` without a token, or `unsupported_token_type` */
export const handleRevoke: Handle = async (server, request) => {
  const params = await readForm(request)
  if (await server.parts.revokeToken(server, params.get('token') ?? '')) return jsonResponse({})
  const presentation = await readPresentation(server, request.headers, params)
  const { client } = presentation
  const token = await readToken(server, presentation.token)
  // The token of another client stays valid, and the response does not disclose it.
  if (token !== undefined && clientOf(token) === client.id) await revoke(server, token)
  return jsonResponse({})
}

function clientOf(token: PresentedToken): string {
  return token.kind === 'access' ? token.token.clientId : token.state.client.id
}

/** Revokes the grant also for an access token, which is a JWT and cannot be revoked alone. */
async function revoke(server: AuthorizationServer, token: PresentedToken): Promise<void> {
  if (token.kind === 'refresh') {
    const { account, state, grantId } = token
    return revokeGrant(server, account, state.subject, grantId)
  }
  const { subject, grantId } = token.token
  if (grantId !== undefined) {
    return revokeGrant(server, server.accounts.of(subject), subject, grantId)
  }
  throw new OAuthError('unsupported_token_type', 'This access token cannot be revoked')
}

/** Revokes a grant or a personal access token. Its tokens end at once in this isolate, and the event subscriptions of its callers. */
export async function revokeGrant(
  { evictGrant, subscriptions, report }: AuthorizationServer,
  account: Account,
  subject: string | undefined,
  grantId: string,
): Promise<void> {
  const isListed = subscriptions !== undefined && subject !== undefined
  const grants = isListed ? await account.listGrants({ personalTokens: true }) : []
  await account.revoke(grantId)
  evictGrant(grantId)
  const own = grants.filter((grant) => grant.grantId === grantId)
  const principals = principalsOf(
    subject ?? '',
    own.map(({ resource }) => resource),
  )
  await endGrantSubscriptions({ subscriptions, report }, principals, grantId)
}
