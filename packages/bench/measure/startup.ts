/** Measures the time from spawning a server's process to the end of its first response. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bindings } from '../lanes/lane.ts'
import { type LoadRequest, requestBytes } from '../load/request.ts'
import { ResponseFraming } from '../load/response-framing.ts'
import type { Bundle } from './bundle.ts'
import { Workerd } from './workerd.ts'

const TIMEOUT_MS = 10_000

/** Returns milliseconds. @throws {Error} for another status or no response */
export async function measureStartup(
  bundle: Bundle,
  bindings: Bindings | undefined,
  request: LoadRequest,
): Promise<number> {
  const startedAt = performance.now()
  const server = await Workerd.spawn(bundle, bindings)
  try {
    const bytes = requestBytes(request, server.port)
    while (!(await isAnswered(server.port, bytes, request.status))) {
      if (performance.now() - startedAt > TIMEOUT_MS) throw new Error('There is no first response')
      await sleep(1)
    }
    return performance.now() - startedAt
  } finally {
    await server.stop()
  }
}

/** False when the server does not listen yet. */
async function isAnswered(port: number, bytes: Buffer, status = 200): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true })
  const framing = new ResponseFraming()
  try {
    await once(socket, 'connect')
  } catch {
    return false
  }
  socket.write(bytes)
  for await (const chunk of socket) {
    if (framing.push(chunk)) {
      if (framing.status !== status) throw new Error(`The first response is ${framing.status}`)
      break
    }
  }
  socket.destroy()
  return true
}
