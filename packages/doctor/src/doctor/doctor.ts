/** Examines an MCP server: probes it once, then walks the way of each client. */
import { resourceLocations, serverLocations } from '../../../../src/protocol/metadata-locations.ts'
import { hostKind } from '../../../client/src/host-kind.ts'
import { DOCTOR } from '../../../client/src/names.ts'
import { isHeaderToken } from '../../../client/src/sign-in.ts'
import { FAULTS } from '../../../faults/src/faults.ts'
import { printable } from '../../../text/src/terminal-text.ts'
import { CLIENTS, type Client } from './clients.ts'
import { eventNotes } from './event-notes.ts'
import { isPrivateHost } from './http/addresses.ts'
import {
  CutShortError,
  createHttpClient,
  cutAtRateLimit,
  getJson,
  type HttpReply,
  type HttpResponse,
} from './http/http-client.ts'
import type { Endpoint } from './mcp/endpoint.ts'
import type { RpcReply } from './mcp/rpc.ts'
import type { Observations } from './observations.ts'
import {
  type DiscoveryObservation,
  offersAuthorization,
  probeDiscovery,
} from './probes/authorization.ts'
import { probeBrowser } from './probes/browser.ts'
import { probeEvents } from './probes/events/events.ts'
import { probeLegacySse } from './probes/legacy-sse.ts'
import { probeModern } from './probes/modern.ts'
import { mayBeLegacySse, probeReach } from './probes/reach.ts'
import { probeRestart } from './probes/restart.ts'
import { probeSession } from './probes/session.ts'
import { probeSignIn, type SignInOptions } from './probes/sign-in.ts'
import { probeRefresh } from './probes/token.ts'
import { REQUESTS_OF_A_CLIENT } from './steps/limits.ts'
import { replyFaults } from './steps/reach.ts'
import { type ClientReport, walk } from './walk.ts'

export interface DoctorOptions extends Omit<SignInOptions, 'onLogin'> {
  readonly clients?: readonly Client[]
  /** How long to wait for the headers of a response, and again for its body. */
  readonly timeoutMs: number
  /** How long to watch the GET stream. Its keep-alive is judged from 25 seconds. */
  readonly streamWaitMs: number
  /** How long the whole examination may take. Default 5 minutes and the waits that the options allow. */
  readonly budgetMs?: number
  readonly token?: string | undefined
  /** Sent with every request at the endpoint. */
  readonly headers?: Readonly<Record<string, string>>
  /** A shell command that restarts the server. */
  readonly restart?: string | undefined
  /** With `active`: how long heartbeats and deliveries of events are waited for. Default 32 s. */
  readonly eventWaitMs?: number
  /** The URL by which the server reaches the receiver of events of the doctor. */
  readonly callback?: URL | undefined
  /** The port of this computer that `callback` leads to. */
  readonly callbackPort?: number | undefined
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
  const observed = await observe(new URL(url), {
    ...options,
    onProgress: options.onProgress ?? (() => undefined),
    onLogin: options.onLogin ?? (() => undefined),
  })
  return {
    url,
    isReached: !isUnreached(observed.reach),
    notes: notesOf(observed, options),
    clients: (options.clients ?? CLIENTS).map((client) => walk(observed, client)),
  }
}

type Complete = DoctorOptions & Required<Pick<DoctorOptions, 'onProgress' | 'onLogin'>>

/** The observations as they come in. */
export type Growing = { -readonly [Member in keyof Observations]: Observations[Member] }

async function observe(pasted: URL, options: Complete): Promise<Observations> {
  const seen = await reachServer(pasted, { ...options, budgetMs: budgetOf(options) })
  if (isBlocked(seen)) return seen
  try {
    await observeServer(seen, options)
  } catch (error) {
    if (!(error instanceof CutShortError)) throw error
    seen.cut = error.cut
  }
  return seen
}

type ReachOptions = Pick<Complete, 'timeoutMs' | 'headers' | 'onProgress'> & {
  readonly budgetMs: number
}

/** The first contact. */
export async function reachServer(
  pasted: URL,
  { timeoutMs, headers = {}, budgetMs, onProgress }: ReachOptions,
): Promise<Growing> {
  const http = createHttpClient({
    timeoutMs,
    given: pasted,
    // The timeline of the server recognizes the requests by it.
    userAgent: DOCTOR,
    endsAt: Date.now() + budgetMs,
  })
  onProgress('Reaching the endpoint')
  return { pasted, reach: await probeReach({ url: pasted, http, headers }) }
}

const BUDGET_MS = 300_000
/** The first contact alone may wait for so many responses. */
const BUDGET_TIMEOUTS = 20

/** How long an examination may take, with the waits that the options allow. */
function budgetOf(options: DoctorOptions): number {
  const { timeoutMs, streamWaitMs, login, loginTimeoutMs, restart, budgetMs, active } = options
  if (budgetMs !== undefined) return budgetMs
  const waits =
    streamWaitMs +
    (active ? eventWaitOf(options) : 0) +
    (login ? loginTimeoutMs : 0) +
    (restart === undefined ? 0 : BUDGET_MS)
  return BUDGET_MS + BUDGET_TIMEOUTS * timeoutMs + waits
}

/** Heartbeats come at least every 30 seconds. */
const EVENT_WAIT_MS = 32_500

const eventWaitOf = ({ eventWaitMs = EVENT_WAIT_MS }: DoctorOptions) => eventWaitMs

async function observeServer(seen: Growing, options: Complete): Promise<void> {
  const { endpoint, bothAccept } = seen.reach
  const challenge = unauthorizedResponse(bothAccept)
  if (challenge !== undefined) {
    await observeDiscovery(seen, challenge, options)
    seen.unauthenticatedGet = await sendGet(endpoint, options)
    if (!mayContinue(seen, options)) return
  }
  options.onProgress('Connecting as a browser')
  seen.browser = await probeBrowser(endpoint)
  if (challenge !== undefined) return observeAuthorized(seen, options)
  const wellKnown = await fetchWellKnown(endpoint)
  const messages: Partial<Growing> = {}
  await observeMessages(messages, endpoint, options).finally(() => {
    // A server may request a token only later. What was seen without one is of no use.
    if (laterChallenge(messages) === undefined) Object.assign(seen, messages, { wellKnown })
  })
  const later = laterChallenge(messages)
  if (later === undefined) return
  await observeDiscovery(seen, later, options)
  if (mayContinue(seen, options)) await observeAuthorized(seen, options)
}

/** The first 401 to a list, a view or the call. One to `server/discover` alone means that clients use `initialize`. */
function laterChallenge({ modern, session }: Partial<Growing>): HttpResponse | undefined {
  const replies = [modern, session?.open].flatMap((era) => {
    const { lists = [], views = [], call } = era?.definitions ?? {}
    return [...lists.flatMap(({ pages }) => pages), ...views.map(({ reply }) => reply), call?.reply]
  })
  return replies.map(unauthorizedResponse).find((response) => response !== undefined)
}

/** Without an authorization, every request has the same 401. */
const mayContinue = ({ discovery }: Growing, { token }: DoctorOptions) =>
  token !== undefined || discovery === undefined || offersAuthorization(discovery)

export function unauthorizedResponse(reply: RpcReply | undefined): HttpResponse | undefined {
  if (reply === undefined || reply.kind === 'failed') return undefined
  return reply.http.status === 401 ? reply.http : undefined
}

export async function observeDiscovery(
  seen: Growing,
  challenge: HttpResponse,
  { onProgress }: Pick<Complete, 'onProgress'>,
): Promise<void> {
  const { endpoint } = seen.reach
  onProgress('Finding the authorization server')
  seen.discovery = await probeDiscovery(endpoint.http, endpoint.url, challenge)
}

/** The endpoint with a token: the given one, or one that a sign-in obtains. Undefined without either. */
export async function authorize(
  seen: Growing,
  options: SignInOptions & Pick<Complete, 'token' | 'onProgress'>,
): Promise<Endpoint | undefined> {
  const { discovery, pasted } = seen
  const { endpoint } = seen.reach
  if (discovery !== undefined && canSignIn(discovery)) {
    options.onProgress('Requesting authorization')
    seen.signIn = await probeSignIn(endpoint.http, discovery, pasted, options)
  }
  const issued = seen.signIn?.own?.token?.value?.access_token
  const token = options.token ?? (isHeaderToken(issued) ? issued : undefined)
  if (token === undefined) return undefined
  seen.token = token
  return { ...endpoint, headers: { ...endpoint.headers, authorization: `Bearer ${token}` } }
}

async function observeAuthorized(seen: Growing, options: Complete): Promise<void> {
  const authorized = await authorize(seen, options)
  if (authorized === undefined) return
  await observeMessages(seen, authorized, options)
  if (seen.session !== undefined && mayBeLegacySse(seen.session.future)) {
    seen.legacySse = await probeLegacySse(authorized)
  }
  const own = seen.signIn?.own
  const refreshToken = own?.token?.value?.refresh_token
  if (!options.active || own === undefined || typeof refreshToken !== 'string') return
  options.onProgress('Refreshing the token twice at once')
  seen.refresh = await probeRefresh(authorized.http, own.client, refreshToken)
}

/** A sign-in needs every endpoint of the authorization server. */
const canSignIn = ({ server, unreachable }: DiscoveryObservation) =>
  server?.value !== undefined && unreachable.length === 0

async function observeMessages(
  seen: Partial<Growing>,
  { http, ...place }: Endpoint,
  options: Complete,
): Promise<void> {
  const { streamWaitMs, restart, onProgress } = options
  const endpoint = { ...place, http: cutAtRateLimit(http) }
  onProgress('Asking for server/discover')
  seen.modern = await probeModern(endpoint)
  onProgress('Opening sessions and watching the GET stream')
  seen.session = await probeSession(endpoint, streamWaitMs)
  onProgress('Asking for events')
  seen.events = await probeEvents(endpoint, seen.modern, seen.session, {
    ...options,
    eventWaitMs: eventWaitOf(options),
    isLocal: hostKind(endpoint.url) === 'loopback',
  })
  if (restart === undefined) return
  onProgress('Restarting the server')
  const onRestart = () => onProgress('Waiting for the restart')
  seen.restart = await probeRestart(endpoint, restart, onRestart)
}

/** Headers of the command line may have credentials; then it says nothing. */
async function sendGet({ http, url }: Endpoint, { headers = {} }: DoctorOptions) {
  if (Object.keys(headers).length > 0) return undefined
  return http.send({ method: 'GET', url, headers: { accept: 'text/event-stream' } }, () => true)
}

async function fetchWellKnown({ http, url }: Endpoint): Promise<readonly HttpReply[]> {
  const replies: HttpReply[] = []
  const asRoot = serverLocations(new URL('/', url)).slice(0, 1)
  for (const location of [...resourceLocations(url, undefined), ...asRoot]) {
    replies.push(await getJson(http, location))
  }
  return replies
}

/** A fault that no client passes. */
const isUnreached = (reach: Observations['reach']) =>
  replyFaults(reach).some(({ code }) => FAULTS[code].breaks === 'all')

/** Whether nothing more can be observed: no client passes, or the transport is one of the past. */
export const isBlocked = ({ reach }: Pick<Observations, 'reach'>): boolean =>
  isUnreached(reach) || replyFaults(reach).some(({ code }) => code === 'legacy-sse-only')

function notesOf(observed: Observations, options: DoctorOptions): string[] {
  const notes: string[] = [...eventNotes(observed.events, options.active)]
  const { pasted, discovery, token, cut } = observed
  if (cut?.why === 'rate-limited' && cut.served >= REQUESTS_OF_A_CLIENT) {
    notes.push(
      `The server limits the rate of requests: after ${cut.served}, the next one had status 429. The rest was not examined.`,
    )
  }
  if (isPrivateHost(pasted)) {
    notes.push(
      'The URL is local. Claude, Claude Desktop and ChatGPT connect from the internet; they were examined as if the URL were public.',
    )
  }
  if (discovery === undefined) return notes
  if (!canSignIn(discovery)) {
    if (token === undefined) {
      notes.push('Nothing after discovery was examined, because no client can sign in.')
    }
    return notes
  }
  const withheld = observed.signIn?.withheld
  if (withheld !== undefined) {
    notes.push(`No code and no token was sent. ${printable(withheld, 800)}.`)
  }
  if (token === undefined) {
    notes.push(
      withheld === undefined
        ? 'Nothing after sign-in was examined. Pass --login to sign in with a browser, or --token.'
        : 'Nothing after sign-in was examined. Correct the metadata first, or pass --token.',
    )
  }
  if (!options.active)
    notes.push(
      'Registration and refresh were not examined. Pass --active; it leaves registered clients behind.',
    )
  return notes
}
