/** An OpenID provider in memory, at which a person signs in and to which the server sends its codes. */
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { type OidcOptions, oidc } from '../../../../src/auth/index.ts'
import { Browser } from './browser.ts'
import { type AuthClient, codeOf } from './client.ts'
import { interceptOutbound } from './outbound.ts'

const ISSUER = 'https://login.example.com'

export interface Visit {
  readonly state: string
  /** The path of the callback, with a code that the provider exchanges once. */
  readonly callback: string
}

export class OpenIdProvider {
  /** Added to the claims of the id token; undefined removes a claim. */
  claims: Readonly<Record<string, unknown>> = {}
  /** Added to the answers of the token endpoint; undefined removes a member. */
  tokens: Readonly<Record<string, unknown>> = {}
  /** Replaces the answer of a path. */
  readonly answers = new Map<string, () => Response>()
  /** The forms that the token endpoint received. */
  readonly forms: Readonly<Record<string, string>>[] = []
  readonly #key: CryptoKey
  readonly #jwk: object
  readonly #codes = new Map<string, { readonly nonce: string; readonly challenge: string }>()

  private constructor(key: CryptoKey, jwk: object) {
    this.#key = key
    this.#jwk = jwk
  }

  /** Answers outbound requests until the test is over. */
  static async start(): Promise<OpenIdProvider> {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
    const jwk = { ...(await exportJWK(publicKey)), kid: 'key-1', alg: 'ES256', use: 'sig' }
    const provider = new OpenIdProvider(privateKey, jwk)
    interceptOutbound((url, { body }) => provider.#respond(url, new URLSearchParams(String(body))))
    return provider
  }

  login(options: Partial<OidcOptions> = {}) {
    return oidc({
      issuer: ISSUER,
      clientId: 'client-1',
      clientSecret: 'provider-secret',
      name: 'Example',
      ...options,
    })
  }

  /** Signs the person in, as the provider's own pages do, and sends the browser back. */
  visit(location: string | null): Visit {
    const { origin, pathname, searchParams: params } = new URL(location ?? '')
    if (`${origin}${pathname}` !== `${ISSUER}/authorize`) throw new Error(`Sent to ${location}`)
    const get = (name: string) => params.get(name) ?? ''
    const code = `code-${this.#codes.size + 1}`
    this.#codes.set(code, { nonce: get('nonce'), challenge: get('code_challenge') })
    const state = get('state')
    const { pathname: callback } = new URL(get('redirect_uri'))
    return { state, callback: `${callback}?${new URLSearchParams({ code, state })}` }
  }

  /** A code of this server for a client, after consent here and a sign-in at the provider. */
  async code(client: AuthClient): Promise<string> {
    const browser = new Browser(client.server)
    const { location } = await browser.decide(await client.authorize(browser), 'approve')
    return codeOf(await browser.get(this.visit(location).callback))
  }

  async #respond(url: string, form: URLSearchParams): Promise<Response> {
    const path = url.slice(ISSUER.length)
    const answer = this.answers.get(path)
    if (answer !== undefined) return answer()
    switch (path) {
      case '/.well-known/openid-configuration':
        return Response.json({
          issuer: ISSUER,
          authorization_endpoint: `${ISSUER}/authorize`,
          token_endpoint: `${ISSUER}/token`,
          jwks_uri: `${ISSUER}/keys`,
        })
      case '/keys':
        return Response.json({ keys: [this.#jwk] })
      case '/token':
        this.forms.push(Object.fromEntries(form))
        return this.#exchange(form)
      default:
        return new Response(null, { status: 404 })
    }
  }

  async #exchange(form: URLSearchParams): Promise<Response> {
    const count = this.forms.length
    const issued = {
      access_token: `upstream-access-${count}`,
      refresh_token: `upstream-refresh-${count}`,
      token_type: 'Bearer',
      expires_in: 3600,
    }
    if (form.get('grant_type') === 'refresh_token') {
      return Response.json({ ...issued, ...this.tokens })
    }
    const code = form.get('code') ?? ''
    const begun = this.#codes.get(code)
    this.#codes.delete(code)
    if (begun?.challenge !== (await digest(form.get('code_verifier') ?? ''))) {
      return Response.json({ error: 'invalid_grant' }, { status: 400 })
    }
    const id_token = await this.idToken(begun.nonce)
    return Response.json({ ...issued, id_token, ...this.tokens })
  }

  /** An id token of a renewal, which has no nonce. */
  idToken(nonce?: string): Promise<string> {
    const now = Math.floor(Date.now() / 1000)
    const claims = { iss: ISSUER, aud: 'client-1', sub: 'ada', iat: now, exp: now + 300, nonce }
    return new SignJWT({ ...claims, name: 'Ada Lovelace', ...this.claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'key-1' })
      .sign(this.#key)
  }
}

async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return new Uint8Array(bytes).toBase64({ alphabet: 'base64url', omitPadding: true })
}
