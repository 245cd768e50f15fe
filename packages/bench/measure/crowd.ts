/** Measures publications to a crowd of listeners: one at a time, and a storm. */
import { performance } from 'node:perf_hooks'
import { Listeners } from '../load/listeners.ts'
import { modernListen } from '../load/request.ts'
import { bundleOf } from './bundle.ts'
import { residentBytes } from './heap.ts'
import { cpuSeconds } from './processor.ts'
import { publish } from './publish.ts'
import type { StreamKind } from './stream-memory.ts'
import { Workerd } from './workerd.ts'

export interface Crowd {
  readonly name: string
  readonly streams: number
  readonly openMilliseconds: number
  readonly residentBytes: number
  /** From sending the call that publishes to the last delivery. The first one is listed first. */
  readonly publications: readonly {
    readonly milliseconds: number
    readonly cpuMilliseconds: number
  }[]
  readonly storm: Storm
  /** What one more listener is answered; undefined where streams are not refused. */
  readonly refused: Refused | undefined
}

interface Storm {
  readonly publications: number
  /** From the first call to the answer to the last one. */
  readonly publishMilliseconds: number
  /** From the first call to the last delivery. */
  readonly quietMilliseconds: number
  /** Fewest and most notifications of one listener. */
  readonly fewest: number
  readonly most: number
}

interface Refused {
  readonly status: number
  readonly retryAfter: string | null
  readonly message: string
}

const PUBLICATIONS = 6
const STORM_PUBLICATIONS = 20

/** Publications of the storm that are under way at the same time. */
const STORM_CONCURRENCY = 4
const SETTLE_MS = 500

/** @throws {Error} when a listener does not receive each notification exactly once */
export async function measureCrowd(
  { name, lane, entry, requests, opening }: StreamKind,
  count: number,
  isFull: boolean,
): Promise<Crowd> {
  const server = await Workerd.spawn(await bundleOf(lane, entry), lane.bindings?.[entry])
  const { pid, port, url } = server
  let listeners: Listeners | undefined
  try {
    await server.ready()
    const requestOf = await requests(server, count)
    const openedAt = performance.now()
    listeners = await Listeners.open(port, requestOf, count, opening)
    const openMilliseconds = performance.now() - openedAt
    const resident = residentBytes(pid)
    const publications: { milliseconds: number; cpuMilliseconds: number }[] = []
    while (publications.length < PUBLICATIONS) {
      const cpuBefore = cpuSeconds(pid)
      const startedAt = performance.now()
      const lastAt = await listeners.deliver(() => publish(url))
      await listeners.settle(SETTLE_MS)
      const cpuMilliseconds = (cpuSeconds(pid) - cpuBefore) * 1000
      publications.push({ milliseconds: lastAt - startedAt, cpuMilliseconds })
    }
    const storm = await measureStorm(listeners, url)
    await listeners.settle(SETTLE_MS)
    const refused = isFull ? await oneMore(url) : undefined
    return {
      name,
      streams: count,
      openMilliseconds,
      residentBytes: resident,
      publications,
      storm,
      refused,
    }
  } finally {
    listeners?.close()
    await server.stop()
  }
}

async function measureStorm(listeners: Listeners, url: string): Promise<Storm> {
  const startedAt = performance.now()
  let publishedAt = startedAt
  const storm = async () => {
    for (let sent = 0; sent < STORM_PUBLICATIONS; sent += STORM_CONCURRENCY) {
      await Promise.all(Array.from({ length: STORM_CONCURRENCY }, () => publish(url)))
    }
    publishedAt = performance.now()
  }
  const { counts, lastAt } = await listeners.deliverAll(storm, STORM_PUBLICATIONS)
  return {
    publications: STORM_PUBLICATIONS,
    publishMilliseconds: publishedAt - startedAt,
    quietMilliseconds: lastAt - startedAt,
    fewest: Math.min(...counts),
    most: Math.max(...counts),
  }
}

async function oneMore(url: string): Promise<Refused> {
  const { headers, body } = modernListen
  const response = await fetch(url, { method: 'POST', headers: { ...headers }, body })
  if (response.status === 200) throw new Error('A listener beyond the limit was accepted')
  const { error } = (await response.json()) as { error: { message: string } }
  const { message } = error
  return { status: response.status, retryAfter: response.headers.get('retry-after'), message }
}
