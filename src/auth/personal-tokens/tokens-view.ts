/** The part of the account page about personal access tokens: the list, and the form that creates one. */
import type { GrantSummary } from '../../ports/grant.ts'
import type { TokenFormView, TokensView, TokenView } from '../pages/views.ts'
import { type AuthorizationServer, ENDPOINT } from '../server/authorization-server.ts'
import { loginForm } from '../server/consent-view.ts'
import type { RefusedAttempt } from '../server/refuse-sign-in.ts'
import { tokenChoices } from './token-form.ts'

/** The refusal of the last attempt to create a token, and what the form had. */
export type TokenProblem = RefusedAttempt & Pick<TokenFormView, 'draft'>

/** Undefined on a server without personal access tokens. */
export function tokensView(
  server: AuthorizationServer,
  request: Request,
  grants: readonly GrantSummary[],
  refused: TokenProblem | undefined,
): TokensView | undefined {
  if (!server.personalAccessTokens) return undefined
  const login = loginForm(server, request)
  const choices = tokenChoices(server, refused?.draft)
  const action = ENDPOINT.accountTokens
  return {
    tokens: grants.flatMap((grant) => tokenView(server, grant)),
    revokeAction: ENDPOINT.accountTokenRevoke,
    form:
      login instanceof Response
        ? undefined
        : { ...choices, login, action, problem: refused?.problem },
  }
}

function tokenView(
  server: AuthorizationServer,
  { grantId, client, personalToken, ...grant }: GrantSummary,
): TokenView[] {
  if (personalToken === undefined) return []
  const { expiresAt, isUsed } = personalToken
  const { resource, scopes, createdAt } = grant
  const lastUsedAt = isUsed ? grant.lastUsedAt : undefined
  const name = client.name ?? ''
  const administers = server.administers(resource)
  return [
    { tokenId: grantId, name, resource, administers, scopes, createdAt, lastUsedAt, expiresAt },
  ]
}
