/** Servers of a file of tests, which end after its last test. */
import { afterAll } from 'vitest'

interface Stoppable {
  stop(): Promise<void>
}

/** @returns what a test starts each of its servers with */
export function stoppedAfterAll() {
  const servers: Stoppable[] = []
  afterAll(() => Promise.all(servers.map((server) => server.stop())))
  return async <Server extends Stoppable>(starting: Promise<Server>): Promise<Server> => {
    const server = await starting
    servers.push(server)
    return server
  }
}
