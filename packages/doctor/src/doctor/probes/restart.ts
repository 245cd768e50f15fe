/** A restart of the server by a command of its owner: which session and token outlive it. */
import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Endpoint, sendInitialize, sendInSession } from '../mcp/endpoint.ts'
import type { RpcReply } from '../mcp/rpc.ts'
import { handshakeOf } from './session.ts'

export interface RestartObservation {
  /** Undefined when the server issues no session ids. */
  readonly session?: RpcReply
  readonly initialize: RpcReply
}

const COMMAND_MS = 60_000
const READY_MS = 60_000
const POLL_MS = 250

export async function probeRestart(
  endpoint: Endpoint,
  command: string,
  onRestart: () => void,
): Promise<RestartObservation> {
  const handshake = handshakeOf(await sendInitialize(endpoint, '2025-11-25'))
  await runCommand(command)
  onRestart()
  const initialize = await waitUntilReady(endpoint)
  if (handshake?.sessionId === undefined) return { initialize }
  return { initialize, session: await sendInSession(endpoint, handshake, 'tools/list') }
}

/** A command that is the server itself does not end; it is left running. */
async function runCommand(command: string): Promise<void> {
  const child = spawn(command, { shell: true, stdio: 'ignore', detached: true })
  const ended = new Promise<void>((resolve) => {
    child.on('exit', () => resolve())
    child.on('error', () => resolve())
  })
  const stop = new AbortController()
  await Promise.race([ended, sleep(COMMAND_MS, undefined, { signal: stop.signal }).catch(() => {})])
  stop.abort()
  child.unref()
}

async function waitUntilReady(endpoint: Endpoint): Promise<RpcReply> {
  const deadline = Date.now() + READY_MS
  for (;;) {
    const reply = await sendInitialize(endpoint, '2025-11-25')
    const isStarting = reply.kind === 'failed' || reply.http.status >= 502
    if (!isStarting || Date.now() > deadline) return reply
    await sleep(POLL_MS)
  }
}
