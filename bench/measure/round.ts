/** One round: a server under load for a moment, and what each request cost it. */
import { performance } from 'node:perf_hooks'
import { cpuUsage } from 'node:process'
import type { Dialogue } from '../load/dialogue.ts'
import { Replay } from '../load/replay.ts'
import { processorSeconds } from './processor.ts'

export interface Round {
  /** Server processor time per completed dialogue, which is a request for most works, in microseconds. */
  readonly cpuMicroseconds: number
  readonly requestsPerSecond: number
  /** Shares of a core, 0 to 1. Where the server's is near 1, nothing else is the bottleneck. */
  readonly serverShare: number
  readonly driverShare: number
}

/** Long enough to accept the connections and to fetch a server that slept back into the caches. */
const WARM_MS = 50

/** The server is idle before and after, so that all its processor time is that of the burst. */
export async function measureRound(
  server: { readonly pid: number; readonly port: number },
  dialogues: readonly Dialogue[],
  milliseconds: number,
): Promise<Round> {
  const replay = await Replay.open(server.port, dialogues)
  try {
    await replay.burst(WARM_MS)
    const before = sample(server.pid, replay)
    await replay.burst(milliseconds)
    const after = sample(server.pid, replay)
    return compare(before, after)
  } finally {
    replay.close()
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

function sample(serverPid: number, replay: Replay): Sample {
  const { user, system } = cpuUsage()
  return {
    at: performance.now() / 1000,
    completed: replay.completed,
    server: processorSeconds(serverPid),
    driver: (user + system) / 1e6,
  }
}
