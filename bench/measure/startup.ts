/** How long a server takes from the start of its process to its first answer. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { type LoadRequest, requestBytes } from '../load/request.ts'
import { ResponseFraming } from '../load/response-framing.ts'
import type { Bundle } from './bundle.ts'
import { Workerd } from './workerd.ts'

const GIVE_UP_MS = 10_000

/** Milliseconds, with a server of its own. */
export async function measureStartup(bundle: Bundle, request: LoadRequest): Promise<number> {
  const startedAt = performance.now()
  const server = await Workerd.spawn(bundle)
  try {
    const bytes = requestBytes(request, server.port)
    while (!(await isAnswered(server.port, bytes))) {
      if (performance.now() - startedAt > GIVE_UP_MS) throw new Error('No first answer')
      await sleep(1)
    }
    return performance.now() - startedAt
  } finally {
    await server.stop()
  }
}

/** False while nothing listens. */
async function isAnswered(port: number, bytes: Buffer): Promise<boolean> {
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
      if (framing.status !== 200) throw new Error(`The first answer is ${framing.status}`)
      break
    }
  }
  socket.destroy()
  return true
}
