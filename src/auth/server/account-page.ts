/** `/account`: lists the connected apps of the signed-in person and disconnects them. Also sign-in and sign-out. */
import { principalDigests } from '../../protocol/principal.ts'
import { LOGIN_PARTS } from '../login/login.ts'
import { invalidRequest, OAuthError } from '../oauth-error.ts'
import { accountPage } from '../pages/account-page.ts'
import type { AccountView } from '../pages/views.ts'
import {
  type AuthorizationServer,
  ENDPOINT,
  type Handle,
  type PageServer,
  type SectionProblem,
} from './authorization-server.ts'
import { createFormToken, isSameOrigin, readBrowserForm } from './browser-form.ts'
import { describeProgram, programsOf } from './connected-programs.ts'
import { continueConsent, readConsentForm } from './consent-request.ts'
import { withCookies } from './cookies.ts'
import { withSignIn } from './decision.ts'
import { tryFormSignIn } from './form-sign-in.ts'
import { admit } from './offer.ts'
import { seeOther } from './redirect.ts'
import type { RefusedAttempt } from './refuse-sign-in.ts'
import { revokeGrant } from './revoke.ts'
import { showConsent } from './show-consent.ts'
import { askToSignIn, readReturn, redirectAfterSignIn } from './sign-in-page.ts'
import { type SignedIn, signedIn, signOut } from './signed-in.ts'
import { principalsAt, subscriptionsOf } from './subscriptions.ts'

/** `GET /account` */
export const handleAccount: Handle = async (server, request) => {
  const person = await signedIn(server, request)
  if (person === undefined) return askToSignIn(server, request)
  const to = readReturn(request)
  if (to !== 'account') return redirectAfterSignIn(to)
  return showAccount(server, request, person)
}

/** Problems of the last attempt with a form of the page. */
export interface AccountProblems {
  readonly key?: RefusedAttempt
  /** With the name of the section. */
  readonly section?: SectionProblem & { readonly name: string }
}

const NOTICES = {
  disconnected: 'The app was disconnected.',
  'connection-ended': 'The connection was ended. The app has others.',
  'subscriptions-ended': 'No more events are sent there.',
  'key-replaced': 'The key was replaced. Connected apps use the new one from now on.',
} as const

export async function showAccount(
  server: AuthorizationServer,
  request: Request,
  person: SignedIn,
  problems: AccountProblems = {},
): Promise<Response> {
  const { login, parts } = server
  const { csrf, cookie } = await createFormToken(request, server.limits)
  const grants = await server.accounts.of(person.subject).listGrants({ personalTokens: true })
  const apps = grants.filter(({ personalToken }) => personalToken === undefined)
  const { searchParams } = new URL(request.url)
  const notices = Object.assign({}, NOTICES, ...parts.accountSections.map(({ notices }) => notices))
  // A link of another site must not show one.
  const isOwn = isSameOrigin(request)
  const notice = Object.entries<string>(notices).find(([name]) => isOwn && searchParams.has(name))
  const sections = await Promise.all(
    parts.accountSections.map((section) => {
      const problem = problems.section?.name === section.name ? problems.section : undefined
      return section.show(server, request, { person, grants, csrf, problem })
    }),
  )
  const subscriptions = await subscriptionsOf(server, person.subject, grants)
  const nameOf = (clientId: string) =>
    grants.find(({ client }) => client.id === clientId)?.client.name ?? clientId
  const view: AccountView = {
    serverName: server.serverName,
    name: person.name ?? person.subject,
    apps: programsOf(apps).map((program) => describeProgram(server, program)),
    subscriptions: subscriptions.map(({ clientId = '', ...subscription }) => ({
      ...subscription,
      clientName: nameOf(clientId),
    })),
    csrf,
    notice: notice?.[1],
    apiKey:
      login.kind === 'api-key' ? { label: login.label, problem: problems.key?.problem } : undefined,
    sections: sections.map(({ body }) => body),
    formTargets: sections.flatMap(({ formTargets }) => formTargets),
  }
  const { status, retryAfterSeconds } = problems.key ?? problems.section ?? {}
  return withCookies(accountPage(view, { status, retryAfterSeconds }), cookie)
}

/**
 * `POST /account/disconnect`: ends all access of a client, or of every client of a program. The form can be sent again
 * after a failure.
 */
export const handleDisconnect: Handle = async (server, request) => {
  const read = await readAccountForm(server, request, 'client', 'program')
  if (read instanceof Response) return read
  const { subject } = read.person
  const account = server.accounts.of(subject)
  const programs = programsOf(await account.listGrants({ pending: true }))
  const program = programs.find(({ key, clients }) =>
    read.field === 'program' ? key === read.id : clients.has(read.id),
  )
  const ended = read.field === 'program' ? [...(program?.clients.keys() ?? [])] : [read.id]
  for (const clientId of ended) {
    // First, so that no further grant is made without the consent page.
    await account.deleteConsents(clientId)
    for (const section of server.parts.accountSections) {
      await section.disconnected?.(server, subject, clientId)
    }
    for (const { grantId } of program?.clients.get(clientId) ?? []) {
      await revokeGrant(server, account, subject, grantId)
    }
  }
  const isPart = program !== undefined && program.clients.size > ended.length
  return seeOther(`${ENDPOINT.account}?${isPart ? 'connection-ended' : 'disconnected'}`)
}

/** `POST /account/subscriptions`: ends one subscription, or `all`. */
export const handleEndSubscriptions: Handle = async (server, request) => {
  const read = await readAccountForm(server, request, 'subscription')
  if (read instanceof Response) return read
  const { subject } = read.person
  const grants = await server.accounts.of(subject).listGrants({ personalTokens: true })
  const principals = await principalDigests(principalsAt(server, subject, grants))
  const id = read.id === 'all' ? undefined : read.id
  await server.subscriptions?.end(principals, 'ended_by_person', { id })
  return seeOther(`${ENDPOINT.account}?subscriptions-ended`)
}

/** `POST /login`, from the sign-in page that `/account` shows when the browser is not signed in. */
export const handleLogin: Handle<PageServer> = async (server, request) => {
  const { form } = await readBrowserForm(request, server.issuer)
  const to = readReturn(request)
  const { login } = server
  if (login.kind === 'redirect') {
    const selectAccount = form.get('select-account') === 'yes'
    return login[LOGIN_PARTS].signIn(login, server, request, { kind: 'account', selectAccount, to })
  }
  const attempt = await tryFormSignIn(server, request, form)
  if ('problem' in attempt) return askToSignIn(server, request, attempt)
  const access = await admit(server, attempt.person)
  return 'problem' in access
    ? askToSignIn(server, request, { ...access, status: 403 })
    : withSignIn(server, attempt.person, redirectAfterSignIn(to))
}

/** `POST /logout` */
export const handleLogout: Handle<PageServer> = async (server, request) => {
  const { consent } = await readConsentForm(server, request)
  const cookie = await signOut(server, request)
  // A consent request means that the form was on the consent page, which is shown again.
  const context =
    consent && (await continueConsent(server, request, consent).catch(ignoreClientError))
  return withCookies(context ? await showConsent(context) : seeOther(ENDPOINT.account), cookie)
}

/** The person is signed out also when the metadata document of the client is invalid by now. */
function ignoreClientError(error: unknown): undefined {
  if (!(error instanceof OAuthError)) throw error
}

type AccountField = 'client' | 'program' | 'subscription' | 'token'

/**
 * Returns the signed-in person and the entry; the redirect to the page for a browser that is not signed in.
 *
 * @param fields those that may have the id of the entry; the first that the form has is read
 * @throws {OAuthError} what `readBrowserForm` throws, and `invalid_request` for a form without such a field
 */
export async function readAccountForm<Field extends AccountField>(
  server: AuthorizationServer,
  request: Request,
  ...fields: readonly Field[]
): Promise<{ readonly person: SignedIn; readonly field: Field; readonly id: string } | Response> {
  const { form } = await readBrowserForm(request, server.issuer)
  const person = await signedIn(server, request)
  if (person === undefined) return seeOther(ENDPOINT.account)
  for (const field of fields) {
    const id = form.get(field)
    if (id !== undefined) return { person, field, id }
  }
  throw invalidRequest(`The form has no field ${fields.join(' or ')}`)
}
