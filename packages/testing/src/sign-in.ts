/**
 * Obtains an access token without a browser, as a client and its person do: discovery, registration, the
 * consent page, and the authorization code. Works with a login by button, by passphrase, and at a provider
 * that the test plays.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 */
import { parseChallenge } from '../../client/src/challenge.ts'
import type { SendRequest } from '../../client/src/client-http.ts'
import { type Discovered, discover, requiredEndpoint } from '../../client/src/discover.ts'
import {
  beginAuthorization,
  codeGrant,
  codeIn,
  register,
  requestTokens,
} from '../../client/src/sign-in.ts'
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
const MAX_REDIRECTS = 10

/** @throws {Error} with the server's answer when it issues no token */
export async function obtainToken(
  fetch: Fetch,
  url: string,
  options: SignInOptions = {},
): Promise<string> {
  const send: SendRequest = async ({ url: target, ...request }) => {
    const response = await fetch(new Request(target, { ...request, redirect: 'manual' }))
    return { status: response.status, text: await response.text() }
  }
  const server = await discoverServer(fetch, send, new URL(url))
  const client = await register(send, server, 'A test', REDIRECT_URI)
  const scope = options.scopes?.join(' ')
  const request = await beginAuthorization(server, client.clientId, REDIRECT_URI, scope)
  const response = await consent(fetch, request.url.href, options)
  const grant = codeGrant(codeIn(response, request), request.verifier, REDIRECT_URI)
  const tokenEndpoint = requiredEndpoint(server, 'token_endpoint')
  const { resource } = server
  return (await requestTokens(send, { tokenEndpoint, ...client, resource }, grant)).accessToken
}

/** Follows the challenge of the endpoint to its authorization server. */
async function discoverServer(fetch: Fetch, send: SendRequest, url: URL): Promise<Discovered> {
  const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
  const response = await fetch(new Request(url, request))
  await response.body?.cancel()
  const challenge = parseChallenge(response.headers.get('www-authenticate') ?? '')
  if (challenge?.resource_metadata === undefined) {
    throw new Error(
      `signIn needs an app with embedded(): ${url} answered ${response.status} without a challenge that names metadata. Give a token or headers instead`,
    )
  }
  return discover(send, {
    url,
    challenge,
    checkUrl: ({ origin, href }) => {
      if (origin === url.origin) return
      throw new Error(`signIn needs an app with embedded(): tokens are issued by ${href}`)
    },
  })
}

/** Opens the consent page, approves it, signs in, and returns the authorization response. */
async function consent(
  send: Fetch,
  pageUrl: string,
  options: SignInOptions,
): Promise<URLSearchParams> {
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
  const approval = new Request(action, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: action.origin },
    body: new URLSearchParams(fields),
  })
  let response = await browse(approval)
  let from = action
  for (let redirects = 0; redirects < MAX_REDIRECTS; redirects++) {
    const text = await response.text()
    const location = response.headers.get('location')
    if (location === null) {
      const problem = /<p[^>]*id="problem"[^>]*>([^<]*)/.exec(text)?.[1] ?? ''
      throw new Error(`The server issued no code (status ${response.status}) ${problem}`.trim())
    }
    let target = new URL(location, from)
    if (target.href.startsWith(REDIRECT_URI)) return target.searchParams
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

function attributeOf(html: string, pattern: RegExp): string {
  const value = pattern.exec(html)?.[1]
  if (value === undefined) throw new Error('The authorization page has no consent form')
  return value.replaceAll('&amp;', '&')
}
