/** Connects to a running server as the doctor does: follows redirects, finds the authorization, signs in. */
import {
  authorize,
  type Growing,
  isBlocked,
  observeDiscovery,
  reachServer,
  unauthorizedResponse,
} from '../doctor/doctor.ts'
import type { HttpClient, HttpResponse } from '../doctor/http/http-client.ts'
import type { Endpoint } from '../doctor/mcp/endpoint.ts'
import type { Observations } from '../doctor/observations.ts'
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

const BUDGET_MS = 180_000
const LOGIN_TIMEOUT_MS = 300_000

/** @throws {CutShortError} when it takes longer than the budget */
export async function connectServer(
  url: string,
  given: ConnectOptions = {},
): Promise<ServerConnection> {
  const options = withDefaults(given)
  const observed = await reachServer(new URL(url), options)
  const { endpoint, bothAccept } = observed.reach
  const { http } = endpoint
  if (isBlocked(observed)) return { http, endpoint, observed, isReached: false }
  const challenge = unauthorizedResponse(bothAccept)
  if (challenge !== undefined) return connectAuthorized(observed, challenge, options)
  options.onProgress('Reading the lists')
  const lists = await readListsOf(endpoint)
  // A server may ask for a token only after the handshake.
  if (lists.challenge !== undefined) return connectAuthorized(observed, lists.challenge, options)
  return { http, endpoint, observed, isReached: true, lists }
}

function withDefaults({
  timeoutMs = 10_000,
  login = false,
  loginTimeoutMs = LOGIN_TIMEOUT_MS,
  budgetMs = BUDGET_MS + (login ? loginTimeoutMs : 0),
  active = false,
  clientId,
  onProgress = () => undefined,
  onLogin = () => undefined,
  ...given
}: ConnectOptions) {
  const signIn = { login, loginTimeoutMs, active, clientId, onLogin }
  return { ...given, ...signIn, timeoutMs, budgetMs, onProgress }
}

async function connectAuthorized(
  observed: Growing,
  challenge: HttpResponse,
  options: ReturnType<typeof withDefaults>,
): Promise<ServerConnection> {
  const { endpoint } = observed.reach
  const { http } = endpoint
  await observeDiscovery(observed, challenge, options)
  const authorized = await authorize(observed, options)
  if (authorized === undefined) return { http, endpoint, observed, isReached: true }
  options.onProgress('Reading the lists')
  const lists = await readListsOf(authorized)
  return { http, endpoint: authorized, observed, isReached: true, lists }
}
