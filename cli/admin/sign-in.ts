/** Obtains an access token for the admin API: a person signs in with a browser and consents. */
import { listenForCallback } from '../doctor/oauth/login.ts'
import { createPkce, randomState } from '../doctor/oauth/pkce.ts'
import { AdminCallError } from './admin-call.ts'

export interface SignIn {
  /** The URL of the admin API. */
  readonly url: URL
  readonly scope: string | undefined
  readonly timeoutMs: number
  /** Shows the person the page. */
  readonly onPage: (page: URL) => void
}

type Metadata = Readonly<Record<string, unknown>>

/** @throws {AdminCallError} that says which step failed */
export async function signIn({ url, scope, timeoutMs, onPage }: SignIn): Promise<string> {
  const resource = await readJson(
    new URL(`/.well-known/oauth-protected-resource${url.pathname}`, url),
  )
  const [issuer] = Array.isArray(resource.authorization_servers)
    ? resource.authorization_servers
    : []
  if (typeof issuer !== 'string' || !URL.canParse(issuer)) {
    throw new AdminCallError('The server names no authorization server. Use --token')
  }
  const server = await readJson(new URL('/.well-known/oauth-authorization-server', issuer))
  const audience = typeof resource.resource === 'string' ? resource.resource : url.href
  const listener = await listenForCallback()
  try {
    const { redirectUri } = listener
    const { client_id: clientId } = await post(endpointOf(server, 'registration_endpoint'), {
      body: JSON.stringify({
        client_name: 'Edgeway command line',
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'none',
      }),
      type: 'application/json',
    })
    const pkce = createPkce()
    const state = randomState()
    const page = endpointOf(server, 'authorization_endpoint')
    page.search = new URLSearchParams({
      response_type: 'code',
      client_id: String(clientId),
      redirect_uri: redirectUri,
      code_challenge: pkce.challenge,
      code_challenge_method: 'S256',
      resource: audience,
      state,
      ...(scope === undefined ? {} : { scope }),
    }).toString()
    onPage(page)
    const answer = await listener.wait(timeoutMs)
    const code = answer?.get('code')
    if (answer?.get('state') !== state || code === null || code === undefined) {
      throw new AdminCallError(answer?.get('error_description') ?? 'The sign-in was not finished')
    }
    const { access_token: token } = await post(endpointOf(server, 'token_endpoint'), {
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: String(clientId),
        code,
        code_verifier: pkce.verifier,
        redirect_uri: redirectUri,
        resource: audience,
      }).toString(),
      type: 'application/x-www-form-urlencoded',
    })
    if (typeof token !== 'string') throw new AdminCallError('The server has issued no token')
    return token
  } finally {
    listener.close()
  }
}

function endpointOf(metadata: Metadata, member: string): URL {
  const value = metadata[member]
  if (typeof value !== 'string' || !URL.canParse(value)) {
    throw new AdminCallError(`The authorization server has no ${member}. Use --token`)
  }
  return new URL(value)
}

async function readJson(url: URL): Promise<Metadata> {
  return jsonOf(await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) }))
}

async function post(url: URL, { body, type }: { body: string; type: string }): Promise<Metadata> {
  const headers = { 'content-type': type }
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  return jsonOf(await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal }))
}

const TIMEOUT_MS = 10_000

async function jsonOf(response: Response): Promise<Metadata> {
  const text = await response.text()
  if (response.ok) {
    try {
      return { ...(JSON.parse(text) as object) }
    } catch {
      // The address below says which server sends no JSON.
    }
  }
  throw new AdminCallError(`${response.url} answered ${response.status}. Use --token`)
}
