/** A service in memory at which people have accounts: it signs them in, rotates tokens, refuses, and goes away. */
import type { OAuthOptions } from '../../../src/features/connections/index.ts'
import { oauth } from '../../../src/features/connections/index.ts'
import { interceptOutbound } from '../server/support/outbound.ts'

export const SERVICE = 'https://service.example.net'

export const ENDPOINTS = {
  authorization: `${SERVICE}/authorize`,
  token: `${SERVICE}/token`,
  userinfo: `${SERVICE}/userinfo`,
  revocation: `${SERVICE}/revoke`,
}

interface Issued {
  readonly account: string
  readonly scope: string
  isEnded: boolean
}

export class AccountService {
  /** Who signs in next. */
  account = 'ada'
  /** Added to token answers; undefined removes a member. */
  tokens: Readonly<Record<string, unknown>> = {}
  /** Replaces the answer of a path. */
  readonly answers = new Map<string, () => Response | Promise<Response>>()
  /** The forms that the token endpoint received. */
  readonly forms: Readonly<Record<string, string>>[] = []
  /** The tokens that `/revoke` received. */
  readonly revoked: string[] = []
  /** `method path token` of each request at the API. */
  readonly requests: string[] = []
  readonly #issued = new Map<string, Issued>()
  readonly #codes = new Map<string, { account: string; scope: string; challenge: string }>()

  static start(): AccountService {
    const service = new AccountService()
    interceptOutbound((url, init) => service.respond(url, init))
    return service
  }

  connection(options: Partial<OAuthOptions> = {}) {
    return oauth({
      name: 'Example',
      origins: [SERVICE],
      endpoints: ENDPOINTS,
      clientId: 'client-1',
      clientSecret: 'service-secret',
      scopes: ['read'],
      ...options,
    })
  }

  /** What the service's own pages do: the path of the callback, with a code that is exchanged once. */
  visit(location: string | null, changes: Readonly<Record<string, string>> = {}): string {
    const { searchParams: params } = new URL(location ?? '')
    const get = (name: string) => params.get(name) ?? ''
    const code = `code-${this.#codes.size + 1}-${this.account}`
    const { account } = this
    this.#codes.set(code, { account, scope: get('scope'), challenge: get('code_challenge') })
    const { pathname } = new URL(get('redirect_uri'))
    return `${pathname}?${new URLSearchParams({ code, state: get('state'), ...changes })}`
  }

  /** Ends the tokens of an account before their time. */
  end(account: string): void {
    for (const issued of this.#issued.values())
      if (issued.account === account) issued.isEnded = true
  }

  async respond(url: string, { method = 'GET', headers, body }: RequestInit): Promise<Response> {
    const { origin, pathname } = new URL(url)
    if (origin !== SERVICE) throw new TypeError(`No such host: ${origin}`)
    const answer = this.answers.get(pathname)
    if (answer !== undefined) return answer()
    const form = new URLSearchParams(String(body ?? ''))
    if (pathname === '/token') {
      this.forms.push(Object.fromEntries(form))
      return this.#exchange(form)
    }
    if (pathname === '/revoke') {
      this.revoked.push(form.get('token') ?? '')
      return new Response(null)
    }
    const token = new Headers(headers).get('authorization')?.slice('Bearer '.length) ?? ''
    const issued = this.#issued.get(token)
    if (issued === undefined || issued.isEnded) return new Response('no', { status: 401 })
    if (pathname === '/userinfo')
      return Response.json({ sub: issued.account, name: issued.account })
    this.requests.push(`${method} ${pathname} ${token}`)
    return Response.json({ account: issued.account })
  }

  async #exchange(form: URLSearchParams): Promise<Response> {
    const count = this.forms.length
    const refused = () => Response.json({ error: 'invalid_grant' }, { status: 400 })
    let granted: { readonly account: string; readonly scope: string } | undefined
    if (form.get('grant_type') === 'refresh_token') {
      const known = this.#issued.get(form.get('refresh_token') ?? '')
      granted = known?.isEnded === false ? known : undefined
    } else {
      const code = form.get('code') ?? ''
      granted = this.#codes.get(code)
      this.#codes.delete(code)
    }
    if (granted === undefined) return refused()
    const { account, scope } = granted
    const access = `access-${count}-${account}`
    const refresh = `refresh-${count}-${account}`
    for (const token of [access, refresh])
      this.#issued.set(token, { account, scope, isEnded: false })
    const issued = { access_token: access, refresh_token: refresh, token_type: 'Bearer' }
    return Response.json({ ...issued, expires_in: 3600, scope, ...this.tokens })
  }
}
