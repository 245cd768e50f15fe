/** A service over HTTP at which people have accounts. It rotates refresh tokens, and accepts an old one for a while. */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Issued {
  readonly account: string
  /** When the token was replaced, in epoch milliseconds. */
  replacedAt?: number
}

export class HttpService {
  /** Who signs in next. */
  account = 'ada'
  /** How long a replaced refresh token is accepted. */
  graceMs = 30_000
  /** The lifetime of an access token. */
  expiresIn = 3600
  /** How long an answer of the token endpoint takes. */
  delayMs = 0
  /** `grant_type` of each request of the token endpoint. */
  readonly grants: string[] = []
  readonly #server: Server
  readonly #access = new Map<string, Issued>()
  readonly #refresh = new Map<string, Issued>()
  readonly #codes = new Map<string, string>()
  #count = 0

  private constructor() {
    this.#server = createServer((request, response) => {
      void this.#respond(request).then(({ status, body }) => {
        response.writeHead(status, { 'content-type': 'application/json' })
        response.end(JSON.stringify(body))
      })
    })
  }

  static async start(): Promise<HttpService> {
    const service = new HttpService()
    await new Promise<void>((resolve) => service.#server.listen(0, '127.0.0.1', resolve))
    return service
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** The callback to which the pages of the service send the browser. */
  visit(location: URL | undefined): URL {
    const { searchParams } = location ?? new URL(this.url)
    const code = `code-${++this.#count}`
    this.#codes.set(code, this.account)
    const callback = new URL(searchParams.get('redirect_uri') ?? '')
    callback.search = String(
      new URLSearchParams({ code, state: searchParams.get('state') ?? '', iss: this.url }),
    )
    return callback
  }

  /** Access tokens end, so that the next use renews them. */
  endAccess(): void {
    this.#access.clear()
  }

  async #respond(
    request: IncomingMessage,
  ): Promise<{ readonly status: number; readonly body: object }> {
    const { pathname } = new URL(request.url ?? '/', this.url)
    if (pathname === '/.well-known/oauth-authorization-server') {
      return { status: 200, body: this.#metadata() }
    }
    if (pathname === '/token') return this.#exchange(new URLSearchParams(await readBody(request)))
    if (pathname === '/revoke') return { status: 200, body: {} }
    const token = request.headers.authorization?.slice('Bearer '.length) ?? ''
    const issued = this.#access.get(token)
    if (issued === undefined) return { status: 401, body: {} }
    const { account } = issued
    return { status: 200, body: { sub: account, name: account, path: pathname } }
  }

  #metadata(): object {
    return {
      issuer: this.url,
      authorization_endpoint: `${this.url}/authorize`,
      token_endpoint: `${this.url}/token`,
      userinfo_endpoint: `${this.url}/userinfo`,
      revocation_endpoint: `${this.url}/revoke`,
      authorization_response_iss_parameter_supported: true,
    }
  }

  async #exchange(form: URLSearchParams) {
    const grant = form.get('grant_type') ?? ''
    this.grants.push(grant)
    const account = grant === 'refresh_token' ? this.#rotate(form) : this.#redeem(form)
    if (account === undefined) return { status: 400, body: { error: 'invalid_grant' } }
    const access_token = `access-${++this.#count}-${account}`
    const refresh_token = `refresh-${this.#count}-${account}`
    this.#access.set(access_token, { account })
    this.#refresh.set(refresh_token, { account })
    await new Promise((resolve) => setTimeout(resolve, this.delayMs))
    const body = { access_token, refresh_token, token_type: 'Bearer', expires_in: this.expiresIn }
    return { status: 200, body }
  }

  #redeem(form: URLSearchParams): string | undefined {
    const code = form.get('code') ?? ''
    const account = this.#codes.get(code)
    this.#codes.delete(code)
    return account
  }

  #rotate(form: URLSearchParams): string | undefined {
    const issued = this.#refresh.get(form.get('refresh_token') ?? '')
    if (issued === undefined) return undefined
    const { replacedAt } = issued
    if (replacedAt !== undefined && Date.now() - replacedAt > this.graceMs) return undefined
    issued.replacedAt ??= Date.now()
    return issued.account
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}
