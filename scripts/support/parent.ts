/** Detects that the parent process has exited. No signal reports it, so it is polled. */
import { readFileSync } from 'node:fs'

const POLL_MS = 500

/** Calls the listener when the parent has exited; under npm, also when npm has, not only its shell. */
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

/** The process id of a process's parent, on a system with `/proc`. */
function parentOf(pid: number): string | undefined {
  try {
    // The name in parentheses may contain any character. State and parent follow the last parenthesis.
    const [, parent] =
      readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return parent
  } catch {
    // On a system without `/proc`, only the exit of the shell is detected.
    return undefined
  }
}
