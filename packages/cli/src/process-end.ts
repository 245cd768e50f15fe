/** How the process ends early: by a signal, or when its output has no reader. */
import { EXIT } from './commands/doctor-output.ts'

/** 128 and the number of the signal. Without a listener, those of `exit` would not run, which remove temporary folders. */
const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

export const SIGNALS = Object.keys(EXIT_CODES) as readonly (keyof typeof EXIT_CODES)[]

let isHandled = false

/** Ends the process without a stack trace. A second call changes nothing. */
export function handleEarlyEnd(): void {
  if (isHandled) return
  isHandled = true
  for (const signal of SIGNALS) process.once(signal, () => process.exit(EXIT_CODES[signal]))
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', ({ code = 'error' }: NodeJS.ErrnoException) => {
      // A reader such as `head -1` has what it wants. The command goes on, and its exit code is that of its result.
      if (code === 'EPIPE' || stream === process.stderr) return
      process.stderr.write(`The output cannot be written (${code}). Choose another place for it\n`)
      process.once('exit', () => {
        process.exitCode = EXIT.unusable
      })
    })
  }
}
