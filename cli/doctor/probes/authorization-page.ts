/** The authorization request of a client, without a person: the page is read, nothing is approved. */
import type { HttpClient, HttpReply } from '../http/http-client.ts'
import { createPkce, type Pkce, randomState } from '../oauth/pkce.ts'

export interface AuthorizationRequest {
  readonly endpoint: URL
  readonly clientId: string
  readonly redirectUri: string
  readonly resource: string
  readonly scope: string | undefined
}

export interface AuthorizationPageObservation {
  readonly request: AuthorizationRequest
  readonly state: string
  readonly pkce: Pkce
  readonly reply: HttpReply
  /** The parameters of a response that is redirected to the client at once. */
  readonly response: URLSearchParams | undefined
  /** Where the response of this request is redirected to, if not to the client. */
  readonly strayTarget: string | undefined
}

export interface PreparedRequest {
  readonly url: URL
  readonly state: string
  readonly pkce: Pkce
}

export function prepareAuthorization(request: AuthorizationRequest): PreparedRequest {
  const pkce = createPkce()
  const state = randomState()
  const url = new URL(request.endpoint)
  const parameters = {
    response_type: 'code',
    client_id: request.clientId,
    redirect_uri: request.redirectUri,
    code_challenge: pkce.challenge,
    code_challenge_method: 'S256',
    state,
    resource: request.resource,
    ...(request.scope === undefined ? {} : { scope: request.scope }),
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return { url, state, pkce }
}

export async function probeAuthorizationPage(
  http: HttpClient,
  request: AuthorizationRequest,
): Promise<AuthorizationPageObservation> {
  const { url, state, pkce } = prepareAuthorization(request)
  const reply = await http.send({
    method: 'GET',
    url,
    headers: { accept: 'text/html,application/xhtml+xml', 'sec-fetch-mode': 'navigate' },
  })
  const response = responseIn(reply, request.redirectUri)
  const stray = response === undefined ? targetOf(reply) : undefined
  const isStray = stray?.searchParams.get('state') === state && stray.searchParams.has('code')
  return { request, state, pkce, reply, response, strayTarget: isStray ? stray?.href : undefined }
}

function targetOf(reply: HttpReply): URL | undefined {
  const location = reply.ok && reply.status >= 300 ? reply.headers.location : undefined
  if (location === undefined || !URL.canParse(location, reply.url.href)) return undefined
  return new URL(location, reply.url)
}

function responseIn(reply: HttpReply, redirectUri: string): URLSearchParams | undefined {
  const target = targetOf(reply)
  if (target === undefined) return undefined
  const expected = new URL(redirectUri)
  const isRedirect =
    target.protocol === expected.protocol &&
    target.host === expected.host &&
    target.pathname === expected.pathname
  return isRedirect ? target.searchParams : undefined
}
