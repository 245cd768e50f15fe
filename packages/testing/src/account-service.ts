/**
 * A service with OAuth 2.0 for tests, at which people have accounts: it signs them in, renews tokens, and has an API. It
 * fails as a test instructs it. `account-tokens.ts` issues and redeems its codes and tokens.
 */
import type { OAuthOptions } from '../../../src/features/connections/oauth.ts'
import { html } from '../../../src/pages/markup.ts'
import { type AccountOfToken, AccountTokens, type TokenRules } from './account-tokens.ts'
import type { TestAccount } from './connected-accounts.ts'
import { addHost, look, removeHost, ScriptedQueue } from './outbound.ts'

const PATHS = {
  authorization: '/authorize',
  token: '/token',
  userinfo: '/userinfo',
  revocation: '/revoke',
} as const

export type ServiceEndpoint = 'authorization' | 'token' | 'userinfo' | 'revocation'

/** An endpoint, or any other address of the service. */
export type ServicePart = ServiceEndpoint | 'api'

/** What the service does with a request. */
export type ServiceAnswer =
  | 'accept'
  /** The error of its form: `access_denied`, `invalid_grant`, 401. */
  | 'refuse'
  /** Nothing, until the sender gives up or the service is closed. */
  | 'hang'
  /** Fails as a host does that cannot be reached. */
  | 'unreachable'
  | { readonly status: number; readonly body?: string }
  /** Accepts the request after so many milliseconds. */
  | { readonly afterMs: number }
  /** Accepts the request with these members in its JSON, or with these parameters of the callback. Undefined leaves one out. */
  | { readonly members: Readonly<Record<string, unknown>> }

export interface ServiceRequest {
  readonly part: ServicePart
  readonly method: string
  readonly url: string
  /** The fields of its form or of its query. */
  readonly fields: Readonly<Record<string, string>>
  /** That of the `Authorization` header, after `Bearer`. */
  readonly token: string | undefined
}

export interface AccountServiceOptions extends TokenRules {
  /** Where it is: its issuer, and the address of its API. Default: an address of its own below `https://service.example`. */
  readonly url?: string
  /** Default: `/authorize`, `/token`, `/userinfo` and `/revoke` below the address. */
  readonly endpoints?: Partial<Readonly<Record<ServiceEndpoint, string>>>
  /** Who has an account. Default: `ada`. The first one signs in. */
  readonly accounts?: readonly (string | TestAccount)[]
  /** Answers a request with a valid token at any other address. Default: the account as JSON. */
  readonly api?: (request: Request, account: AccountOfToken) => Response | Promise<Response>
}

/**
 * Creates a service. A server in the same process reaches it after `listen()`, which answers requests of the global `fetch`.
 * Behind an HTTP server, pass each request to `fetch`: then a person chooses the account at its page.
 */
export function createAccountService(options: AccountServiceOptions = {}): AccountService {
  return new AccountService(options)
}

export class AccountService {
  readonly url: string
  /** Who signs in next: the id or the label of an account. */
  account: string
  readonly #options: AccountServiceOptions
  readonly #accounts: readonly AccountOfToken[]
  readonly #endpoints: Readonly<Record<ServiceEndpoint, string>>
  readonly #tokens: AccountTokens
  readonly #answers = new Map<ServicePart, ScriptedQueue<ServiceAnswer>>()
  readonly #requests: ServiceRequest[] = []
  #isClosed = false

  /** @internal */
  constructor(options: AccountServiceOptions) {
    const { accounts = ['ada'], endpoints } = options
    this.#options = options
    this.url = (options.url ?? `https://service.example/${crypto.randomUUID()}`).replace(/\/$/, '')
    this.#accounts = accounts.map((account) => {
      const { label, id = label } = typeof account === 'string' ? { label: account } : account
      return { id, label }
    })
    this.account = this.#accounts[0]?.id ?? ''
    const own = Object.entries(PATHS).map(([name, path]) => [name, `${this.url}${path}`])
    this.#endpoints = { ...(Object.fromEntries(own) as typeof PATHS), ...endpoints }
    this.#tokens = new AccountTokens(options)
  }

  /** Options for `oauth({ name, ...service.oauth })`. */
  get oauth() {
    return {
      origins: [new URL(this.url).origin],
      endpoints: this.#endpoints,
      clientId: 'test-client',
      clientSecret: 'test-secret',
    } satisfies Partial<OAuthOptions>
  }

  /** Every request so far, refused ones included. */
  get requests(): readonly ServiceRequest[] {
    return [...this.#requests]
  }

  /** How the next requests at a part are answered, one each. The last answer is for all later ones. */
  answer(part: ServicePart, ...answers: readonly ServiceAnswer[]): void {
    this.#answers.set(part, new ScriptedQueue(...answers))
  }

  /** An account with a valid token, for the option `connections` of `connect`. */
  connected(account: string = this.account, scopes: readonly string[] = []): TestAccount {
    const { id, label } = this.#find(account)
    const { access_token: token } = this.#tokens.issue({ id, label }, scopes.join(' '))
    return { id, label, token, ...(scopes.length > 0 && { scopes }) }
  }

  /** Ends all tokens of an account before their time. */
  end(account: string = this.account): void {
    this.#tokens.end(this.#find(account).id)
  }

  /**
   * What a person does at its page: signs in with `account`. Returns the address to which the service sends the browser.
   * It is the option `provider` of `signIn`, too.
   */
  visit(url: URL | string): string {
    const fields = Object.fromEntries(new URL(url).searchParams)
    this.#note('authorization', 'GET', String(url), fields, undefined)
    const answer = this.#next('authorization')
    const isRefused = answer === 'refuse'
    const members = typeof answer === 'object' && 'members' in answer ? answer.members : {}
    return this.#callback(fields, isRefused ? undefined : this.#find(this.account), members)
  }

  /**
   * Answers a request of a server or a browser.
   *
   * @throws {TypeError} for `'unreachable'`, and for `'hang'` once the sender has given up
   */
  async fetch(request: Request): Promise<Response> {
    const { method, url } = request
    const part = this.#partOf(url)
    const [, token] = /^Bearer (.+)$/i.exec(request.headers.get('authorization') ?? '') ?? []
    const isForm = part === 'token' || part === 'revocation'
    const fields = isForm
      ? new URLSearchParams(new TextDecoder().decode(await request.arrayBuffer()))
      : new URL(url).searchParams
    const sent = this.#note(part, method, url, Object.fromEntries(fields), token)
    const answer = this.#next(part)
    if (answer === 'unreachable') throw new TypeError('The service cannot be reached')
    if (answer === 'hang') await this.#hang(request.signal)
    if (answer === 'refuse') return refusalOf(part)
    if (typeof answer !== 'object') return this.#serve(sent, request)
    if ('status' in answer) return new Response(answer.body ?? null, { status: answer.status })
    if ('afterMs' in answer) await new Promise((resolve) => setTimeout(resolve, answer.afterMs))
    const response = await this.#serve(sent, request)
    if (!('members' in answer) || !response.ok) return response
    return Response.json({ ...((await response.json()) as object), ...answer.members })
  }

  /** Answers requests of the global `fetch` to the service, until `close()`. All others go where they went. */
  listen(): this {
    this.#isClosed = false
    addHost(this)
    return this
  }

  /** Ends what `listen()` has begun, and every request that hangs. */
  close(): void {
    removeHost(this)
    this.#isClosed = true
  }

  [Symbol.dispose](): void {
    this.close()
  }

  /** @internal */
  answers(url: string): boolean {
    const { origin, pathname } = new URL(this.url)
    const metadata = `${origin}/.well-known/oauth-authorization-server${pathname.replace(/\/$/, '')}`
    const isBelow = url === this.url || url.startsWith(`${this.url}/`)
    return isBelow || url === metadata || this.#partOf(url) !== 'api'
  }

  async #serve({ part, fields, token }: ServiceRequest, request: Request): Promise<Response> {
    if (part === 'authorization') return this.#page(fields)
    if (part === 'token') return this.#tokens.exchange(fields)
    if (part === 'revocation') {
      this.#tokens.revoke(fields.token ?? '')
      return new Response(null)
    }
    if (new URL(request.url).pathname.includes('/.well-known/')) return this.#metadata()
    const account = this.#tokens.accountOf(token ?? '')
    if (account === undefined) return refusalOf(part)
    if (part === 'api' && this.#options.api) return this.#options.api(request, account)
    return Response.json({ sub: account.id, name: account.label })
  }

  /** The page at which a person chooses an account. */
  #page({ account, ...fields }: Readonly<Record<string, string>>): Response {
    if (account !== undefined) {
      const chosen = this.#accounts.find(({ id }) => id === account)
      return new Response(null, {
        status: 302,
        headers: { location: this.#callback(fields, chosen, {}) },
      })
    }
    const choices = [
      ...this.#accounts.map(({ id, label }) => ({ id, text: `Continue as ${label}` })),
      { id: '', text: 'Refuse' },
    ]
    const page = html`<!doctype html><html lang="en"><meta name="viewport" content="width=device-width">
<title>Sign in</title><h1>${new URL(this.url).host}</h1>
${choices.map(({ id, text }) => html`<p><a href="?${`${new URLSearchParams({ ...fields, account: id })}`}">${text}</a></p>`)}</html>`
    return new Response(page.toString(), {
      headers: { 'content-type': 'text/html; charset=utf-8' },
    })
  }

  /** @see https://www.rfc-editor.org/rfc/rfc8414#section-2 */
  #metadata(): Response {
    const { authorization, token, userinfo, revocation } = this.#endpoints
    return Response.json({
      issuer: this.url,
      authorization_endpoint: authorization,
      token_endpoint: token,
      userinfo_endpoint: userinfo,
      revocation_endpoint: revocation,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    })
  }

  #callback(
    fields: Readonly<Record<string, string>>,
    account: AccountOfToken | undefined,
    members: Readonly<Record<string, unknown>>,
  ): string {
    const url = new URL(fields.redirect_uri ?? '')
    const answer = account
      ? { code: this.#tokens.code(account, fields) }
      : { error: 'access_denied' }
    const parameters = { ...answer, state: fields.state, iss: this.url, ...members }
    for (const [name, value] of Object.entries(parameters)) {
      if (value !== undefined) url.searchParams.set(name, String(value))
    }
    return url.href
  }

  #find(account: string): AccountOfToken {
    const found = this.#accounts.find(({ id, label }) => id === account || label === account)
    if (found !== undefined) return found
    throw new TypeError(`The service has no account "${account}": name it in accounts`)
  }

  #partOf(url: string): ServicePart {
    const [address] = url.split(/[?#]/)
    const entries = Object.entries(this.#endpoints) as [ServiceEndpoint, string][]
    return entries.find(([, endpoint]) => endpoint === address)?.[0] ?? 'api'
  }

  #note(
    part: ServicePart,
    method: string,
    url: string,
    fields: Readonly<Record<string, string>>,
    token: string | undefined,
  ): ServiceRequest {
    const request = { part, method, url, fields, token }
    this.#requests.push(request)
    return request
  }

  #next = (part: ServicePart): ServiceAnswer => this.#answers.get(part)?.next() ?? 'accept'

  async #hang(signal: AbortSignal): Promise<never> {
    while (!signal.aborted && !this.#isClosed) await look()
    throw new TypeError('The service does not answer')
  }
}

function refusalOf(part: ServicePart): Response {
  return part === 'token'
    ? Response.json({ error: 'invalid_grant' }, { status: 400 })
    : Response.json({ error: 'invalid_token' }, { status: part === 'revocation' ? 400 : 401 })
}
