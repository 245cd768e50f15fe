/** `edgeway doctor`: reads the command line, examines a server or a project, prints the report. */

import { type Command, Option } from 'commander'
import pc from 'picocolors'
import yoctoSpinner from 'yocto-spinner'
import { CLIENT_NAMES } from '../../src/clients/names.ts'
import { examineProject } from '../config/examine-project.ts'
import { ProjectError } from '../config/project-error.ts'
import { examineTools } from '../config/project-tools.ts'
import type { Client } from '../doctor/clients.ts'
import { examine } from '../doctor/doctor.ts'
import { CALLBACK_PORT } from '../doctor/probes/events/webhook.ts'
import { projectText, type TerminalOptions, terminalReport } from '../doctor/reporters/terminal.ts'
import { toolsText } from '../doctor/tools/tools-text.ts'
import type { ClientReport } from '../doctor/walk.ts'
import { addClient, addHeader, parsePort, parseSeconds, parseUrl } from './doctor-arguments.ts'
import { LOGIN_TIMEOUT_MS, parseToken, showPage } from './sign-in-options.ts'

/** The exit codes, which CI relies on. A project "connects" when it has no error. */
export const EXIT = { connects: 0, failsToConnect: 1, unusable: 2 } as const

interface Flags {
  readonly json: boolean
  readonly client: readonly Client[]
  readonly timeout: number
  readonly streamWait: number
  readonly token?: string
  readonly header: Readonly<Record<string, string>>
  readonly active: boolean
  readonly login: boolean
  readonly clientId?: string
  readonly restart?: string
  readonly callback?: URL
  readonly callbackPort?: number
  readonly eventWait: number
  /** True without a folder. */
  readonly config?: string | true
  readonly tools: boolean
}

const HELP = `
Clients: ${CLIENT_NAMES.join(', ')}

By default, the doctor only reads: it opens sessions and ends them, reads lists, loads the
authorization page, calls at most one tool that declares readOnlyHint, and polls and streams events
for a moment. --active registers clients, refreshes a token twice at once, and makes subscriptions to
events, which it ends. --login registers one client, unless --client-id names one.

A subscription needs a callback. A server on this computer may reach the doctor by itself; for any
other, --callback is an https URL of a tunnel that leads to port ${CALLBACK_PORT} of this computer.

With --config, the doctor examines the project of a server of Edgeway before it is deployed: its
configuration in every environment, and its definition. It bundles and loads the main module.

Exit codes: 0 every client connects, 1 a client does not connect,
            2 the command line is wrong or no MCP server was reached
            With --config: 0 no error, 1 an error, 2 the project cannot be examined
            With --tools: 0 each client can use each tool, 1 one cannot`

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('says which clients connect to an MCP server, and why the others do not')
    .argument('[url]', 'the URL of the MCP endpoint, as people paste it into a client', parseUrl)
    .option(
      '--config [folder]',
      'examine the project in the folder, or of the configuration file, instead of a server',
    )
    .option(
      '--tools',
      'with --config: say which tools each client can use, and how, instead',
      false,
    )
    .option('--json', 'print the report as JSON', false)
    .addOption(
      new Option('--client <name>', 'examine this client alone; may be repeated')
        .argParser(addClient)
        .default([], 'all clients'),
    )
    .option('--timeout <seconds>', 'how long to wait for a response', parseSeconds, 10)
    .option(
      '--stream-wait <seconds>',
      'how long to watch the GET stream for its keep-alive',
      parseSeconds,
      26,
    )
    .option('--token <token>', 'send this access token once the server asks for one', parseToken)
    .addOption(
      new Option(
        '--header <header>',
        'send this header ("Name: value") with every request; may be repeated',
      )
        .argParser(addHeader)
        .default({}, 'none'),
    )
    .option(
      '--active',
      'also register clients, refresh a token twice at once, and subscribe to events',
      false,
    )
    .option(
      '--callback <url>',
      'with --active: the URL by which the server reaches the doctor with events',
      parseUrl,
    )
    .option(
      '--callback-port <port>',
      'the port of this computer that --callback leads to',
      parsePort,
    )
    .option(
      '--event-wait <seconds>',
      'with --active: how long to wait for heartbeats and events',
      parseSeconds,
      32.5,
    )
    .option('--login', 'sign in with a browser', false)
    .option(
      '--client-id <id>',
      'sign in as this client, which allows http://127.0.0.1/callback with any port',
    )
    .option(
      '--restart <command>',
      'also examine sessions and tokens across a restart by this shell command',
    )
    .addHelpText('after', HELP)
    .action(async (url: URL | undefined, flags: Flags, command: Command) => {
      if (flags.config !== undefined) {
        checkProjectFlags(url, command)
        const path = flags.config === true ? '.' : flags.config
        process.exitCode = await (flags.tools ? runOnTools : runOnProject)(path, flags)
      } else if (flags.tools) {
        command.error('error: --tools needs --config: it compares the tools of a project')
      } else if (url === undefined) {
        command.error("error: missing required argument 'url'", {
          code: 'commander.missingArgument',
        })
      } else {
        process.exitCode = await runOnServer(url, flags)
      }
    })
}

const PROJECT_FLAGS: readonly string[] = ['config', 'json', 'client', 'tools']

function checkProjectFlags(url: URL | undefined, command: Command): void {
  const other = Object.keys(command.opts()).find(
    (name) => !PROJECT_FLAGS.includes(name) && command.getOptionValueSource(name) === 'cli',
  )
  if (url === undefined && other === undefined) return
  const given =
    other === undefined ? 'a URL' : `--${other.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}`
  command.error(`error: --config examines a project, and ${given} belongs to a server`)
}

async function runOnProject(path: string, flags: Flags): Promise<number> {
  return withProject(flags, async (onProgress) => {
    const report = await examineProject(path, {
      ...(flags.client.length === 0 ? {} : { clients: flags.client }),
      onProgress,
    })
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
    const report = await examineTools(path, onProgress)
    const uses = report.apps.flatMap(({ clients }) => clients.flatMap(({ tools }) => tools))
    return {
      json: `${JSON.stringify(report, undefined, 2)}\n`,
      text: (options) => toolsText(report, options),
      isClean: uses.every(({ usable }) => usable),
    }
  })
}

interface Examined {
  readonly json: string
  readonly text: (options: TerminalOptions) => string
  readonly isClean: boolean
}

/** Prints what was found in a project, and returns the exit code. */
async function withProject(
  flags: Flags,
  examineIt: (onProgress: (activity: string) => void) => Promise<Examined>,
): Promise<number> {
  const { isTerminal, spinner } = outputOf(flags)
  try {
    spinner?.start('Reading the configuration')
    const { json, text, isClean } = await examineIt((activity) => {
      if (spinner !== undefined) spinner.text = activity
    }).finally(() => spinner?.stop())
    process.stdout.write(flags.json ? json : text(terminalOf(isTerminal)))
    return isClean ? EXIT.connects : EXIT.failsToConnect
  } catch (error) {
    if (!(error instanceof ProjectError)) throw error
    process.stderr.write(`${error.message}\n`)
    return EXIT.unusable
  }
}

function outputOf(flags: Flags) {
  const isTerminal = process.stdout.isTTY === true && !flags.json
  const spinner =
    isTerminal && process.stderr.isTTY ? yoctoSpinner({ stream: process.stderr }) : undefined
  return { isTerminal, spinner }
}

function terminalOf(isTerminal: boolean) {
  return { colors: isTerminal && pc.isColorSupported, columns: process.stdout.columns ?? 100 }
}

async function runOnServer(url: URL, flags: Flags): Promise<number> {
  const { isTerminal, spinner } = outputOf(flags)
  spinner?.start('Reaching the endpoint')
  const report = await examine(url.href, {
    timeoutMs: flags.timeout * 1000,
    streamWaitMs: flags.streamWait * 1000,
    loginTimeoutMs: LOGIN_TIMEOUT_MS,
    active: flags.active,
    login: flags.login,
    clientId: flags.clientId,
    token: flags.token,
    headers: flags.header,
    restart: flags.restart,
    callback: flags.callback,
    callbackPort: flags.callbackPort,
    eventWaitMs: flags.eventWait * 1000,
    ...(flags.client.length === 0 ? {} : { clients: flags.client }),
    onProgress: (activity) => {
      if (spinner !== undefined) spinner.text = activity
    },
    onLogin: (page) => {
      spinner?.stop()
      showPage(page)
      spinner?.start('Waiting for the sign-in')
    },
  }).finally(() => spinner?.stop())
  process.stdout.write(
    flags.json
      ? jsonReport({ url: report.url }, report.clients)
      : terminalReport(report, terminalOf(isTerminal)),
  )
  if (!report.isReached) return EXIT.unusable
  return report.clients.every(({ connects }) => connects) ? EXIT.connects : EXIT.failsToConnect
}

/** What was examined: a URL, or a configuration file. */
type Subject = { readonly url: string } | { readonly config: string }

/** `--json`: the stable form of a report. */
function jsonReport(examined: Subject, clients: readonly ClientReport[]): string {
  const report = {
    ...examined,
    clients: clients.map(({ name, connects, findings }) => ({ name, connects, findings })),
  }
  return `${JSON.stringify(report, undefined, 2)}\n`
}
