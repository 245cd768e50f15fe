/**
 * One server with its clients. Rounds of kills, during which the clients work, alternate with pauses, in
 * which the ledger is compared with the server.
 */
import { bounded } from '../faults/sessions/bounded.ts'
import type { SoakClient } from './clients/client.ts'
import { createClients } from './clients/create-clients.ts'
import { readCounters } from './clients/read-counters.ts'
import { Gate } from './gate.ts'
import { KilledServer } from './killed-server.ts'
import type { Ledger } from './ledger/ledger.ts'
import type { Random } from './random.ts'

export interface LaneOptions {
  readonly name: string
  readonly isProtected: boolean
  readonly ledger: Ledger
  readonly random: Random
  /** Whether the last round of kills is over. */
  readonly isDone: () => boolean
}

const KILLS_PER_ROUND = 25

/** Operations that are under way at the end of a round end within this time, in milliseconds. */
const PAUSE_TIMEOUT_MS = 120_000

/** Runs a lane and returns the durations of its restarts in milliseconds. */
export async function runLane(options: LaneOptions): Promise<readonly number[]> {
  const { name, isProtected, ledger, random, isDone } = options
  const server = await KilledServer.start({
    name,
    isProtected,
    ledger,
    random: random.fork('kills'),
  })
  try {
    const { clients, callers } = await createClients({ name, server, ledger })
    await Promise.all(clients.map((client) => client.open()))
    const gate = new Gate()
    const workers = startWorkers(clients, { server, gate, random, ledger, name })
    while (!isDone()) {
      for (let kill = 0; kill < KILLS_PER_ROUND && !isDone(); kill++) await server.killOnce()
      await bounded(gate.close(workers), 'a pause of all clients', PAUSE_TIMEOUT_MS)
      await Promise.all(clients.map((client) => client.settle()))
      for (const caller of callers) {
        await caller.effects.check((counters) => readCounters(server.url, caller, counters))
      }
      ledger.count('pauses')
      gate.open()
    }
    return server.restartsMs
  } finally {
    await server.stop()
  }
}

interface WorkerSetting {
  readonly server: KilledServer
  readonly gate: Gate
  readonly random: Random
  readonly ledger: Ledger
  readonly name: string
}

/** Starts the workers of all clients and returns their number. */
function startWorkers(clients: readonly SoakClient[], setting: WorkerSetting): number {
  let count = 0
  for (const [index, client] of clients.entries()) {
    for (let worker = 0; worker < client.workers; worker++) {
      count++
      void work(client, `${index}.${worker}`, setting)
    }
  }
  return count
}

async function work(
  client: SoakClient,
  part: string,
  { server, gate, random, ledger, name }: WorkerSetting,
): Promise<void> {
  const choices = random.fork(part)
  const own = ledger.client(`${name}/worker-${part}`)
  while (!server.isOver) {
    await gate.pass()
    try {
      await client.operate(choices)
      ledger.count('operations')
    } catch (error) {
      if (server.isOver) return
      const text = `An operation failed: ${error instanceof Error ? error.stack : error}`
      own.violation('unexpected-answer', text)
    }
  }
}
