/** Access to the workerd process that miniflare spawns, for which miniflare has no public method. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { type ChildProcess, spawn } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'

const observers = new AsyncLocalStorage<(child: ChildProcess) => void>()

/**
 * Calls a function and resolves with the first child process that it spawns, at once or later. Node.js
 * publishes every child process on a channel, in the asynchronous context of the code that spawns it.
 *
 * @see https://nodejs.org/api/diagnostics_channel.html#child-process
 */
export function observeSpawn<T>(call: () => T): { result: T; child: Promise<ChildProcess> } {
  const { promise: child, resolve } = Promise.withResolvers<ChildProcess>()
  return { result: observers.run(resolve, call), child }
}

subscribe('child_process', (message) => {
  observers.getStore()?.((message as { process: ChildProcess }).process)
})

/**
 * Kills a child process when this process ends, also by SIGKILL. A detached shell waits for a line
 * from this process, which is sent when the child exits. If the pipe closes first, the shell kills.
 */
export function killWithThisProcess(child: ChildProcess): void {
  const shell = spawn('sh', ['-c', 'read -r line || kill -KILL "$1"', 'sh', String(child.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  child.once('exit', () => shell.stdin?.end('exited\n'))
}
