/**
 * Measures calls of clients that pause: each calls every two seconds, on the same server for a minute
 * and more. All servers are measured at the same time, because none of them is busy.
 */
import { performance } from 'node:perf_hooks'
import type { EntryName, Lane } from '../lanes/lane.ts'
import { authorizedCall, type LoadRequest, modernCall } from '../load/request.ts'
import { obtainTokens } from '../load/tokens.ts'
import { bundleOf } from './bundle.ts'
import { parseResult } from './json-rpc-result.ts'
import { cpuSeconds } from './processor.ts'
import { type Spread, spreadOf } from './statistics.ts'
import { Workerd } from './workerd.ts'

/** Clients of one server. Each has a token of its own. */
export const CLIENTS = 100
export const PAUSE_MS = 2_000

/** The period in which every grant is checked once in the background. */
const ROUND_MS = 22_000
const ROUNDS = 4
/** Calls before the first round, for V8 to optimize the hot functions. */
const WARM_UP_CALLS = 5_000

export interface PacedRound {
  readonly cpuMicroseconds: number
  readonly latencyMilliseconds: Spread
}

export interface PacedSeries {
  readonly lane: Lane
  readonly entry: EntryName
  readonly rounds: readonly PacedRound[]
}

/** @throws {Error} for a response without the result of the call */
export async function measurePacedCalls(
  lanes: readonly Lane[],
  progress: (text: string) => void,
): Promise<readonly PacedSeries[]> {
  const servers: PacedServer[] = []
  try {
    for (const lane of lanes.filter(({ supports }) => supports.includes('paced'))) {
      const entries: readonly EntryName[] =
        lane.variantOf === undefined ? ['one-tool', 'authorized'] : ['authorized']
      for (const entry of entries) {
        progress(`opening ${CLIENTS} clients that pause: ${lane.name}, ${entry}`)
        servers.push(await PacedServer.open(lane, entry))
      }
    }
    for (let round = 1; servers.length > 0 && round <= ROUNDS; round++) {
      progress(`calls every ${PAUSE_MS / 1000} s, round ${round} of ${ROUNDS}`)
      await Promise.all(servers.map((server) => server.measure()))
    }
    return servers
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
}

class PacedServer implements PacedSeries {
  readonly rounds: PacedRound[] = []
  readonly lane: Lane
  readonly entry: EntryName
  readonly #server: Workerd
  readonly #requests: readonly LoadRequest[]

  private constructor(
    lane: Lane,
    entry: EntryName,
    server: Workerd,
    requests: readonly LoadRequest[],
  ) {
    this.lane = lane
    this.entry = entry
    this.#server = server
    this.#requests = requests
  }

  static async open(lane: Lane, entry: EntryName): Promise<PacedServer> {
    const server = await Workerd.spawn(await bundleOf(lane, entry), lane.bindings?.[entry])
    try {
      await server.ready()
      const requests: LoadRequest[] = []
      for (let client = 0; client < CLIENTS; client++) {
        const token = entry === 'authorized' ? await tokenOf(server) : undefined
        requests.push(token === undefined ? modernCall : authorizedCall(token))
      }
      const paced = new PacedServer(lane, entry, server, requests)
      for (let call = 0; call < WARM_UP_CALLS; call++) {
        await paced.#call(requests[call % CLIENTS] ?? modernCall)
      }
      return paced
    } catch (error) {
      await server.stop()
      throw error
    }
  }

  /** Every client calls with a pause between the starts of two calls, all clients evenly spread. */
  async measure(): Promise<void> {
    const latencies: number[] = []
    const cpuBefore = cpuSeconds(this.#server.pid)
    const startedAt = performance.now()
    await Promise.all(
      this.#requests.map(async (request, client) => {
        const offset = (client * PAUSE_MS) / CLIENTS
        for (let at = offset; at < ROUND_MS; at += PAUSE_MS) {
          await until(startedAt + at)
          latencies.push(await this.#call(request))
        }
      }),
    )
    const cpu = cpuSeconds(this.#server.pid) - cpuBefore
    this.rounds.push({
      cpuMicroseconds: (cpu * 1e6) / latencies.length,
      latencyMilliseconds: spreadOf(latencies),
    })
  }

  stop(): Promise<void> {
    return this.#server.stop()
  }

  async #call({ headers, body }: LoadRequest): Promise<number> {
    const sentAt = performance.now()
    const response = await fetch(this.#server.url, {
      method: 'POST',
      headers: { ...headers },
      body,
    })
    const text = await response.text()
    const latency = performance.now() - sentAt
    if (parseResult(text) === undefined) {
      throw new Error(`${this.lane.name} answers ${response.status}: ${text.slice(0, 400)}`)
    }
    return latency
  }
}

async function tokenOf({ url }: Workerd): Promise<string> {
  return (await obtainTokens(new URL(url).origin)).accessToken
}

function until(time: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, time - performance.now())))
}
