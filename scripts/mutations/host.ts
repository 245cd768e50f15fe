/** The parent's side of a test host: one process with vitest over one tree, started again when it hangs or ends. */
import { type ChildProcess, fork } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { killWithThisProcess } from '../support/child-processes.ts'
import { type HostRequest, type HostResponse, StoppedError } from './host-messages.ts'
import { MUTATIONS_DIRECTORY } from './tree.ts'

/** What the tests print. */
export const HOST_LOG = join(MUTATIONS_DIRECTORY, 'tests.log')

export interface Host {
  /** @throws {Error} when the process ends, or does not answer in time, after which the host is closed */
  ask<T extends HostResponse['type']>(
    request: HostRequest,
    type: T,
    timeoutMs: number,
  ): Promise<Extract<HostResponse, { type: T }>>
  close(): Promise<void>
}

/** The hosts that have not ended. They end with this process, and with all that they have started. */
const running = new Set<ChildProcess>()
process.on('exit', () => running.forEach(killGroup))
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    process.stderr.write(`Ended by ${signal}. A start with the same seed continues.\n`)
    process.exit(1)
  })
}

export function startHost(directory: string): Host {
  const log = openSync(HOST_LOG, 'a')
  const child = fork(join(import.meta.dirname, 'test-host.ts'), {
    cwd: directory,
    env: { ...process.env, PWD: directory },
    stdio: ['ignore', log, log, 'ipc'],
    // A group of its own, which ends with all its servers.
    detached: true,
  })
  closeSync(log)
  killWithThisProcess(child)
  running.add(child)
  child.once('exit', () => {
    // What a test has left behind.
    killGroup(child)
    running.delete(child)
  })
  return {
    async ask(request, type, timeoutMs) {
      const response = await answerOf(child, request, timeoutMs)
      if (response.type === type) return response as Extract<HostResponse, { type: typeof type }>
      const reason = response.type === 'failed' ? response.reason : `it answered ${response.type}`
      throw new Error(`The tests could not run; ${HOST_LOG} has what they printed: ${reason}`)
    },
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = new Promise((resolve) => child.once('exit', resolve))
      const timer = setTimeout(() => killGroup(child), 20_000)
      if (child.connected) child.send({ type: 'close' } satisfies HostRequest)
      else killGroup(child)
      await ended
      clearTimeout(timer)
    },
  }
}

function answerOf(
  child: ChildProcess,
  request: HostRequest,
  timeoutMs: number,
): Promise<HostResponse> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      killGroup(child)
      const minutes = Math.round(timeoutMs / 60_000)
      finish(() =>
        reject(new StoppedError(`the tests did not end within ${minutes} minutes`, false)),
      )
    }, timeoutMs)
    const onExit = (code: number | null, signal: string | null) => {
      const how = signal === null ? `with exit code ${code}` : `by ${signal}`
      finish(() => reject(new StoppedError(`the process of the tests ended early ${how}`, true)))
    }
    const onMessage = (response: HostResponse) => finish(() => resolve(response))
    function finish(settle: () => void): void {
      clearTimeout(timer)
      child.off('exit', onExit)
      child.off('message', onMessage)
      settle()
    }
    child.once('exit', onExit)
    child.on('message', onMessage)
    child.send(request)
  })
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}
