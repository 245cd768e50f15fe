/**
 * Obtains an access token without a browser: registers a client, approves the consent page and redeems
 * the authorization code. Works with a login by button or by a known passphrase.
 */
export interface AuthorizeOptions {
  /** The server's origin, without a path. */
  readonly origin: string
  readonly passphrase?: string
  readonly scope?: string
  readonly fetch?: (request: Request) => Response | Promise<Response>
}

const REDIRECT_URI = 'http://127.0.0.1:1/callback'

/** @throws {Error} with the server's answer when it issues no token */
export async function authorize({
  origin,
  passphrase = '',
  scope,
  fetch: send = (request) => fetch(request),
}: AuthorizeOptions): Promise<string> {
  const post = async (path: string, type: string, body: string, headers = {}) =>
    send(
      new Request(`${origin}${path}`, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'content-type': type, ...headers },
        body,
      }),
    )
  const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString()

  const metadata = JSON.stringify({
    client_name: 'A script on this computer',
    redirect_uris: [REDIRECT_URI],
    token_endpoint_auth_method: 'none',
  })
  const client = await readJson(await post('/register', 'application/json', metadata))
  const clientId = String(client.client_id)
  const verifier = base64Url(crypto.getRandomValues(new Uint8Array(32)))
  const query = form({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    code_challenge: await sha256(verifier),
    code_challenge_method: 'S256',
    ...(scope === undefined ? undefined : { scope }),
  })
  const page = await send(new Request(`${origin}/authorize?${query}`, { redirect: 'manual' }))
  const html = await page.text()
  const cookie = page.headers.getSetCookie().map((text) => text.split(';')[0])
  const decision = await post(
    '/authorize/decision',
    'application/x-www-form-urlencoded',
    form({
      transaction: fieldOf(html, 'transaction'),
      csrf: fieldOf(html, 'csrf'),
      decision: 'approve',
      ...(html.includes('name="confirmed"') ? { confirmed: 'yes' } : undefined),
      ...(passphrase === '' ? undefined : { passphrase }),
    }),
    { origin, cookie: cookie.join('; ') },
  )
  const location = decision.headers.get('location')
  const code = location === null ? null : new URL(location).searchParams.get('code')
  if (code === null) throw new Error(`The server issued no code (status ${decision.status})`)
  const exchange = form({
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
  })
  const tokens = await readJson(await post('/token', 'application/x-www-form-urlencoded', exchange))
  return String(tokens.access_token)
}

async function readJson(response: Response): Promise<Record<string, unknown>> {
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status} ${text}`)
  return JSON.parse(text)
}

function fieldOf(html: string, name: string): string {
  const [, value] = new RegExp(`name="${name}"[^>]*value="([^"]*)"`).exec(html) ?? []
  if (value === undefined) throw new Error(`The page has no field ${name}`)
  return value
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return base64Url(new Uint8Array(digest))
}

function base64Url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes))
  return text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}
