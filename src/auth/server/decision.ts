/**
 * `POST /authorize/decision`: the answer to the consent page, together with the sign-in when the page
 * asked for one. Consent precedes an upstream sign-in, so that no client can start one unapproved.
 */
import { LOGIN_PARTS, type Person } from '../login/login.ts'
import { invalidRequest } from '../oauth-error.ts'
import { approveOrAskAgain, deny } from './approve.ts'
import type { Handle, PageServer } from './authorization-server.ts'
import { chosenScopes, leftOutBy } from './chosen-scopes.ts'
import { needsConfirmation } from './client-trust.ts'
import { type ConsentContext, continueConsent, readConsentForm } from './consent-request.ts'
import { withCookies } from './cookies.ts'
import { tryFormSignIn } from './form-sign-in.ts'
import { loginForm, showConsent } from './show-consent.ts'
import { deviceCookie, mayConsent, signIn } from './signed-in.ts'

export const handleDecision: Handle = async (server, request) => {
  const { form, consent: shown } = await readConsentForm(server, request)
  if (shown === undefined) {
    throw invalidRequest(
      'This page has expired or was shown in another browser. Please connect again from the app.',
    )
  }
  server.observe?.({ type: 'identified', clientId: shown.clientId })
  const decision = form.get('decision')
  if (decision === 'deny') return deny(server, shown)
  if (decision !== 'approve') throw invalidRequest('decision must be approve or deny')
  const consent = { ...shown, leftOut: leftOutBy(form, shown, server.scopes) }
  const context = await continueConsent(server, request, consent)
  const { shownTo } = consent
  const person = shownTo === undefined ? undefined : await mayConsent(server, request)
  const showAgain = (problem: string, status: number) =>
    showConsent(context, { person, problem, status })
  if (person?.subject !== shownTo) {
    const change =
      person === undefined ? 'Your sign-in has ended.' : 'Another account is signed in.'
    return showAgain(`${change} Please check the request again.`, 409)
  }
  const login = person === undefined ? loginForm(server, request) : undefined
  if (login instanceof Response) return login
  const asks = needsConfirmation(server, context.client, consent.resource, login)
  if (asks && form.get('confirmed') !== 'yes') {
    return showAgain('Please tick the box if you want to connect this app.', 400)
  }
  if (consent.leftOut.length > 0 && chosenScopes(consent).length === 0) {
    return showAgain('Please tick at least one permission, or deny the request.', 400)
  }
  if (person !== undefined) {
    return approveOrAskAgain(context, { ...person, props: undefined }, async (response) => {
      await server.parts.consentChoices?.accept(context, person, form)
      return response
    })
  }
  const { login: method } = server
  if (method.kind === 'redirect') {
    const purpose = { kind: 'consent', transaction: consent } as const
    return method[LOGIN_PARTS].signIn(method, server, request, purpose)
  }
  return signInAndApprove(context, form)
}

async function signInAndApprove(
  context: ConsentContext,
  form: ReadonlyMap<string, string>,
): Promise<Response> {
  const { server, request } = context
  const attempt = await tryFormSignIn(server, request, form)
  if ('problem' in attempt) return showConsent(context, attempt)
  const { person } = attempt
  return approveOrAskAgain(context, person, (response) => withSignIn(server, person, response))
}

/** Signs the browser in and remembers it as a device of the person. */
export async function withSignIn(
  server: PageServer,
  person: Person,
  response: Response,
): Promise<Response> {
  return withCookies(
    response,
    await signIn(server, person),
    await deviceCookie(server, person.subject),
  )
}
