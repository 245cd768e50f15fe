/** Detects that the parent process has exited. No signal reports it, so it is polled. */
import { readFileSync } from 'node:fs'

const POLL_MS = 500

/** Calls back when the parent has gone: under npm, npm itself, and not only its shell. */
export function onParentExit(listener: () => void): void {
  const parents = readParents()
  const timer = setInterval(() => {
    if (readParents() === parents) return
    clearInterval(timer)
    listener()
  }, POLL_MS)
  timer.unref()
}

function readParents(): string {
  const underNpm = process.env.npm_lifecycle_event !== undefined
  return underNpm ? `${process.ppid} ${parentOf(process.ppid)}` : `${process.ppid}`
}

/** A process's parent, where the system has `/proc`. */
function parentOf(pid: number): string | undefined {
  try {
    // The name in parentheses may hold anything; the state and the parent follow the last one.
    const [, parent] =
      readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return parent
  } catch {
    // Another system: the shell's own end is all that is noticed.
    return undefined
  }
}
