/**
 * A client that connects as the specification says and checks every answer, as the strictest real clients
 * do: it stops without a word at the first one that is wrong.
 */
import { PASSPHRASE, type RecordedServer } from './recorded-server.ts'

/** RFC 7636, appendix B. */
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

export const STATE = 'state-canary-81b2'

export interface ClientOptions {
  /** What the person has pasted. Default: the URL of the server. */
  readonly pasted?: string
  readonly agent?: string
  readonly name?: string
  readonly redirectUri?: string
  /** The headers that the network and the proxies add. */
  readonly headers?: Readonly<Record<string, string>>
  /** Headers of the browser of the person. */
  readonly browserHeaders?: Readonly<Record<string, string>>
  /** Takes the header `Authorization` away, as some proxies do. */
  readonly losesToken?: boolean
  /** An access token of an earlier sign-in. */
  readonly token?: string
  /** The client stops before this step. */
  readonly stopsBefore?: 'authorization' | 'token' | 'use'
}

/** What a client has learned. It stops where a member is absent. */
export interface Walk {
  readonly clientId?: string
  readonly token?: string
  /** The last word of the client on what it has refused. */
  readonly stopped?: string
}

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140'

export class StrictClient {
  readonly #server: RecordedServer
  readonly #options: ClientOptions

  constructor(server: RecordedServer, options: ClientOptions = {}) {
    this.#server = server
    this.#options = options
  }

  get #pasted(): string {
    return this.#options.pasted ?? this.#server.url
  }

  async connect(): Promise<Walk> {
    const { token, redirectUri = 'http://127.0.0.1:53682/callback', stopsBefore } = this.#options
    if (token !== undefined) return this.use({ token })
    const first = await this.call('initialize', INITIALIZE)
    if (first.status === 200) return this.use({})
    const header = first.headers.get('www-authenticate') ?? ''
    const metadataUrl = /resource_metadata="([^"]*)"/.exec(header)?.[1]
    if (first.status !== 401 || metadataUrl === undefined) return { stopped: 'challenge' }
    const resource = await this.#json(metadataUrl)
    if (resource?.resource !== this.#pasted) return { stopped: 'resource' }
    const issuer = (resource.authorization_servers as string[] | undefined)?.[0]
    if (issuer === undefined) return { stopped: 'authorization_servers' }
    const server = await this.#json(`${issuer}/.well-known/oauth-authorization-server`)
    if (!isUsable(server, issuer)) return { stopped: 'server' }
    const registered = await this.#send(String(server?.registration_endpoint), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        client_name: this.#options.name ?? 'A strict client',
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'none',
      }),
    })
    const { client_id: clientId, redirect_uris: uris } = (await jsonOf(registered)) ?? {}
    if (typeof clientId !== 'string' || (uris as string[] | undefined)?.[0] !== redirectUri) {
      return { stopped: 'registration' }
    }
    if (stopsBefore === 'authorization') return { clientId }
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
      state: STATE,
      scope: 'read',
      resource: this.#pasted,
    })
    const code = await this.#consent(
      `${server?.authorization_endpoint}?${query}`,
      redirectUri,
      issuer,
    )
    if (code === undefined || stopsBefore === 'token') return { clientId, stopped: 'response' }
    const tokens = await this.#send(String(server?.token_endpoint), {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        code_verifier: VERIFIER,
        client_id: clientId,
        redirect_uri: redirectUri,
        resource: this.#pasted,
      }).toString(),
    })
    const { access_token: access, expires_in: expires } = (await jsonOf(tokens)) ?? {}
    const isValid = typeof access === 'string' && !/[^\w.~+/-]/.test(access)
    if (tokens.status !== 200 || !isValid) return { clientId, stopped: 'token' }
    if (expires !== undefined && !(Number(expires) > 0)) return { clientId, stopped: 'expiry' }
    if (stopsBefore === 'use') return { clientId, token: access }
    return this.use({ clientId, token: access })
  }

  /** The first calls. */
  async use(walk: Walk): Promise<Walk> {
    const opened = await this.call('initialize', INITIALIZE, walk.token)
    if (opened.status !== 200) return { ...walk, stopped: 'initialize' }
    await this.call('notifications/initialized', undefined, walk.token)
    const listed = await this.call('tools/list', {}, walk.token)
    if (listed.status !== 200) return { ...walk, stopped: 'list' }
    const params = { name: 'echo', arguments: { text: 'argument-canary-3c55' } }
    const called = await this.call('tools/call', params, walk.token)
    return called.status === 200 ? walk : { ...walk, stopped: 'call' }
  }

  call(method: string, params: object | undefined, token?: string): Promise<Response> {
    const isNotification = method.startsWith('notifications/')
    const sendsToken = token !== undefined && !this.#options.losesToken
    return this.#send(this.#pasted, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(sendsToken && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...(!isNotification && { id: 1 }), method, params }),
    })
  }

  async #consent(url: string, redirectUri: string, issuer: string): Promise<string | undefined> {
    const browse = { 'user-agent': BROWSER, ...this.#options.browserHeaders }
    const page = await this.#server.fetch(url, { headers: browse })
    const html = await page.text()
    if (page.status !== 200) return undefined
    const field = (name: string) =>
      new RegExp(`name="${name}"[^>]*value="([^"]*)"`).exec(html)?.[1] ?? ''
    const cookie = page.headers
      .getSetCookie()
      .map((text) => text.split(';')[0])
      .join('; ')
    const decided = await this.#server.fetch(`${this.#server.origin}/authorize/decision`, {
      method: 'POST',
      headers: {
        ...browse,
        'content-type': 'application/x-www-form-urlencoded',
        origin: this.#server.origin,
        'sec-fetch-site': 'same-origin',
        cookie,
      },
      body: new URLSearchParams({
        transaction: field('transaction'),
        csrf: field('csrf'),
        decision: 'approve',
        confirmed: 'yes',
        passphrase: PASSPHRASE,
      }).toString(),
    })
    const location = decided.headers.get('location') ?? ''
    if (!location.startsWith(redirectUri)) return undefined
    const answer = new URL(location).searchParams
    if (answer.get('state') !== STATE || answer.get('iss') !== issuer) return undefined
    return answer.get('code') ?? undefined
  }

  async #json(url: string): Promise<Record<string, unknown> | undefined> {
    const response = await this.#send(url)
    return response.status === 200 ? jsonOf(response) : undefined
  }

  #send(url: string, init: RequestInit = {}): Promise<Response> {
    const body = typeof init.body === 'string' ? init.body : undefined
    const headers = {
      'user-agent': this.#options.agent ?? 'strict-client/1.0',
      ...this.#options.headers,
      ...(init.headers as Record<string, string> | undefined),
      ...(body !== undefined && { 'content-length': String(body.length) }),
    }
    return this.#server.fetch(url, { ...init, headers })
  }
}

const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'strict-client', version: '1.0.0' },
}

function isUsable(server: Record<string, unknown> | undefined, issuer: string): boolean {
  const {
    issuer: own,
    code_challenge_methods_supported: pkce,
    response_types_supported: types,
    grant_types_supported: grants,
    token_endpoint: token,
    authorization_endpoint: authorization,
    registration_endpoint: registration,
  } = server ?? {}
  const has = (list: unknown, value: string) => Array.isArray(list) && list.includes(value)
  return (
    own === issuer &&
    has(pkce, 'S256') &&
    has(types, 'code') &&
    has(grants, 'authorization_code') &&
    [token, authorization, registration].every((url) => URL.canParse(String(url)))
  )
}

async function jsonOf(response: Response): Promise<Record<string, unknown> | undefined> {
  try {
    return (await response.json()) as Record<string, unknown>
  } catch {
    // A client that gets no JSON stops.
    return undefined
  }
}
