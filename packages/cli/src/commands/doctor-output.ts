/** Where the commands of the doctor print, and with what they end. */
import pc from 'picocolors'
import yoctoSpinner from 'yocto-spinner'
import type { TerminalOptions } from '../../../doctor/src/doctor/reporters/terminal.ts'
import { printableJson, printableLines } from '../../../text/src/terminal-text.ts'
import type { Flags } from './doctor-options.ts'
import { LOGIN_TIMEOUT_MS, showPage } from './sign-in-options.ts'

/**
 * The exit codes, which CI relies on. A project "connects" when it has no error, and a directory when it accepts the
 * server.
 */
export const EXIT = { connects: 0, failsToConnect: 1, unusable: 2 } as const

/** Shows a person what is done, until `work` ends. Beside JSON and for a program, nothing is shown. */
export async function withActivity<Value>(
  first: string,
  { json }: Pick<Flags, 'json'>,
  work: (shown: Shown) => Promise<Value>,
): Promise<Value> {
  const isShown = process.stdout.isTTY === true && process.stderr.isTTY && !json
  const spinner = isShown ? yoctoSpinner({ stream: process.stderr }) : undefined
  spinner?.start(first)
  const onProgress = (activity: string) => {
    if (spinner !== undefined) spinner.text = activity
  }
  const onLogin = (page: URL) => {
    spinner?.stop()
    showPage(page)
    spinner?.start('Waiting for the sign-in')
  }
  return work({ onProgress, onLogin }).finally(() => spinner?.stop())
}

export interface Shown {
  readonly onProgress: (activity: string) => void
  /** The page of a sign-in, between two activities. */
  readonly onLogin: (page: URL) => void
}

/** The terminal that a report for people is printed on. */
function terminal(): TerminalOptions {
  const colors = process.stdout.isTTY === true && pc.isColorSupported
  return { colors, columns: process.stdout.columns ?? 100 }
}

/** What a command found, for programs and for people. */
export interface Output {
  readonly json: object
  readonly text: (options: TerminalOptions) => string
}

/**
 * The one place where the doctor prints. A report has texts of servers, projects and files, and none of them controls the
 * terminal: in JSON such characters are escape sequences, and in text they are left out.
 */
export function print({ json, text }: Output, flags: Pick<Flags, 'json'>): void {
  const options = terminal()
  process.stdout.write(
    flags.json ? `${printableJson(json, 2)}\n` : printableLines(text(options), options.colors),
  )
}

/** How a server is connected to. */
export const connectionOf = (flags: Flags) => ({
  timeoutMs: flags.timeout * 1000,
  loginTimeoutMs: LOGIN_TIMEOUT_MS,
  active: flags.active,
  login: flags.login,
  clientId: flags.clientId,
  token: flags.token,
  headers: flags.header,
})
