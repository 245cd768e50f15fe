/** Measures how long one notification takes to reach a thousand listeners of one server. */
import { performance } from 'node:perf_hooks'
import type { Lane } from '../lanes/lane.ts'
import { Listeners } from '../load/listeners.ts'
import { modernListen, modernPublish, requestBytes } from '../load/request.ts'
import { bundleOf } from './bundle.ts'
import { parseResult } from './json-rpc-result.ts'
import { cpuSeconds } from './processor.ts'
import { Workerd } from './workerd.ts'

export const LISTENERS = 1000

export interface Publication {
  /** From sending the publishing call to the last listener's receipt of the notification. */
  readonly milliseconds: number
  /** Server processor time of the publication, until the server is idle again. */
  readonly cpuMilliseconds: number
}

export interface PublishSeries {
  readonly lane: Lane
  readonly publications: readonly Publication[]
}

const MIN_PUBLICATIONS = 10
const WARM_UP_PUBLICATIONS = 5

/** Time in which a server becomes idle, and in which a duplicate notification would arrive. */
const SETTLE_MS = 150

/**
 * Lanes publish in turn. The listeners of every lane stay connected during the whole measurement.
 *
 * @throws {Error} when a listener does not receive a notification exactly once
 */
export async function measurePublish(
  lanes: readonly Lane[],
  rounds: number,
  progress: (text: string) => void,
): Promise<readonly PublishSeries[]> {
  const servers: ListeningServer[] = []
  try {
    for (const lane of lanes.filter(({ supports }) => supports.includes('publish'))) {
      progress(`opening ${LISTENERS} listeners: ${lane.name}`)
      servers.push(await ListeningServer.open(lane))
    }
    for (let turn = 1 - WARM_UP_PUBLICATIONS; turn <= Math.max(rounds, MIN_PUBLICATIONS); turn++) {
      if (turn > 0 && servers.length > 0) progress(`publication ${turn}`)
      for (const server of servers) {
        const publication = await server.publish()
        if (turn > 0) server.publications.push(publication)
      }
    }
    return servers
  } finally {
    await Promise.all(servers.map((server) => server.close()))
  }
}

/** A server with its connected listeners. */
class ListeningServer implements PublishSeries {
  readonly publications: Publication[] = []
  readonly lane: Lane
  readonly #server: Workerd
  readonly #listeners: Listeners

  private constructor(lane: Lane, server: Workerd, listeners: Listeners) {
    this.lane = lane
    this.#server = server
    this.#listeners = listeners
  }

  static async open(lane: Lane): Promise<ListeningServer> {
    const bundled = await bundleOf(lane, 'listening')
    const server = await Workerd.spawn(bundled, lane.bindings?.listening)
    try {
      await server.ready()
      const request = requestBytes(modernListen, server.port)
      return new ListeningServer(
        lane,
        server,
        await Listeners.open(server.port, () => request, LISTENERS),
      )
    } catch (error) {
      await server.stop()
      throw error
    }
  }

  async publish(): Promise<Publication> {
    const { pid, url } = this.#server
    const cpuBefore = cpuSeconds(pid)
    const startedAt = performance.now()
    const lastAt = await this.#listeners.deliver(() => publish(url))
    await this.#listeners.settle(SETTLE_MS)
    return {
      milliseconds: lastAt - startedAt,
      cpuMilliseconds: (cpuSeconds(pid) - cpuBefore) * 1000,
    }
  }

  async close(): Promise<void> {
    this.#listeners.close()
    await this.#server.stop()
  }
}

/** Calls the publishing tool. @throws {Error} for a wrong answer */
export async function publish(url: string): Promise<void> {
  const { headers, body } = modernPublish
  const response = await fetch(url, { method: 'POST', headers: { ...headers }, body })
  const text = await response.text()
  const { content, isError } = parseResult(text) ?? {}
  if (isError === true || JSON.stringify(content) !== '[{"type":"text","text":"published"}]') {
    throw new Error(
      `The response to a publishing call is ${response.status}: ${text.slice(0, 400)}`,
    )
  }
}
