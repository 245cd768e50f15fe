/** Where the commands of the doctor print, and with what they end. */
import pc from 'picocolors'
import yoctoSpinner from 'yocto-spinner'
import type { Flags } from './doctor-options.ts'
import { showPage } from './sign-in-options.ts'

/**
 * The exit codes, which CI relies on. A project "connects" when it has no error, and a directory when it accepts the
 * server.
 */
export const EXIT = { connects: 0, failsToConnect: 1, unusable: 2 } as const

export function outputOf(flags: Pick<Flags, 'json'>) {
  const isTerminal = process.stdout.isTTY === true && !flags.json
  const spinner =
    isTerminal && process.stderr.isTTY ? yoctoSpinner({ stream: process.stderr }) : undefined
  return { isTerminal, spinner }
}

export function terminalOf(isTerminal: boolean) {
  return { colors: isTerminal && pc.isColorSupported, columns: process.stdout.columns ?? 100 }
}

type Spinner = ReturnType<typeof outputOf>['spinner']

/** The page of a sign-in, between two activities. */
export const showLogin = (spinner: Spinner) => (page: URL) => {
  spinner?.stop()
  showPage(page)
  spinner?.start('Waiting for the sign-in')
}
