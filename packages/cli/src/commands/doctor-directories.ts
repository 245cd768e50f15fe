/** `edgeway doctor --for`: examines a server or a project for directories, and prints the report. */
import type { ConnectOptions } from '../../../doctor/src/definition/connect-server.ts'
import { readProject } from '../../../doctor/src/definition/read-project.ts'
import { CutShortError } from '../../../doctor/src/doctor/http/http-client.ts'
import {
  type DirectoriesReport,
  examineProjectFor,
  examineServerFor,
} from '../../../publish/src/directories/examine.ts'
import type { DirectoryName } from '../../../publish/src/directories/names.ts'
import { directoriesText } from '../../../publish/src/directories/report.ts'
import type { Flags } from './doctor-options.ts'
import { connectionOf, EXIT, print, type Shown, withActivity } from './doctor-output.ts'

export function runOnServerFor(url: URL, flags: Flags): Promise<number> {
  return run(
    flags,
    () => ({ url: url.href }),
    (shown) => examineServer(flags.for ?? [], url.href, { ...connectionOf(flags), ...shown }),
  )
}

async function run(
  flags: Flags,
  place: (report: DirectoriesReport) => object,
  examine: (shown: Shown) => Promise<DirectoriesReport>,
): Promise<number> {
  const report = await withActivity('Reading', flags, examine)
  const { directories, isReached } = report
  const json = { ...place(report), directories }
  print({ json, text: (options) => directoriesText(report, options) }, flags)
  if (!isReached) return EXIT.unusable
  return directories.every(({ accepts }) => accepts) ? EXIT.connects : EXIT.failsToConnect
}

export function runOnProjectFor(path: string, flags: Flags): Promise<number> {
  return run(
    flags,
    ({ examined }) => ({ config: examined }),
    async ({ onProgress }) =>
      examineProjectFor(flags.for ?? [], await readProject(path, { onProgress })),
  )
}

/** @throws whose message says why nothing was examined */
async function examineServer(
  names: readonly DirectoryName[],
  url: string,
  options: ConnectOptions,
): Promise<DirectoriesReport> {
  try {
    return await examineServerFor(names, url, options)
  } catch (cause) {
    if (!(cause instanceof CutShortError)) throw cause
    const why =
      cause.cut.why === 'too-slow'
        ? 'The server was not examined in time.'
        : 'The server limits the rate of requests.'
    throw new Error(`${why} Nothing can be said of directories.`, { cause })
  }
}
