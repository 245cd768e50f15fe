/** The authorization request of a client, without a person: the page is read, nothing is approved. */
import { type PageRequest, requestPage } from '../../../../client/src/sign-in.ts'
import type { HttpClient, HttpReply } from '../http/http-client.ts'

export interface AuthorizationPageObservation {
  readonly request: PageRequest
  readonly state: string
  readonly verifier: string
  readonly reply: HttpReply
  /** The parameters of a response that is redirected to the client at once. */
  readonly response: URLSearchParams | undefined
  /** Where the response of this request is redirected to, if not to the client. */
  readonly strayTarget: string | undefined
}

export async function probeAuthorizationPage(
  http: HttpClient,
  request: PageRequest,
): Promise<AuthorizationPageObservation> {
  const { url, state, verifier } = await requestPage(request)
  const reply = await http.send({
    method: 'GET',
    url,
    headers: { accept: 'text/html,application/xhtml+xml', 'sec-fetch-mode': 'navigate' },
  })
  const response = responseIn(reply, request.redirectUri)
  const stray = response === undefined ? targetOf(reply) : undefined
  const isStray = stray?.searchParams.get('state') === state && stray.searchParams.has('code')
  const strayTarget = isStray ? stray.href : undefined
  return { request, state, verifier, reply, response, strayTarget }
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
