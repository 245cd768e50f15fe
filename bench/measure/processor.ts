/** Which core a process runs on, and how much processor time it has used. Linux only. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** The server has a core of its own, and so has everything that drives it. */
export const SERVER_CORE = 0
export const DRIVER_CORE = 1

/** Binds a running process, with all its threads, to a core. */
export function pinProcess(pid: number, core: number): void {
  execFileSync('taskset', ['-a', '-c', '-p', String(core), String(pid)])
}

/**
 * User and system time that the threads of a process have used, in seconds.
 *
 * The sum of utime and stime in `/proc/<pid>/stat` is this same figure, cut to ticks of 10 ms: too
 * coarse for a burst of a few hundred. Threads that have ended are not in it; workerd keeps its own.
 *
 * @see https://docs.kernel.org/scheduler/sched-stats.html
 */
export function processorSeconds(pid: number): number {
  const tasks = `/proc/${pid}/task`
  let nanoseconds = 0
  for (const thread of readdirSync(tasks)) {
    nanoseconds += Number.parseInt(readFileSync(`${tasks}/${thread}/schedstat`, 'latin1'), 10)
  }
  return nanoseconds / 1e9
}
