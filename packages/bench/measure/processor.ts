/** Pins processes to cores and reads their processor time. Linux only. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** The server has one core. The load generator and everything else share the other. */
export const SERVER_CORE = 0
export const DRIVER_CORE = 1

/** Pins a running process with all its threads to a core. */
export function pinProcess(pid: number, core: number): void {
  execFileSync('taskset', ['-a', '-c', '-p', String(core), String(pid)])
}

/**
 * Returns the user and system time of a process's threads, in seconds.
 *
 * `utime` and `stime` in `/proc/<pid>/stat` have a resolution of 10 ms, too coarse for a turn of
 * 300 ms. Ended threads are not counted; workerd keeps its threads.
 *
 * @see https://docs.kernel.org/scheduler/sched-stats.html
 */
export function cpuSeconds(pid: number): number {
  const tasks = `/proc/${pid}/task`
  let nanoseconds = 0
  for (const thread of readdirSync(tasks)) {
    nanoseconds += Number.parseInt(readFileSync(`${tasks}/${thread}/schedstat`, 'latin1'), 10)
  }
  return nanoseconds / 1e9
}
