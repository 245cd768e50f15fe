/**
 * One server with its clients. Rounds of kills, during which the clients work, alternate with pauses, in
 * which the ledger is compared with the server.
 */
import { createClients } from './clients/create-clients.ts'
import { readCounters } from './clients/read-counters.ts'
import { killOnce } from './kill-schedule.ts'
import { KilledServer } from './killed-server.ts'
import type { Ledger } from './ledger/ledger.ts'
import type { Random } from './random.ts'
import { Workers } from './workers.ts'

export interface LaneOptions {
  readonly name: string
  readonly isProtected: boolean
  readonly ledger: Ledger
  readonly random: Random
  /** Whether the last round of kills is over. */
  readonly isDone: () => boolean
  /** Called after each comparison of the ledger with the server. */
  readonly onPause: () => void
}

const KILLS_PER_ROUND = 15

/** Runs a lane and returns the durations of its restarts in milliseconds. */
export async function runLane(options: LaneOptions): Promise<readonly number[]> {
  const { name, isProtected, ledger, random, isDone, onPause } = options
  const server = await KilledServer.start({
    name,
    ledger,
    served: { protected: isProtected, variant: 'work' },
  })
  const schedule = random.fork('kills')
  try {
    const { clients, callers } = await createClients({ name, server, ledger, random })
    await Promise.all(clients.map((client) => client.open()))
    const workers = new Workers(server)
    workers.start(clients, random)
    while (!isDone()) {
      for (let kill = 0; kill < KILLS_PER_ROUND && !isDone(); kill++)
        await killOnce(server, schedule, ledger)
      await workers.pause()
      await Promise.all(clients.map((client) => client.settle()))
      for (const caller of callers) {
        await caller.effects.check((counters) => readCounters(server.url, caller, counters))
      }
      ledger.count('pauses')
      onPause()
      if (!isDone()) workers.resume()
    }
    return server.restartsMs
  } finally {
    await server.stop()
  }
}
