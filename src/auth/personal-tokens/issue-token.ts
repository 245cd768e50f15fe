/** Issues a personal access token to a person who has just signed in. */

import { randomToken } from '../../platform/random-token.ts'
import { personalTokenClient } from '../../ports/personal-token.ts'
import type { Person } from '../login/login.ts'
import { OAuthError } from '../oauth-error.ts'
import { newTokenPage } from '../pages/token-section.ts'
import { readAttributes } from '../people/attributes.ts'
import type { AuthorizationServer } from '../server/authorization-server.ts'
import { runHook } from '../server/hooks.ts'
import { offerTo } from '../server/offer.ts'
import { type RefusedAttempt, refuseSignIn } from '../server/refuse-sign-in.ts'
import { joinProps } from '../server/stored-props.ts'
import { personalTokenId, sealPersonalToken } from './personal-token.ts'
import type { WantedToken } from './token-form.ts'

const OTHER_SUBJECT = 'You have signed in as another person, so no token was created.'
const REFUSED = 'This server does not issue this token to you.'

const PROBLEMS = {
  'name-taken': 'You have a token with this name. Choose another name, or revoke that token.',
  'too-many': 'You have as many tokens as you may have. Revoke one that you do not need.',
} as const

/**
 * Returns the page that shows the token once, or why there is none.
 *
 * @param subject the person who has sent the form. The props are those of the sign-in that followed it.
 */
export async function issuePersonalToken(
  server: AuthorizationServer,
  { name, resource, scopes: wanted, ttlMs }: WantedToken,
  subject: string,
  person: Person,
): Promise<Response | RefusedAttempt> {
  const { accounts, hooks, login, serverName } = server
  if (person.subject !== subject) return refuseSignIn(server, 'other-subject', OTHER_SUBJECT, 403)
  const offer = await offerTo(server, person, wanted)
  if ('problem' in offer) return { ...offer, status: 403 }
  const { scopes } = offer
  const key = randomToken()
  const client = { id: personalTokenClient(await personalTokenId({ key })), name }
  const grant = { subject, client, resource, scopes, props: person.props }
  const hooked = await runHook(server, hooks.onIssue, grant, async () => {}).catch(refusalOnly)
  if (hooked === undefined) return { problem: REFUSED, status: 403 }
  const token = { key, resource, scopes, expiresAt: Date.now() + ttlMs }
  const created = await accounts.of(subject).createPersonalToken({
    ...token,
    name,
    props: joinProps({
      props: hooked.props ?? person.props,
      attributes: readAttributes(person),
    }),
    renewable: login.kind === 'api-key',
  })
  if ('refused' in created) {
    // The account may run a newer version, with reasons that this one does not know.
    return { problem: PROBLEMS[created.refused] ?? 'The token was not created.', status: 409 }
  }
  return newTokenPage({
    serverName,
    name,
    token: await sealPersonalToken(server, { ...token, subject }),
    expiresAt: token.expiresAt,
  })
}

/** The hook has refused, which is reported. Any other error is a fault. */
function refusalOnly(error: unknown): undefined {
  if (!(error instanceof OAuthError)) throw error
}
