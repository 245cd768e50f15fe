/**
 * `/connect`: the page at which a person connects an account. Opening it changes nothing. Every answer is a form that this
 * server showed to this browser, and the person who was asked must be signed in there.
 */
import { LOGIN_PARTS, type Person } from '../../../auth/login/login.ts'
import type { LoginError } from '../../../auth/login/login-error.ts'
import { tokensIn } from '../../../auth/login/upstream-tokens.ts'
import { invalidRequest } from '../../../auth/oauth-error.ts'
import { messagePage } from '../../../auth/pages/message-page.ts'
import type {
  Handle,
  PageServer,
  SectionPurpose,
} from '../../../auth/server/authorization-server.ts'
import { createFormToken, readBrowserForm } from '../../../auth/server/browser-form.ts'
import { withCookies } from '../../../auth/server/cookies.ts'
import { tryApiKey } from '../../../auth/server/form-sign-in.ts'
import { seeOther } from '../../../auth/server/redirect.ts'
import { askToSignIn } from '../../../auth/server/sign-in-page.ts'
import { type SignedIn, signedIn } from '../../../auth/server/signed-in.ts'
import type { Services } from '../../../ports/services.ts'
import { personDigest } from '../../../protocol/principal.ts'
import { deliverWebhook } from '../../asks/serve-webhook.ts'
import { cleanLabel } from '../label.ts'
import type { Service } from '../service.ts'
import {
  CONNECTIONS,
  type Connected,
  type PersonConnections,
  type Visit,
  type VisitEnd,
} from '../store.ts'
import { CONNECT_PATH, openVisit } from '../visit-seal.ts'
import { connectPage } from './connect-page.ts'

export const CALLBACK_PATH = `${CONNECT_PATH}/callback`

/** The name of the section of the account page, to which a sign-in at a service returns. */
export const SECTION = 'connections'

export interface VisitsOptions {
  /** Known when the app is complete. */
  readonly audience: () => string
  readonly services: ReadonlyMap<string, Service>
  readonly maxAccounts: number
  readonly servicesOf: (env: unknown) => Services
}

/** A page that is open, or was finished, for the person who was asked. */
interface OpenVisit {
  readonly at: string
  readonly person: SignedIn
  readonly store: PersonConnections
  readonly visit: Visit
  readonly service: Service
}

const refusal = (status: number, message: string) =>
  messagePage({ status, title: 'Nothing was connected', message })

const BACK = 'You can close this page and go back to your assistant.'
const UNKNOWN =
  'This address is not complete, or is of another server. Ask your assistant again, and it gives you a new one.'
const FOREIGN =
  'This page is for another person: the one whose assistant asked. You are signed in here with another account.'
const EXPIRED =
  'The time for this page has ended. Ask your assistant again, and it gives you a new one.'
const USED = 'This page was finished before. Go back to your assistant.'
const LOST = 'This server does not use this service any more.'

const donePage = ({ service, visit: { about } }: OpenVisit) =>
  messagePage({
    status: 200,
    title: `${service.title} is connected`,
    message: `${about.as === undefined ? '' : `Your account there is ${about.as}. `}${BACK}`,
  })

export class Visits {
  readonly #options: VisitsOptions

  constructor(options: VisitsOptions) {
    this.#options = options
  }

  /** `GET /connect?at=…` */
  readonly show: Handle<PageServer> = async (server, request) => {
    const open = await this.#open(server, request, true)
    if (open instanceof Response) return open
    return open.visit.state === 'done' ? donePage(open) : this.#page(server, request, open)
  }

  /** `POST /connect?at=…` */
  readonly answer: Handle<PageServer> = async (server, request) => {
    const { form } = await readBrowserForm(request, server.issuer)
    const open = await this.#open(server, request)
    if (open instanceof Response) return open
    const { store, visit, service, person, at } = open
    const { login } = service
    const account = form.get('account')
    if (account !== undefined) {
      if (await store.admit(visit.id, account)) return this.#end(server, open, 'done')
      return this.#page(server, request, open, {
        problem: 'This account cannot be used.',
        status: 400,
      })
    }
    if (form.get('do') === 'decline') return this.#end(server, open, 'declined')
    if (form.get('do') !== 'connect') throw invalidRequest('The form has no answer')
    if (login.kind === 'redirect') {
      const known = await store.list()
      const purpose: SectionPurpose = {
        ...{ kind: 'section', section: SECTION, subject: person.subject, wanted: at },
        elsewhere: {
          callback: `${CALLBACK_PATH}/${service.name}`,
          scopes: visit.scopes,
          selectAccount: known.some(({ connection }) => connection === service.name),
        },
      }
      return login[LOGIN_PARTS].signIn(login, server, request, purpose)
    }
    const attempt = await tryApiKey(server, request, login, form.get('api_key'))
    if ('problem' in attempt) return this.#page(server, request, open, attempt)
    return this.#connect(server, open, attempt.person, [])
  }

  /** The person has returned from the service. */
  async follow(
    server: PageServer,
    { subject, wanted, elsewhere }: SectionPurpose,
    account: Person,
  ): Promise<Response> {
    const open = await this.#find(server, String(wanted), { subject, name: undefined })
    if (open instanceof Response) return open
    const granted = tokensIn(account.props)?.scope
    // A service that names no scopes has granted what was asked for (RFC 6749 §5.1).
    const scopes = granted === undefined ? elsewhere?.scopes : granted.split(/[ ,]+/)
    return this.#connect(server, open, account, scopes ?? [])
  }

  /** The service has refused, or does not answer. Only the first ends the page. */
  async fail(
    server: PageServer,
    { subject, wanted }: SectionPurpose,
    error: LoginError,
  ): Promise<Response> {
    const open = await this.#find(server, String(wanted), { subject, name: undefined })
    if (open instanceof Response) return open
    if (error.reason === 'unavailable') return refusal(502, error.message)
    await this.#end(server, open, 'failed')
    return refusal(403, error.message)
  }

  async #connect(
    server: PageServer,
    open: OpenVisit,
    { subject: id, name, props = {} }: Person,
    scopes: readonly string[],
  ): Promise<Response> {
    const { store, visit, service } = open
    const account = { id, label: name ?? id, props, scopes }
    const connected: Connected = await store.connect(visit.id, account)
    switch (connected) {
      case 'connected':
        return this.#end(server, open, 'done', cleanLabel(account.label))
      case 'fewer-scopes':
        await this.#end(server, open, 'failed')
        return refusal(
          403,
          `${service.title} has not granted everything that was asked for. Ask your assistant again, and allow it all.`,
        )
      case 'too-many':
        return refusal(
          403,
          `You have as many ${service.title} accounts here as can be. End one on the account page of this server first.`,
        )
      default:
        return refusal(410, USED)
    }
  }

  /**
   * Ends the page, and goes on with the calls that wait for it. What was connected is shown at the address of the page, so
   * that no code of the service stays in that of the browser.
   *
   * @param as the label of the account that was connected
   */
  async #end(
    server: PageServer,
    { at, store, visit }: OpenVisit,
    end: VisitEnd,
    as?: string,
  ): Promise<Response> {
    const services = this.#options.servicesOf(server.env)
    const webhooks = await store.settle(visit.id, end, as)
    const deliveries = webhooks.map((webhook) =>
      deliverWebhook(services, this.#options.audience(), webhook, end),
    )
    await Promise.all(deliveries)
    await services.changes()?.publish({ kind: 'elicitation_complete', elicitationId: visit.id })
    return end === 'done' ? seeOther(`${CONNECT_PATH}?at=${at}`) : refusal(200, BACK)
  }

  async #page(
    server: PageServer,
    request: Request,
    { at, person, store, visit, service }: OpenVisit,
    refused: { readonly problem?: string; readonly status?: number | undefined } = {},
  ): Promise<Response> {
    const { csrf, cookie } = await createFormToken(request, server.limits)
    const own = (await store.list()).filter(
      ({ connection, hasEnded }) => connection === visit.connection && !hasEnded,
    )
    const client = await server.clients.find(visit.client)
    const page = connectPage({
      ...refused,
      ...{ service, csrf, serverName: server.serverName },
      // The name by which the person knows the app is that of its grant.
      visit: { ...visit, about: { ...visit.about, app: client?.name ?? visit.about.app } },
      personName: person.name ?? person.subject,
      accounts: own.filter(({ scopes }) => visit.scopes.every((scope) => scopes.includes(scope))),
      isFull: own.length >= this.#options.maxAccounts,
      action: `${CONNECT_PATH}?at=${at}`,
    })
    return withCookies(page, cookie)
  }

  async #open(
    server: PageServer,
    request: Request,
    showsDone = false,
  ): Promise<OpenVisit | Response> {
    const at = new URL(request.url).searchParams.get('at') ?? ''
    const person = await signedIn(server, request)
    if (person !== undefined) return this.#find(server, at, person, showsDone)
    const reference = await openVisit(server.sealer, this.#options.audience(), at)
    return reference ? askToSignIn(server, request, {}, `connect:${at}`) : refusal(404, UNKNOWN)
  }

  async #find(
    { sealer, issuer, env }: PageServer,
    at: string,
    person: SignedIn,
    showsDone = false,
  ): Promise<OpenVisit | Response> {
    const { audience, servicesOf, services } = this.#options
    const reference = await openVisit(sealer, audience(), at)
    if (reference === undefined) return refusal(404, UNKNOWN)
    const { subject } = person
    if (reference.person !== (await personDigest({ issuer, subject }))) return refusal(403, FOREIGN)
    const store = servicesOf(env).of(CONNECTIONS)?.of({ issuer, subject })
    const visit = await store?.visit(reference.id)
    if (store === undefined || visit === undefined) return refusal(410, EXPIRED)
    if (visit.state !== 'open' && !(showsDone && visit.state === 'done')) return refusal(410, USED)
    const service = services.get(visit.connection)
    return service ? { at, person, store, visit, service } : refusal(410, LOST)
  }
}
