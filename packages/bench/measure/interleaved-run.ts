/** Starts the servers of a run, checks and warms them, and measures them in interleaved rounds. */
import type { Bindings, Lane } from '../lanes/lane.ts'
import { LANES } from '../lanes/lanes.ts'
import {
  type ConnectionScript,
  refreshRequests,
  singleRequest,
  twoRoundTrips,
} from '../load/connection-script.ts'
import { CONNECTIONS } from '../load/load-generator.ts'
import { bundleOf } from './bundle.ts'
import { checkResponses } from './check.ts'
import { prepareClient } from './client-state.ts'
import { measureRound, type Round } from './round.ts'
import { SCENARIOS, type Scenario } from './scenarios.ts'
import { Workerd } from './workerd.ts'

/** The rounds of one lane in one scenario. */
export interface Series {
  readonly lane: Lane
  readonly scenario: Scenario
  readonly rounds: Round[]
}

interface RunningSeries extends Series {
  readonly server: Workerd
  /** Scripts that are reused in every turn, because their tokens stay valid. */
  reusedScripts?: readonly ConnectionScript[]
}

/** Load before the first round, long enough for V8 to optimize the hot functions. */
const WARM_UP_MS = 1_500

export class InterleavedRun {
  readonly #series: RunningSeries[] = []
  readonly #servers: Workerd[] = []

  /** Starts and checks a server for each lane and entry. @throws {Error} for a wrong response */
  static async prepare(
    scenarios: readonly Scenario[],
    lanes: readonly Lane[],
  ): Promise<InterleavedRun> {
    const run = new InterleavedRun()
    try {
      for (const lane of lanes) await run.#addLane(lane, scenarios)
    } catch (error) {
      await run.stop()
      throw error
    }
    run.#series.sort((a, b) => SCENARIOS.indexOf(a.scenario) - SCENARIOS.indexOf(b.scenario))
    return run
  }

  /** Measures every series once per round, with one server under load at a time. */
  async measure(rounds: number, milliseconds: number, progress: (text: string) => void) {
    for (const series of this.#series) {
      progress(`warming ${series.lane.name}: ${series.scenario.name}`)
      await measureTurn(series, WARM_UP_MS)
    }
    for (let round = 1; this.#series.length > 0 && round <= rounds; round++) {
      progress(`round ${round} of ${rounds}`)
      for (const series of this.#series) {
        series.rounds.push(await measureTurn(series, milliseconds))
      }
    }
    return this.#series as readonly Series[]
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.stop()))
  }

  async #addLane(lane: Lane, scenarios: readonly Scenario[]): Promise<void> {
    const servers = new Map<string, Workerd>()
    for (const scenario of scenarios.filter(({ name }) => lane.supports.includes(name))) {
      const key = scenario.needsOwnServer ? scenario.name : scenario.entry
      const server = servers.get(key) ?? (await this.#serve(lane, scenario))
      servers.set(key, server)
      await checkResponses(scenario, lane, server.url)
      this.#series.push({ lane, scenario, server, rounds: [] })
    }
  }

  async #serve(lane: Lane, scenario: Scenario): Promise<Workerd> {
    const bindings = lane.bindings?.[scenario.entry]
    const server = await Workerd.spawn(
      await bundleOf(lane, scenario.entry),
      lane.folder === 'same-bytes' ? await withEdgewayList(bindings, scenario) : bindings,
    )
    this.#servers.push(server)
    await server.ready()
    return server
  }
}

async function measureTurn(series: RunningSeries, milliseconds: number): Promise<Round> {
  // Sessions are opened anew: some lanes lose those in memory while the others have their turns.
  const scripts = series.reusedScripts ?? (await createScripts(series))
  if (series.scenario.needsTokens) series.reusedScripts = scripts
  return measureRound(series.server, scripts, milliseconds)
}

function createScripts(series: RunningSeries): Promise<readonly ConnectionScript[]> {
  return Promise.all(Array.from({ length: CONNECTIONS }, () => createScript(series)))
}

async function createScript({ scenario, lane, server }: RunningSeries): Promise<ConnectionScript> {
  const client = await prepareClient(scenario, lane, server.url)
  const request = scenario.request(lane, client)
  const { next, retry } = scenario
  if (next !== undefined) {
    return refreshRequests(request, (token) => next(client.clientId, token), server.port)
  }
  return retry === undefined
    ? singleRequest(request, server.port)
    : twoRoundTrips(request, retry, server.port)
}

/** Adds Edgeway's `tools/list` response, which the lane `same-bytes` returns as a constant. */
async function withEdgewayList(
  bindings: Bindings | undefined,
  scenario: Scenario,
): Promise<Bindings> {
  const lane = LANES.find(({ folder }) => folder === 'edgeway')
  if (lane === undefined) throw new Error('There is no lane edgeway')
  const server = await Workerd.spawn(
    await bundleOf(lane, scenario.entry),
    lane.bindings?.[scenario.entry],
  )
  try {
    await server.ready()
    return { ...bindings, texts: { TOOLS_LIST: await checkResponses(scenario, lane, server.url) } }
  } finally {
    await server.stop()
  }
}
