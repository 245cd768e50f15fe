/** Measures the memory of idle streams: of the process, and of the JavaScript heap. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { EntryName, Lane } from '../lanes/lane.ts'
import { Listeners } from '../load/listeners.ts'
import { bundleOf } from './bundle.ts'
import { heapBytes, residentBytes } from './heap.ts'
import { Workerd } from './workerd.ts'

export interface StreamMemory {
  readonly name: string
  readonly streams: number
  /** Resident memory of the process per stream. */
  readonly residentBytesPerStream: number
  readonly heapBytesPerStream: number
  /** The heap in use with all streams open. */
  readonly heapBytes: number
}

export interface StreamKind {
  readonly name: string
  readonly lane: Lane
  readonly entry: EntryName
  /** Prepares the requests of some streams. */
  readonly requests: (server: Workerd, count: number) => Promise<(index: number) => Buffer>
  /** Text of the event after which a stream is open. */
  readonly opening: string
}

/** Streams that are opened before the first reading, so that code and caches are not counted. */
const WARM_UP = 50
const SETTLE_MS = 1000

export async function measureStreamMemory(kind: StreamKind, count: number): Promise<StreamMemory> {
  const { lane, entry, opening } = kind
  const server = await Workerd.spawn(await bundleOf(lane, entry), lane.bindings?.[entry], true)
  const { inspectorPort = 0, pid, port } = server
  const opened: Listeners[] = []
  try {
    await server.ready()
    const requestOf = await kind.requests(server, WARM_UP + count)
    opened.push(await Listeners.open(port, requestOf, WARM_UP, opening))
    const heapBefore = await heapBytes(inspectorPort)
    const residentBefore = residentBytes(pid)
    const others = (index: number) => requestOf(WARM_UP + index)
    opened.push(await Listeners.open(port, others, count, opening))
    await sleep(SETTLE_MS)
    const resident = residentBytes(pid)
    const heap = await heapBytes(inspectorPort)
    return {
      name: kind.name,
      streams: count,
      residentBytesPerStream: (resident - residentBefore) / count,
      heapBytesPerStream: (heap - heapBefore) / count,
      heapBytes: heap,
    }
  } finally {
    for (const listeners of opened) listeners.close()
    await server.stop()
  }
}
