/** Access to the workerd process that miniflare spawns, for which miniflare has no public method. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { type ChildProcess, spawn } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'

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

/** Reads `+ <pid>` and `- <pid>`, and kills the processes that it still has when its input ends. */
const KILLER = `pids=' '
while read -r sign pid; do
  case $sign in
    +) pids="$pids$pid " ;;
    -) pids="\${pids%% $pid *} \${pids#* $pid }" ;;
  esac
done
for pid in $pids; do kill -KILL "$pid"; done`

let killer: Socket | undefined

/**
 * Kills a child process when this process ends, also by SIGKILL. A detached shell has the list of them,
 * and kills when the pipe from this process closes. One shell for all: to spawn it takes as long as to
 * spawn workerd.
 */
export function killWithThisProcess(child: ChildProcess): void {
  killer ??= startKiller()
  killer.write(`+ ${child.pid}\n`)
  child.once('exit', () => killer?.write(`- ${child.pid}\n`))
}

function startKiller(): Socket {
  const shell = spawn('sh', ['-c', KILLER], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  // Neither keeps this process alive. The pipe of a child process is a socket.
  const pipe = shell.stdin as Socket
  shell.unref()
  pipe.unref()
  return pipe
}
