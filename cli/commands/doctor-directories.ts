/** `edgeway doctor --for`: examines a server or a project for directories, and prints the report. */
import { ProjectError } from '../config/project-error.ts'
import type { ConnectOptions } from '../definition/connect-server.ts'
import {
  type DirectoriesReport,
  examineProjectFor,
  examineServerFor,
} from '../directories/examine.ts'
import type { DirectoryName } from '../directories/names.ts'
import { directoriesText } from '../directories/report.ts'
import { CutShortError } from '../doctor/http/http-client.ts'
import type { Flags } from './doctor-options.ts'
import { EXIT, outputOf, showLogin, terminalOf } from './doctor-output.ts'
import { LOGIN_TIMEOUT_MS } from './sign-in-options.ts'

export function runOnServerFor(url: URL, flags: Flags): Promise<number> {
  return run(
    flags,
    () => ({ url: url.href }),
    (onProgress, onLogin) =>
      examineServer(flags.for ?? [], url.href, {
        timeoutMs: flags.timeout * 1000,
        loginTimeoutMs: LOGIN_TIMEOUT_MS,
        active: flags.active,
        login: flags.login,
        clientId: flags.clientId,
        token: flags.token,
        headers: flags.header,
        onProgress,
        onLogin,
      }),
  )
}

async function run(
  flags: Flags,
  place: (report: DirectoriesReport) => object,
  examine: (
    onProgress: (activity: string) => void,
    onLogin: (page: URL) => void,
  ) => Promise<DirectoriesReport | string>,
): Promise<number> {
  const { isTerminal, spinner } = outputOf(flags)
  spinner?.start('Reading')
  const onProgress = (activity: string) => {
    if (spinner !== undefined) spinner.text = activity
  }
  const report = await examine(onProgress, showLogin(spinner)).finally(() => spinner?.stop())
  if (typeof report === 'string') {
    process.stderr.write(`${report}\n`)
    return EXIT.unusable
  }
  const { directories, isReached } = report
  process.stdout.write(
    flags.json
      ? `${JSON.stringify({ ...place(report), directories }, undefined, 2)}\n`
      : directoriesText(report, terminalOf(isTerminal)),
  )
  if (!isReached) return EXIT.unusable
  return directories.every(({ accepts }) => accepts) ? EXIT.connects : EXIT.failsToConnect
}

export function runOnProjectFor(path: string, flags: Flags): Promise<number> {
  return run(
    flags,
    ({ examined }) => ({ config: examined }),
    (onProgress) => examineProject(flags.for ?? [], path, onProgress),
  )
}

/** The text says why nothing was examined. */
async function examineServer(
  names: readonly DirectoryName[],
  url: string,
  options: ConnectOptions,
): Promise<DirectoriesReport | string> {
  try {
    return await examineServerFor(names, url, options)
  } catch (error) {
    if (!(error instanceof CutShortError)) throw error
    return error.cut.why === 'too-slow'
      ? 'The server was not examined in time. Nothing can be said of directories.'
      : 'The server limits the rate of requests. Nothing can be said of directories.'
  }
}

/** The text says why nothing was examined. */
async function examineProject(
  names: readonly DirectoryName[],
  path: string,
  onProgress: (activity: string) => void,
): Promise<DirectoriesReport | string> {
  try {
    return await examineProjectFor(names, path, onProgress)
  } catch (error) {
    if (!(error instanceof ProjectError)) throw error
    return error.message
  }
}
