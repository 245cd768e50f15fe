/** Examines an MCP server: probes it once, then walks the way of each client. */
import { FAULTS } from '../../src/faults/faults.ts'
import { CLIENTS, type Client } from './clients.ts'
import { isPrivateHost } from './http/addresses.ts'
import { createHttpClient, type HttpReply, type HttpResponse } from './http/http-client.ts'
import type { Endpoint } from './mcp/endpoint.ts'
import type { RpcReply } from './mcp/rpc.ts'
import type { Observations } from './observations.ts'
import { probeDiscovery, resourceLocations, serverLocations } from './probes/authorization.ts'
import { probeBrowser } from './probes/browser.ts'
import { probeModern } from './probes/modern.ts'
import { probeReach } from './probes/reach.ts'
import { probeRestart } from './probes/restart.ts'
import { probeSession } from './probes/session.ts'
import { probeSignIn, type SignInOptions } from './probes/sign-in.ts'
import { probeRefresh } from './probes/token.ts'
import { replyFaults } from './steps/reach.ts'
import { type ClientReport, walk } from './walk.ts'

export interface DoctorOptions extends Omit<SignInOptions, 'onLogin'> {
  readonly clients?: readonly Client[]
  /** How long to wait for the headers of a response, and again for its body. */
  readonly timeoutMs: number
  /** How long to watch the GET stream. Its keep-alive is judged from 25 seconds. */
  readonly streamWaitMs: number
  readonly token?: string | undefined
  /** Sent with every request at the endpoint. */
  readonly headers?: Readonly<Record<string, string>>
  /** A shell command that restarts the server. */
  readonly restart?: string | undefined
  readonly onProgress?: (activity: string) => void
  readonly onLogin?: (url: URL) => void
}

export interface DoctorReport {
  readonly url: string
  /** Whether an MCP server answered. */
  readonly isReached: boolean
  /** What was not examined, and which option would. */
  readonly notes: readonly string[]
  readonly clients: readonly ClientReport[]
}

export async function examine(url: string, options: DoctorOptions): Promise<DoctorReport> {
  const observed = await observe(new URL(url), options)
  return {
    url,
    isReached: !isBlocked(observed),
    notes: notesOf(observed, options),
    clients: (options.clients ?? CLIENTS).map((client) => walk(observed, client)),
  }
}

async function observe(pasted: URL, options: DoctorOptions): Promise<Observations> {
  const { onProgress = () => undefined, headers = {} } = options
  const http = createHttpClient({
    timeoutMs: options.timeoutMs,
    allowPrivate: isPrivateHost(pasted),
    userAgent: 'edgeway-doctor',
  })
  onProgress('Reaching the endpoint')
  const reach = await probeReach({ url: pasted, http, headers })
  if (isBlocked({ reach })) return { pasted, reach }
  const { endpoint } = reach
  onProgress('Connecting as a browser')
  const seen = { pasted, reach, browser: await probeBrowser(endpoint) }
  const challenge = unauthorizedResponse(reach.bothAccept)
  if (challenge !== undefined) {
    return { ...seen, ...(await observeAuthorized(endpoint, pasted, challenge, options)) }
  }
  const wellKnown = await fetchWellKnown(endpoint)
  const messages = await observeMessages(endpoint, options)
  // A server may request a token only after the handshake.
  const later = unauthorizedResponse(messages.session.open?.definitions.lists[0]?.pages[0])
  if (later === undefined) return { ...seen, wellKnown, ...messages }
  return { ...seen, ...(await observeAuthorized(endpoint, pasted, later, options)) }
}

function unauthorizedResponse(reply: RpcReply | undefined): HttpResponse | undefined {
  if (reply === undefined || reply.kind === 'failed') return undefined
  return reply.http.status === 401 ? reply.http : undefined
}

async function observeAuthorized(
  endpoint: Endpoint,
  pasted: URL,
  challenge: HttpResponse,
  options: DoctorOptions,
) {
  const { onProgress = () => undefined, onLogin = () => undefined } = options
  const { http } = endpoint
  onProgress('Finding the authorization server')
  const discovery = await probeDiscovery(http, endpoint.url, challenge)
  onProgress('Requesting authorization')
  const signIn = await probeSignIn(http, discovery, pasted, { ...options, onLogin })
  const { own } = signIn
  const issued = own?.token?.value?.access_token
  const token = options.token ?? (typeof issued === 'string' ? issued : undefined)
  if (token === undefined) return { discovery, signIn }
  const headers = { ...endpoint.headers, authorization: `Bearer ${token}` }
  const messages = await observeMessages({ ...endpoint, headers }, options)
  const refreshToken = own?.token?.value?.refresh_token
  if (!options.active || own === undefined || typeof refreshToken !== 'string') {
    return { discovery, signIn, token, ...messages }
  }
  onProgress('Refreshing the token twice at once')
  const refresh = await probeRefresh(http, own.client, refreshToken)
  return { discovery, signIn, token, ...messages, refresh }
}

async function observeMessages(
  endpoint: Endpoint,
  { streamWaitMs, restart, onProgress = () => undefined }: DoctorOptions,
) {
  onProgress('Asking for server/discover')
  const modern = await probeModern(endpoint)
  onProgress('Opening sessions and watching the GET stream')
  const session = await probeSession(endpoint, { streamWaitMs })
  if (restart === undefined) return { modern, session }
  onProgress('Restarting the server')
  const onRestart = () => onProgress('Waiting for the restart')
  return { modern, session, restart: await probeRestart(endpoint, restart, onRestart) }
}

async function fetchWellKnown({ http, url }: Endpoint): Promise<readonly HttpReply[]> {
  const replies: HttpReply[] = []
  const [asRoot] = serverLocations(new URL('/', url))
  for (const location of [...resourceLocations(url, undefined), ...(asRoot ? [asRoot] : [])]) {
    replies.push(
      await http.send({ method: 'GET', url: location, headers: { accept: 'application/json' } }),
    )
  }
  return replies
}

/** A fault that no client passes. */
function isBlocked({ reach }: Pick<Observations, 'reach'>): boolean {
  return replyFaults(reach).some(({ code }) => {
    const { breaks } = FAULTS[code] as { breaks?: unknown }
    return breaks === 'all' || code === 'legacy-sse-only'
  })
}

function notesOf(observed: Observations, options: DoctorOptions): string[] {
  const notes: string[] = []
  const { pasted, discovery, token } = observed
  if (isPrivateHost(pasted)) {
    notes.push(
      'The URL is local. Claude, Claude Desktop and ChatGPT connect from the internet; they were examined as if the URL were public.',
    )
  }
  if (discovery === undefined) return notes
  if (token === undefined) {
    notes.push(
      'Nothing after sign-in was examined. Pass --login to sign in with a browser, or --token.',
    )
  }
  if (!options.active)
    notes.push(
      'Registration and refresh were not examined. Pass --active; it leaves registered clients behind.',
    )
  return notes
}
