/**
 * Obtains an access token without a browser, as a client and its person do: discovery, registration, the
 * consent page, and the authorization code. Works with a login by button, by passphrase, and at a provider
 * that the test plays.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 */
import { encodeBase64Url } from '../platform/base64.ts'
import type { Fetch } from './post-channel.ts'

export interface SignInOptions {
  /** For a login by passphrase. Default: `EDGEWAY_PASSPHRASE` of the environment, if there is one. */
  readonly passphrase?: string
  /** The scopes to request. Default: those that the server's challenge asks for. */
  readonly scopes?: readonly string[]
  /**
   * Plays the identity provider of a login such as `github()`: receives the URL that the browser is sent
   * to, and returns the URL that the provider sends it back to. Requests of the server to the provider go
   * out through `fetch`, which the test replaces.
   */
  readonly provider?: (url: URL) => URL | string | Promise<URL | string>
  /** Further fields of the sign-in form, for logins of your own. */
  readonly fields?: Readonly<Record<string, string>>
}

const REDIRECT_URI = 'http://127.0.0.1:1/callback'
const FORM = 'application/x-www-form-urlencoded'
const MAX_REDIRECTS = 10

/** @throws {Error} with the server's answer when it issues no token */
export async function obtainToken(
  send: Fetch,
  url: string,
  options: SignInOptions = {},
): Promise<string> {
  const { resource, scope, endpoints } = await discover(send, url)
  const client = await readJson(
    await post(
      send,
      String(endpoints.registration_endpoint),
      'application/json',
      JSON.stringify({
        client_name: 'A test',
        redirect_uris: [REDIRECT_URI],
        token_endpoint_auth_method: 'none',
      }),
    ),
  )
  const clientId = String(client.client_id)
  const verifier = encodeBase64Url(crypto.getRandomValues(new Uint8Array(32)))
  const scopes = options.scopes?.join(' ') ?? scope
  const authorizeUrl = new URL(String(endpoints.authorization_endpoint))
  authorizeUrl.search = form({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    code_challenge: await sha256(verifier),
    code_challenge_method: 'S256',
    resource,
    ...(scopes !== undefined && { scope: scopes }),
  })
  const code = await consent(send, authorizeUrl.href, options)
  const exchange = form({
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    resource,
  })
  const tokens = await readJson(await post(send, String(endpoints.token_endpoint), FORM, exchange))
  return String(tokens.access_token)
}

/** Follows the challenge of the endpoint to its authorization server. */
async function discover(send: Fetch, url: string) {
  const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
  const response = await send(new Request(url, request))
  await response.body?.cancel()
  const challenge = response.headers.get('www-authenticate') ?? ''
  const metadataUrl = /resource_metadata="([^"]+)"/.exec(challenge)?.[1]
  if (metadataUrl === undefined) {
    throw new Error(
      `signIn needs an app with embedded(): ${url} answered ${response.status} without a challenge that names metadata. Give a token or headers instead`,
    )
  }
  const { resource, authorization_servers: issuers } = await readJson(await get(send, metadataUrl))
  const issuer = new URL((issuers as string[])[0] ?? '')
  if (issuer.origin !== new URL(url).origin) {
    throw new Error(`signIn needs an app with embedded(): tokens are issued by ${issuer}`)
  }
  const path = issuer.pathname.replace(/\/$/, '')
  const wellKnown = `${issuer.origin}/.well-known/oauth-authorization-server${path}`
  const endpoints = await readJson(await get(send, wellKnown))
  return { resource: String(resource), scope: /\bscope="([^"]*)"/.exec(challenge)?.[1], endpoints }
}

/** Opens the consent page, approves it, signs in, and returns the authorization code. */
async function consent(send: Fetch, pageUrl: string, options: SignInOptions): Promise<string> {
  const cookies = new Map<string, string>()
  const browse = async (request: Request): Promise<Response> => {
    if (cookies.size > 0) request.headers.set('cookie', [...cookies.values()].join('; '))
    const response = await send(request)
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';')
      cookies.set(pair.slice(0, pair.indexOf('=')), pair)
    }
    return response
  }
  const page = await browse(new Request(pageUrl, { redirect: 'manual' }))
  const html = await page.text()
  if (!page.ok) throw new Error(`The authorization page answered ${page.status} ${html}`)
  const action = new URL(attributeOf(html, /<form[^>]*method="post"[^>]*action="([^"]*)"/), pageUrl)
  const fields = {
    transaction: attributeOf(html, /name="transaction"[^>]*value="([^"]*)"/),
    csrf: attributeOf(html, /name="csrf"[^>]*value="([^"]*)"/),
    decision: 'approve',
    ...(html.includes('name="confirmed"') && { confirmed: 'yes' }),
    ...(html.includes('name="passphrase"') && { passphrase: options.passphrase ?? '' }),
    ...options.fields,
  }
  const origin = { origin: action.origin }
  let response = await browse(formRequest(action.href, FORM, form(fields), origin))
  let from = action
  for (let redirects = 0; redirects < MAX_REDIRECTS; redirects++) {
    const text = await response.text()
    const location = response.headers.get('location')
    if (location === null) {
      const problem = /<p[^>]*id="problem"[^>]*>([^<]*)/.exec(text)?.[1] ?? ''
      throw new Error(`The server issued no code (status ${response.status}) ${problem}`.trim())
    }
    let target = new URL(location, from)
    if (target.href.startsWith(REDIRECT_URI)) return codeOf(target)
    if (target.origin !== from.origin) {
      if (options.provider === undefined) {
        throw new Error(
          `The login goes to ${target.origin}. Play it: signIn: { provider: (url) => … }`,
        )
      }
      target = new URL(await options.provider(target))
    }
    from = target
    response = await browse(new Request(target, { redirect: 'manual' }))
  }
  throw new Error(`The sign-in did not end after ${MAX_REDIRECTS} redirects`)
}

function codeOf(target: URL): string {
  const code = target.searchParams.get('code')
  if (code !== null) return code
  throw new Error(`The server issued no code: ${target.searchParams}`)
}

function get(send: Fetch, url: string): Promise<Response> {
  return send(new Request(url))
}

function post(send: Fetch, url: string, type: string, body: string): Promise<Response> {
  return send(formRequest(url, type, body))
}

function formRequest(url: string, type: string, body: string, headers = {}): Request {
  return new Request(url, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': type, ...headers },
    body,
  })
}

function form(fields: Record<string, string>): string {
  return new URLSearchParams(fields).toString()
}

async function readJson(response: Response): Promise<Record<string, unknown>> {
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.url} ${response.status} ${text}`.trim())
  return JSON.parse(text)
}

function attributeOf(html: string, pattern: RegExp): string {
  const value = pattern.exec(html)?.[1]
  if (value === undefined) throw new Error('The authorization page has no consent form')
  return value.replaceAll('&amp;', '&')
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return encodeBase64Url(new Uint8Array(digest))
}
