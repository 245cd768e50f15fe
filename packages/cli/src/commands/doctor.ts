/** `edgeway doctor`: reads the command line, examines a server or a project, prints the report. */
import type { Command } from 'commander'
import { examineProject } from '../../../doctor/src/config/examine-project.ts'
import { observeProject } from '../../../doctor/src/config/observe-project.ts'
import { examineTools } from '../../../doctor/src/config/project-tools.ts'
import { CLIENTS } from '../../../doctor/src/doctor/clients.ts'
import { examine } from '../../../doctor/src/doctor/doctor.ts'
import { projectText, terminalReport } from '../../../doctor/src/doctor/reporters/terminal.ts'
import { toolsText } from '../../../doctor/src/doctor/tools/tools-text.ts'
import type { ClientReport } from '../../../doctor/src/doctor/walk.ts'
import { configurationFile, localOrigin } from '../dev/local-server.ts'
import { runOnProjectFor, runOnServerFor } from './doctor-directories.ts'
import {
  addDoctorOptions,
  checkActiveFlags,
  checkDirectoryFlags,
  checkProjectFlags,
  checkToolsFlags,
  type Flags,
  HELP,
  parseUrl,
} from './doctor-options.ts'
import { connectionOf, EXIT, type Output, print, withActivity } from './doctor-output.ts'

export function addDoctorCommand(program: Command): void {
  const command = program
    .command('doctor')
    .description('says which clients connect to an MCP server, and why the others do not')
    .argument(
      '[url]',
      'the URL of the MCP endpoint, as people paste it into a client. Without it: that of edgeway dev in this folder',
      parseUrl,
    )
  addDoctorOptions(command)
    .addHelpText('after', HELP)
    .action(async (url: URL | undefined, flags: Flags, command: Command) => {
      if (flags.for !== undefined) checkDirectoryFlags(command)
      if (flags.config !== undefined) {
        checkProjectFlags(url, command)
        if (flags.tools) checkToolsFlags(flags, command)
        const path = flags.config === true ? '.' : flags.config
        const ofProject = flags.tools ? runOnTools : runOnProject
        process.exitCode = await (flags.for === undefined ? ofProject : runOnProjectFor)(
          path,
          flags,
        )
      } else if (flags.tools) {
        command.error('error: --tools needs --config: it compares the tools of a project')
      } else {
        checkActiveFlags(flags, command)
        const examineIt = flags.for === undefined ? runOnServer : runOnServerFor
        process.exitCode = await examineIt(endpointOf(url, flags, command), flags)
      }
    })
}

/** Without a URL, the endpoint that `edgeway dev` serves in the project of this folder. */
function endpointOf(url: URL | undefined, { port }: Flags, command: Command): URL {
  if (url !== undefined && port !== undefined) {
    command.error('error: --port is for edgeway dev, and a URL has its own')
  }
  if (url !== undefined) return url
  if (port === undefined && configurationFile() === undefined) {
    command.error("error: missing required argument 'url'", { code: 'commander.missingArgument' })
  }
  return new URL('/mcp', localOrigin(port))
}

async function runOnProject(path: string, flags: Flags): Promise<number> {
  return withProject(flags, async (onProgress) => {
    const project = await observeProject(path, { onProgress })
    const report = examineProject(project, flags.client.length === 0 ? CLIENTS : flags.client)
    const { config, clients } = report
    const all = clients.flatMap(({ findings }) => findings)
    return {
      json: jsonReport({ config }, clients),
      text: (options) => projectText(report, options),
      isClean: all.every(({ severity }) => severity !== 'error'),
    }
  })
}

async function runOnTools(path: string, flags: Flags): Promise<number> {
  return withProject(flags, async (onProgress) => {
    const titles = flags.client.map(({ name }) => name)
    const report = await examineTools(path, { titles, onProgress })
    const uses = report.apps.flatMap(({ clients }) => clients.flatMap(({ tools }) => tools))
    return {
      json: report,
      text: (options) => toolsText(report, options),
      isClean: uses.every(({ usable }) => usable),
    }
  })
}

interface Examined extends Output {
  readonly isClean: boolean
}

/** Prints what was found in a project, and returns the exit code. */
async function withProject(
  flags: Flags,
  examineIt: (onProgress: (activity: string) => void) => Promise<Examined>,
): Promise<number> {
  const activity = 'Reading the configuration'
  const examined = await withActivity(activity, flags, ({ onProgress }) => examineIt(onProgress))
  print(examined, flags)
  return examined.isClean ? EXIT.connects : EXIT.failsToConnect
}

async function runOnServer(url: URL, flags: Flags): Promise<number> {
  const options = {
    ...connectionOf(flags),
    streamWaitMs: flags.streamWait * 1000,
    restart: flags.restart,
    callback: flags.callback,
    callbackPort: flags.callbackPort,
    eventWaitMs: flags.eventWait * 1000,
    ...(flags.client.length === 0 ? {} : { clients: flags.client }),
  }
  const report = await withActivity('Reaching the endpoint', flags, (shown) =>
    examine(url.href, { ...options, ...shown }),
  )
  const json = jsonReport({ url: report.url }, report.clients)
  print({ json, text: (options) => terminalReport(report, options) }, flags)
  if (!report.isReached) return EXIT.unusable
  return report.clients.every(({ connects }) => connects) ? EXIT.connects : EXIT.failsToConnect
}

/** What was examined: a URL, or a configuration file. */
type Subject = { readonly url: string } | { readonly config: string }

/** `--json`: the stable form of a report. */
function jsonReport(examined: Subject, clients: readonly ClientReport[]): object {
  return {
    ...examined,
    clients: clients.map(({ name, connects, findings }) => ({ name, connects, findings })),
  }
}
