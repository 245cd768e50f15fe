/** An honest client: it registers, asks for consent, redeems codes and refreshes tokens. */
import { Browser, encodeForm, type Fields, type Page } from './browser.ts'
import { type Deployment, ORIGIN, PASSPHRASE, RESOURCE } from './deployment.ts'

export const REDIRECT_URI = 'https://client.example/callback'

/** RFC 7636, appendix B. */
export const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
export const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

export type ClientHeaders = Readonly<Record<string, string>>

export interface Tokens {
  readonly access: string
  readonly refresh: string
  readonly scope: string
}

export class AuthClient {
  readonly server: Deployment
  readonly id: string
  readonly secret: string | undefined

  constructor(server: Deployment, id: string, secret?: string) {
    this.server = server
    this.id = id
    this.secret = secret
  }

  /** Registers a public client, changed by `metadata`. */
  static async register(server: Deployment, metadata: object = {}): Promise<AuthClient> {
    const response = await register(server, metadata)
    const { client_id, client_secret } = await response.json<Record<string, string | undefined>>()
    if (client_id === undefined) throw new Error(`Not registered: status ${response.status}`)
    return new AuthClient(server, client_id, client_secret)
  }

  /** The same client at another app. */
  at(server: Deployment): AuthClient {
    return new AuthClient(server, this.id, this.secret)
  }

  /** The path of an authorization request; a parameter that is undefined is left out. */
  authorizePath(changes: Fields = {}): string {
    return `/authorize?${encodeForm({
      response_type: 'code',
      client_id: this.id,
      redirect_uri: REDIRECT_URI,
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
      state: 'the-state',
      ...changes,
    })}`
  }

  authorize(browser = new Browser(this.server), changes: Fields = {}): Promise<Page> {
    return browser.get(this.authorizePath(changes))
  }

  /** A code for a person who signs in with a passphrase. */
  async code(changes: Fields = {}, passphrase: string = PASSPHRASE): Promise<string> {
    const browser = new Browser(this.server)
    const page = await this.authorize(browser, changes)
    return codeOf(await browser.decide(page, 'approve', { passphrase }))
  }

  /** Authenticates in the form, and posts to the token endpoint. */
  token(fields: Fields, headers: ClientHeaders = {}): Promise<Response> {
    return this.post('/token', fields, headers)
  }

  post(path: string, fields: Fields, headers: ClientHeaders = {}): Promise<Response> {
    const credentials = { client_id: this.id, client_secret: this.secret }
    return postForm(this.server, path, { ...credentials, ...fields }, headers)
  }

  redeem(code: string, changes: Fields = {}, headers: ClientHeaders = {}): Promise<Response> {
    return this.token(
      {
        grant_type: 'authorization_code',
        code,
        code_verifier: VERIFIER,
        redirect_uri: REDIRECT_URI,
        ...changes,
      },
      headers,
    )
  }

  refresh(token: string, changes: Fields = {}, headers: ClientHeaders = {}): Promise<Response> {
    return this.token({ grant_type: 'refresh_token', refresh_token: token, ...changes }, headers)
  }

  async tokens(changes: Fields = {}, passphrase: string = PASSPHRASE): Promise<Tokens> {
    return tokensOf(await this.redeem(await this.code(changes, passphrase)))
  }
}

export function register(server: Deployment, metadata: object = {}): Promise<Response> {
  return postJson(server, '/register', {
    client_name: 'A client',
    redirect_uris: [REDIRECT_URI],
    token_endpoint_auth_method: 'none',
    ...metadata,
  })
}

export function postJson(server: Deployment, path: string, body: unknown): Promise<Response> {
  return server.fetch(`${ORIGIN}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

export function postForm(
  server: Deployment,
  path: string,
  fields: Fields,
  headers: ClientHeaders = {},
): Promise<Response> {
  return server.fetch(`${ORIGIN}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: encodeForm(fields),
  })
}

/** The status with which the MCP endpoint answers a ping that presents a token. */
export async function statusWith(
  server: Deployment,
  token: string,
  url: string = RESOURCE,
): Promise<number> {
  const { status } = await server.fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  })
  return status
}

export function codeOf({ status, location }: Pick<Page, 'status' | 'location'>): string {
  const code = location === null ? null : new URL(location, ORIGIN).searchParams.get('code')
  if (code === null) throw new Error(`No code: status ${status}, location ${location}`)
  return code
}

export async function tokensOf(response: Response): Promise<Tokens> {
  const body = await response.json<Record<string, string>>()
  const { access_token: access, refresh_token: refresh = '', scope = '' } = body
  if (access === undefined) throw new Error(`No tokens: ${response.status} ${body.error}`)
  return { access, refresh, scope }
}
