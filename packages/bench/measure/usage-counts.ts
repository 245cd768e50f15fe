/** Counts what the platform bills for sessions, streams, listeners and checks of grants. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { EntryName, Lane } from '../lanes/lane.ts'
import {
  authorizedCall,
  authorizedListen,
  type LoadRequest,
  modernListen,
  modernPublish,
  sessionCall,
  streamHeaders,
} from '../load/request.ts'
import { openSession } from '../load/session.ts'
import { obtainTokens } from '../load/tokens.ts'
import { bundleOf } from './bundle.ts'
import { cpuSeconds } from './processor.ts'
import { Workerd } from './workerd.ts'

/** Clients of each use. */
const CLIENTS = 100

/** Time in which the deferred work of a use ends. */
const SETTLE_MS = 5_000

/** A check of a grant is used for 30 s. */
const AFTER_CHECK_MS = 31_000

/** An object without requests is evicted after ten seconds. */
const EVICTION_MS = 15_000

const MINUTE_MS = 60_000

/** Of one client. */
export interface UsageCounts {
  readonly lane: Lane
  readonly use: UsageName
  readonly workerRequests: number
  readonly objectRequests: number
  readonly alarms: number
  /** Messages from Workers to objects over WebSockets. */
  readonly messages: number
  readonly rowsRead: number
  readonly rowsWritten: number
  /** Processor time of the server in milliseconds. */
  readonly cpuMilliseconds: number
}

export type UsageName =
  | 'open-session'
  | 'session-call'
  | 'woken-session-call'
  | 'open-stream'
  | 'stream-minute'
  | 'change-on-stream'
  | 'open-listener'
  | 'listener-minute'
  | 'change-to-listener'
  | 'first-authorized-call'
  | 'checked-authorized-call'
  | 'grant-check'
  | 'authorized-listener-minute'

type Counted = Omit<UsageCounts, 'lane' | 'use' | 'workerRequests' | 'cpuMilliseconds'>

const ENTRIES = [
  ['counted-session', countSessions],
  ['counted-listening', countListeners],
  ['counted-authorized', countAuthorized],
] as const

/**
 * Counts on all servers at the same time, because they are idle for most of it.
 *
 * @throws {Error} for a response with an unexpected status
 */
export async function measureUsageCounts(
  lanes: readonly Lane[],
  progress: (text: string) => void,
): Promise<readonly UsageCounts[]> {
  const servers = lanes
    .filter(({ supports }) => supports.includes('usage-counts'))
    .flatMap((lane) => ENTRIES.map(([entry, count]) => ({ lane, entry, count })))
    .filter(({ lane, entry }) => lane.bindings?.[entry] !== undefined)
  for (const { lane, entry } of servers) await bundleOf(lane, entry)
  progress(`counting on ${servers.length} servers, about five minutes`)
  const counted = servers.map(({ lane, entry, count }) => withServer(lane, entry, count))
  return (await Promise.all(counted)).flat()
}

async function withServer(
  lane: Lane,
  entry: EntryName,
  count: (client: CountingClient, lane: Lane) => Promise<void>,
): Promise<readonly UsageCounts[]> {
  const server = await Workerd.spawn(await bundleOf(lane, entry), lane.bindings?.[entry])
  const client = new CountingClient(server, lane)
  try {
    await server.ready()
    await count(client, lane)
    return client.counted
  } finally {
    client.close()
    await server.stop()
  }
}

async function countSessions(client: CountingClient, lane: Lane): Promise<void> {
  const { sessionRevision } = lane
  // The first session creates the keys.
  await client.openSession()
  const ids: string[] = []
  await client.count('open-session', 2, async () => {
    ids.push(await client.openSession())
  })
  const call = (at: number) => client.send(sessionCall(sessionRevision, ids[at] ?? ''))
  for (let at = 0; at < CLIENTS; at++) await call(at)
  await client.count('session-call', 1, call)
  await sleep(EVICTION_MS)
  await client.count('woken-session-call', 1, call)
  await client.count('open-stream', 1, (at) =>
    client.hold({ headers: streamHeaders(sessionRevision, ids[at] ?? '') }),
  )
  await client.countMinute('stream-minute')
  if (!lane.supports.includes('publish')) return
  await client.countPublication('change-on-stream')
}

async function countListeners(client: CountingClient, lane: Lane): Promise<void> {
  await client.count('open-listener', 1, () => client.hold(modernListen))
  await client.countMinute('listener-minute')
  if (lane.supports.includes('publish')) await client.countPublication('change-to-listener')
}

async function countAuthorized(client: CountingClient): Promise<void> {
  const tokens: string[] = []
  for (let at = 0; at < CLIENTS; at++) tokens.push(await client.token())
  const call = (at: number) => client.send(authorizedCall(tokens[at] ?? ''))
  await client.count('first-authorized-call', 1, call)
  await client.count('checked-authorized-call', 1, call)
  await sleep(AFTER_CHECK_MS)
  await client.count('grant-check', 1, call)
  for (const token of tokens) await client.hold(authorizedListen(token))
  await client.countMinute('authorized-listener-minute')
}

/** Sends requests, holds streams open, and takes the counts of the server. */
class CountingClient {
  readonly counted: UsageCounts[] = []
  readonly #url: string
  readonly #pid: number
  readonly #lane: Lane
  #cpuBefore = 0
  #streams = new AbortController()
  /** Node.js cancels the body of a response that is garbage. */
  #held: Response[] = []

  constructor({ url, pid }: Pick<Workerd, 'url' | 'pid'>, lane: Lane) {
    this.#url = url
    this.#pid = pid
    this.#lane = lane
  }

  /** Counts a use by each client. */
  async count(use: UsageName, requests: number, run: (at: number) => Promise<void>): Promise<void> {
    await this.#take()
    for (let at = 0; at < CLIENTS; at++) await run(at)
    await sleep(SETTLE_MS)
    await this.#add(use, requests)
  }

  /**
   * Counts a minute in which the clients have open streams and send nothing. It is not the first one of
   * the streams: a young stream may send comments more often.
   */
  async countMinute(use: UsageName): Promise<void> {
    await sleep(MINUTE_MS)
    await this.#take()
    await sleep(MINUTE_MS)
    await this.#add(use, 0)
  }

  /** Counts one publication, divided by the streams that it reaches. */
  async countPublication(use: UsageName): Promise<void> {
    await this.#take()
    await this.send(modernPublish)
    await sleep(SETTLE_MS)
    await this.#add(use, 0)
  }

  async openSession(): Promise<string> {
    const id = await openSession(this.#url, this.#lane.sessionRevision)
    if (id === undefined) throw new Error(`${this.#lane.name} issues no session id`)
    return id
  }

  async token(): Promise<string> {
    return (await obtainTokens(new URL(this.#url).origin)).accessToken
  }

  async send(request: LoadRequest): Promise<void> {
    await (await this.#fetch(request)).text()
  }

  /** Opens a stream, a GET when there is no body. */
  async hold(request: Pick<LoadRequest, 'headers'> & { readonly body?: string }): Promise<void> {
    this.#held.push(await this.#fetch(request))
  }

  /** Closes the streams. */
  close(): void {
    this.#streams.abort()
    this.#streams = new AbortController()
    this.#held = []
  }

  async #fetch({ headers, body }: { readonly headers: object; readonly body?: string }) {
    const method = body === undefined ? 'GET' : 'POST'
    const init = { method, headers: { ...headers }, signal: this.#streams.signal }
    const response = await fetch(this.#url, body === undefined ? init : { ...init, body })
    if (response.status === 200) return response
    throw new Error(`A counted request is answered ${response.status}: ${await response.text()}`)
  }

  async #add(use: UsageName, workerRequests: number): Promise<void> {
    const cpuMilliseconds = ((cpuSeconds(this.#pid) - this.#cpuBefore) * 1000) / CLIENTS
    const taken = await this.#take()
    const perClient = (name: keyof Counted) => taken[name] / CLIENTS
    this.counted.push({
      lane: this.#lane,
      use,
      workerRequests,
      objectRequests: perClient('objectRequests'),
      alarms: perClient('alarms'),
      messages: perClient('messages'),
      rowsRead: perClient('rowsRead'),
      rowsWritten: perClient('rowsWritten'),
      cpuMilliseconds,
    })
  }

  async #take(): Promise<Counted> {
    const counted = (await (await fetch(new URL('/counts', this.#url))).json()) as Counted
    this.#cpuBefore = cpuSeconds(this.#pid)
    return counted
  }
}
