/** Finds ports for servers that must know their port before they start, or start on it again. */
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Below the ports that systems assign to connections and to servers without a port, which begin at 32,768 on
 * Linux and at 49,152 elsewhere: one of those can be taken between its discovery and its use.
 */
const FIRST_PORT = 10_000
const PORTS_PER_PROCESS = 100
const PROCESSES = 220

let found = 0

/**
 * Returns a port of 127.0.0.1 on which nothing listens. A process returns each of its ports once in a hundred
 * calls, and processes at the same time mostly have different ones.
 */
export async function findFreePort(): Promise<number> {
  const first = FIRST_PORT + (process.pid % PROCESSES) * PORTS_PER_PROCESS
  for (let tries = 0; tries < PORTS_PER_PROCESS; tries += 1) {
    const port = first + (found++ % PORTS_PER_PROCESS)
    if (await isFree(port)) return port
  }
  throw new Error(`No port from ${first} to ${first + PORTS_PER_PROCESS - 1} is free`)
}

/** Whether nothing listens on a port of 127.0.0.1. */
export async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    // In use, or reserved by the system.
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}
