/** The section of the account page about personal access tokens: the list, and the form that creates one. */
import type { GrantSummary } from '../../ports/grant.ts'
import { loginTargets } from '../pages/form-targets.ts'
import { messagePage } from '../pages/message-page.ts'
import { tokenSection } from '../pages/token-section.ts'
import type { TokenFormView, TokensView, TokenView } from '../pages/views.ts'
import type {
  AccountSection,
  AuthorizationServer,
  SectionPage,
} from '../server/authorization-server.ts'
import { loginForm } from '../server/show-consent.ts'
import { issuePersonalToken } from './issue-token.ts'
import { tokenChoices, type WantedToken } from './token-form.ts'

/** The name of the section. */
export const TOKENS = 'personal-tokens'

export const TOKENS_SECTION: AccountSection = {
  name: TOKENS,
  notices: { 'token-revoked': 'The token was revoked.' },
  show(server, request, page) {
    const view = tokensView(server, request, page)
    return {
      body: tokenSection(view, page.csrf),
      formTargets: view.form === undefined ? [] : loginTargets(view.form.login),
    }
  },
  async follow(server, { wanted, subject }, person) {
    // Sealed by `token-endpoints.ts`.
    const issued = await issuePersonalToken(server, wanted as WantedToken, subject, person)
    return issued instanceof Response ? issued : TOKENS_SECTION.refuse(issued)
  },
  refuse: ({ status, problem: message }) =>
    messagePage({ status, title: 'No token was created', message }),
}

function tokensView(
  server: AuthorizationServer,
  request: Request,
  { grants, problem }: SectionPage,
): TokensView {
  const login = loginForm(server, request)
  const choices = tokenChoices(server, problem?.draft as TokenFormView['draft'] | undefined)
  return {
    tokens: grants.flatMap((grant) => tokenView(server, grant)),
    form: login instanceof Response ? undefined : { ...choices, login, problem: problem?.problem },
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
