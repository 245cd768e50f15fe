/** How long one publication takes to reach a thousand listeners of one server. */
import { performance } from 'node:perf_hooks'
import type { Lane } from '../lanes/lane.ts'
import { Listeners } from '../load/listeners.ts'
import { modernListen, modernPublish, requestBytes } from '../load/request.ts'
import { parseAnswer } from './answer.ts'
import { bundleOf } from './contest.ts'
import { processorSeconds } from './processor.ts'
import { Workerd } from './workerd.ts'

export const LISTENERS = 1000

export interface Publication {
  /** From sending the request that publishes to the last listener having received the news. */
  readonly milliseconds: number
  /** Server processor time of that publication, until the server is at rest again. */
  readonly cpuMilliseconds: number
}

export interface PublishSeries {
  readonly lane: Lane
  readonly publications: readonly Publication[]
}

const MIN_PUBLICATIONS = 10
const WARM_UP_PUBLICATIONS = 5

/** In which a server comes to rest, and in which news that comes twice would come again. */
const REST_MS = 150

/**
 * Lanes publish in turn, each to listeners of its own that stay open all the while.
 *
 * @throws {Error} when one listener of one publication does not hear of it exactly once
 */
export async function measurePublish(
  lanes: readonly Lane[],
  rounds: number,
  progress: (text: string) => void,
): Promise<readonly PublishSeries[]> {
  const stations: Station[] = []
  try {
    for (const lane of lanes.filter(({ works }) => works.includes('publish'))) {
      progress(`opening ${LISTENERS} listeners: ${lane.name}`)
      stations.push(await Station.open(lane))
    }
    for (let turn = 1 - WARM_UP_PUBLICATIONS; turn <= Math.max(rounds, MIN_PUBLICATIONS); turn++) {
      if (turn > 0 && stations.length > 0) progress(`publication ${turn}`)
      for (const station of stations) {
        const publication = await station.publish()
        if (turn > 0) station.publications.push(publication)
      }
    }
    return stations
  } finally {
    await Promise.all(stations.map((station) => station.close()))
  }
}

/** A server and its listeners. */
class Station implements PublishSeries {
  readonly publications: Publication[] = []
  readonly lane: Lane
  readonly #server: Workerd
  readonly #listeners: Listeners

  private constructor(lane: Lane, server: Workerd, listeners: Listeners) {
    this.lane = lane
    this.#server = server
    this.#listeners = listeners
  }

  static async open(lane: Lane): Promise<Station> {
    const bundled = await bundleOf(lane, 'listening')
    const server = await Workerd.spawn(bundled, lane.bindings?.listening)
    try {
      await server.ready()
      const request = requestBytes(modernListen, server.port)
      return new Station(lane, server, await Listeners.open(server.port, request, LISTENERS))
    } catch (error) {
      await server.stop()
      throw error
    }
  }

  async publish(): Promise<Publication> {
    const { pid, url } = this.#server
    const cpuBefore = processorSeconds(pid)
    const startedAt = performance.now()
    const lastAt = await this.#listeners.deliver(() => publish(url))
    await this.#listeners.rest(REST_MS)
    return {
      milliseconds: lastAt - startedAt,
      cpuMilliseconds: (processorSeconds(pid) - cpuBefore) * 1000,
    }
  }

  async close(): Promise<void> {
    this.#listeners.close()
    await this.#server.stop()
  }
}

async function publish(url: string): Promise<void> {
  const { headers, body } = modernPublish
  const response = await fetch(url, { method: 'POST', headers: { ...headers }, body })
  const text = await response.text()
  const { content, isError } = parseAnswer(text) ?? {}
  if (isError === true || JSON.stringify(content) !== '[{"type":"text","text":"published"}]') {
    throw new Error(`A publication is answered with ${response.status}: ${text.slice(0, 400)}`)
  }
}
