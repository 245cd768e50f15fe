/** Reads the JavaScript heap of a server over the inspector protocol of V8, and its memory. Linux only. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Resident memory of a process, in bytes. */
export function residentBytes(pid: number): number {
  const [, kilobytes] =
    /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? []
  if (kilobytes === undefined) throw new Error('The process has no resident memory')
  return Number(kilobytes) * 1024
}

/** workerd collects garbage after the command and does not answer it. */
const COLLECTION_MS = 500
const COLLECTIONS = 3

/**
 * The bytes of the isolate's heap that are in use after its garbage was collected.
 *
 * @see https://chromedevtools.github.io/devtools-protocol/v8/Runtime/#method-getHeapUsage
 */
export async function heapBytes(inspectorPort: number): Promise<number> {
  const targets = (await (await fetch(`http://127.0.0.1:${inspectorPort}/json`)).json()) as {
    webSocketDebuggerUrl: string
  }[]
  const [target] = targets
  if (target === undefined) throw new Error('The inspector has no target')
  const socket = new WebSocket(target.webSocketDebuggerUrl)
  await once(socket, 'open')
  const usage = Promise.withResolvers<number>()
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as {
      id?: number
      result?: { usedSize?: number }
    }
    if (id === USAGE_ID) usage.resolve(result?.usedSize ?? Number.NaN)
  })
  const send = (id: number, method: string) => socket.send(JSON.stringify({ id, method }))
  send(1, 'HeapProfiler.enable')
  for (let collection = 0; collection < COLLECTIONS; collection++) {
    send(2 + collection, 'HeapProfiler.collectGarbage')
    await sleep(COLLECTION_MS)
  }
  send(USAGE_ID, 'Runtime.getHeapUsage')
  const used = await usage.promise
  socket.close()
  return used
}

const USAGE_ID = 100
