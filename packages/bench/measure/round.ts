/** Measures one turn: puts a server under load and divides its processor time by the requests. */
import { performance } from 'node:perf_hooks'
import { cpuUsage } from 'node:process'
import type { ConnectionScript } from '../load/connection-script.ts'
import { LoadGenerator } from '../load/load-generator.ts'
import { cpuSeconds } from './processor.ts'

export interface Round {
  /** Server processor time in microseconds per completed iteration, which is one request or two. */
  readonly cpuMicroseconds: number
  readonly requestsPerSecond: number
  /** Shares of a core, 0 to 1. A server share near 1 means that the server is the bottleneck. */
  readonly serverShare: number
  readonly driverShare: number
}

/** Load before the measurement: accepts the connections and refills the processor caches. */
const WARM_MS = 50

/** The server is idle before and after the burst, so its processor time belongs to the burst. */
export async function measureRound(
  server: { readonly pid: number; readonly port: number },
  scripts: readonly ConnectionScript[],
  milliseconds: number,
): Promise<Round> {
  const load = await LoadGenerator.connect(server.port, scripts)
  try {
    await load.burst(WARM_MS)
    const before = sample(server.pid, load)
    await load.burst(milliseconds)
    const after = sample(server.pid, load)
    return compare(before, after)
  } finally {
    load.close()
  }
}

function compare(before: Sample, after: Sample): Round {
  const completed = after.completed - before.completed
  const elapsed = after.at - before.at
  return {
    cpuMicroseconds: ((after.server - before.server) / completed) * 1e6,
    requestsPerSecond: completed / elapsed,
    serverShare: (after.server - before.server) / elapsed,
    driverShare: (after.driver - before.driver) / elapsed,
  }
}

interface Sample {
  readonly at: number
  readonly completed: number
  readonly server: number
  readonly driver: number
}

function sample(serverPid: number, load: LoadGenerator): Sample {
  const { user, system } = cpuUsage()
  return {
    at: performance.now() / 1000,
    completed: load.completed,
    server: cpuSeconds(serverPid),
    driver: (user + system) / 1e6,
  }
}
