/** Connects to a running server as the doctor does: follows redirects, finds the authorization, signs in. */
import { isHeaderToken } from '../../src/client/sign-in.ts'
import { canSignIn, isBlocked, unauthorizedResponse } from '../doctor/doctor.ts'
import { createHttpClient, type HttpClient, type HttpResponse } from '../doctor/http/http-client.ts'
import type { Endpoint } from '../doctor/mcp/endpoint.ts'
import type { Observations } from '../doctor/observations.ts'
import { offersAuthorization, probeDiscovery } from '../doctor/probes/authorization.ts'
import { probeReach } from '../doctor/probes/reach.ts'
import { probeSignIn } from '../doctor/probes/sign-in.ts'
import { type ReadLists, readListsOf } from './read-lists.ts'

export interface ConnectOptions {
  /** How long to wait for the headers of a response, and again for its body. Default 10 s. */
  readonly timeoutMs?: number
  /** How long everything may take. Default 3 minutes, and as long again as the sign-in may. */
  readonly budgetMs?: number
  /** An access token, which is sent once the server asks for one. */
  readonly token?: string | undefined
  /** Sent with every request at the endpoint. */
  readonly headers?: Readonly<Record<string, string>>
  /** Sign in with a browser where the server asks for a token. */
  readonly login?: boolean
  readonly loginTimeoutMs?: number
  /** A client that is registered already, with a loopback redirect URI. */
  readonly clientId?: string | undefined
  /** Also register the clients that have no document, to see whether they may. */
  readonly active?: boolean
  readonly onProgress?: (activity: string) => void
  /** Shows a person the page, or opens it in a browser. */
  readonly onLogin?: (page: URL) => void
}

export interface ServerConnection {
  readonly http: HttpClient
  /** After redirects, with the credentials that the server accepts. */
  readonly endpoint: Endpoint
  /** What the steps of the doctor look at. */
  readonly observed: Observations
  /** Whether an MCP server answers at all. */
  readonly isReached: boolean
  /** Absent where the lists cannot be read without a token. */
  readonly lists?: ReadLists
}

type Growing = { -readonly [Member in keyof Observations]: Observations[Member] }

const BUDGET_MS = 180_000
const LOGIN_TIMEOUT_MS = 300_000

/** @throws {CutShortError} when it takes longer than the budget */
export async function connectServer(
  url: string,
  options: ConnectOptions = {},
): Promise<ServerConnection> {
  const pasted = new URL(url)
  const { timeoutMs = 10_000, headers = {}, onProgress = () => undefined } = options
  const http = createHttpClient({
    timeoutMs,
    given: pasted,
    userAgent: 'edgeway-doctor',
    endsAt: Date.now() + budgetOf(options),
  })
  onProgress('Reaching the endpoint')
  const reach = await probeReach({ url: pasted, http, headers })
  const observed: Growing = { pasted, reach }
  const { endpoint } = reach
  if (isBlocked(observed)) return { http, endpoint, observed, isReached: false }
  const challenge = unauthorizedResponse(reach.bothAccept)
  if (challenge !== undefined) return authorize(http, observed, challenge, options)
  onProgress('Reading the lists')
  const lists = await readListsOf(endpoint)
  // A server may ask for a token only after the handshake.
  if (lists.challenge !== undefined) return authorize(http, observed, lists.challenge, options)
  return { http, endpoint, observed, isReached: true, lists }
}

function budgetOf({ budgetMs, login = false, loginTimeoutMs = LOGIN_TIMEOUT_MS }: ConnectOptions) {
  return budgetMs ?? BUDGET_MS + (login ? loginTimeoutMs : 0)
}

async function authorize(
  http: HttpClient,
  observed: Growing,
  challenge: HttpResponse,
  options: ConnectOptions,
): Promise<ServerConnection> {
  const { onProgress = () => undefined, onLogin = () => undefined } = options
  const { endpoint } = observed.reach
  onProgress('Finding the authorization server')
  const discovery = await probeDiscovery(http, endpoint.url, challenge)
  observed.discovery = discovery
  if (offersAuthorization(discovery) && canSignIn(discovery)) {
    onProgress('Requesting authorization')
    observed.signIn = await probeSignIn(http, discovery, observed.pasted, {
      active: options.active ?? false,
      login: options.login ?? false,
      clientId: options.clientId,
      loginTimeoutMs: options.loginTimeoutMs ?? LOGIN_TIMEOUT_MS,
      onLogin,
    })
  }
  const issued = observed.signIn?.own?.token?.value?.access_token
  const token = options.token ?? (isHeaderToken(issued) ? issued : undefined)
  if (token === undefined) return { http, endpoint, observed, isReached: true }
  const authorized = {
    ...endpoint,
    headers: { ...endpoint.headers, authorization: `Bearer ${token}` },
  }
  onProgress('Reading the lists')
  const lists = await readListsOf(authorized)
  return { http, endpoint: authorized, observed, isReached: true, lists }
}
