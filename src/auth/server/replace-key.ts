/** `POST /account/key`: replaces the API key in the props of all grants and tokens of a person. */
import type { PropsRenewal } from '../../ports/grant.ts'
import type { Person } from '../login/login.ts'
import { invalidRequest, OAuthError } from '../oauth-error.ts'
import { readAttributes } from '../people/attributes.ts'
import { showAccount } from './account-page.ts'
import { type AuthorizationServer, ENDPOINT, type Handle } from './authorization-server.ts'
import { readBrowserForm } from './browser-form.ts'
import { tryApiKey } from './form-sign-in.ts'
import { runHook } from './hooks.ts'
import { seeOther } from './redirect.ts'
import { refuseSignIn } from './refuse-sign-in.ts'
import { signedIn } from './signed-in.ts'
import { joinProps } from './stored-props.ts'

const OTHER_SUBJECT =
  'This key belongs to another account. Sign out first if you want to use that account.'

export const handleReplaceKey: Handle = async (server, request) => {
  const { form } = await readBrowserForm(request, server.issuer)
  const { login } = server
  if (login.kind !== 'api-key') throw invalidRequest('This server has no API keys', { status: 404 })
  const person = await signedIn(server, request)
  if (person === undefined) return seeOther(ENDPOINT.account)
  const attempt = await tryApiKey(server, request, login, form.get('api_key'))
  if ('problem' in attempt) return showAccount(server, request, person, { key: attempt })
  if (attempt.person.subject !== person.subject) {
    const key = refuseSignIn(server, 'other-subject', OTHER_SUBJECT, 403)
    return showAccount(server, request, person, { key })
  }
  await renewGrants(server, attempt.person)
  return seeOther(`${ENDPOINT.account}?key-replaced`)
}

/** The hook of each grant decides about the new props, as it did when the grant was issued. */
async function renewGrants(server: AuthorizationServer, person: Person) {
  const { subject, props } = person
  const attributes = readAttributes(person)
  const account = server.accounts.of(subject)
  const renewals: PropsRenewal[] = []
  const grants = await account.listGrants({ personalTokens: true, pending: true })
  for (const { grantId, client, resource, scopes, isPending } of grants) {
    if (isPending) {
      // Its hook runs when the code is redeemed, so its props cannot be renewed yet.
      await account.revoke(grantId)
      continue
    }
    const grant = { subject, client, resource, scopes, props }
    try {
      const hooked = await runHook(server, server.hooks.onIssue, grant, async () => {
        await account.revoke(grantId)
      })
      const stored = joinProps({ props: hooked.props ?? props, attributes })
      renewals.push({ grantId, props: stored ?? {} })
    } catch (error) {
      // The hook has refused this grant, which is revoked now.
      if (!(error instanceof OAuthError)) throw error
      server.evictGrant(grantId)
    }
  }
  await account.renewProps(renewals)
  for (const { grantId } of renewals) server.evictGrant(grantId)
}
