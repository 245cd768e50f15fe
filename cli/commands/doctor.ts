/** `edgeway doctor URL`: reads the command line, examines the server, prints the report. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import pc from 'picocolors'
import yoctoSpinner from 'yocto-spinner'
import { CLIENT_NAMES } from '../../src/faults/clients.ts'
import { CLIENTS, type Client } from '../doctor/clients.ts'
import { examine } from '../doctor/doctor.ts'
import { openInBrowser } from '../doctor/oauth/login.ts'
import { jsonReport } from '../doctor/reporters/json.ts'
import { terminalReport } from '../doctor/reporters/terminal.ts'
import { printable } from '../doctor/text.ts'

/** The exit codes, which CI relies on. */
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
}

const LOGIN_TIMEOUT_MS = 300_000

const HELP = `
Clients: ${CLIENT_NAMES.join(', ')}

By default, the doctor only reads: it opens sessions and ends them, reads lists, loads the
authorization page, and calls at most one tool that declares readOnlyHint. --active registers clients
and refreshes a token twice at once. --login registers one client, unless --client-id names one.

Exit codes: 0 every client connects, 1 a client does not connect,
            2 the command line is wrong or no MCP server was reached`

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('says which clients connect to an MCP server, and why the others do not')
    .argument('<url>', 'the URL of the MCP endpoint, as people paste it into a client', parseUrl)
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
    .option('--token <token>', 'send this access token once the server asks for one')
    .addOption(
      new Option(
        '--header <header>',
        'send this header ("Name: value") with every request; may be repeated',
      )
        .argParser(addHeader)
        .default({}, 'none'),
    )
    .option('--active', 'also register clients, and refresh a token twice at once', false)
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
    .action(async (url: URL, flags: Flags) => {
      process.exitCode = await runDoctor(url, flags)
    })
}

async function runDoctor(url: URL, flags: Flags): Promise<number> {
  const isTerminal = process.stdout.isTTY === true && !flags.json
  const spinner =
    isTerminal && process.stderr.isTTY ? yoctoSpinner({ stream: process.stderr }) : undefined
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
    ...(flags.client.length === 0 ? {} : { clients: flags.client }),
    onProgress: (activity) => {
      if (spinner !== undefined) spinner.text = activity
    },
    onLogin: (page) => {
      spinner?.stop()
      process.stderr.write(`Sign in at ${printable(page.href, 4000)}\n`)
      openInBrowser(page)
      spinner?.start('Waiting for the sign-in')
    },
  }).finally(() => spinner?.stop())
  process.stdout.write(
    flags.json
      ? jsonReport(report)
      : terminalReport(report, {
          colors: isTerminal && pc.isColorSupported,
          columns: process.stdout.columns ?? 100,
        }),
  )
  if (!report.isReached) return EXIT.unusable
  return report.clients.every(({ connects }) => connects) ? EXIT.connects : EXIT.failsToConnect
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new InvalidArgumentError('It is not an http or https URL.')
  }
  if (url.username !== '' || url.password !== '') {
    throw new InvalidArgumentError('Clients send no user information of a URL. Use --header.')
  }
  return url
}

const MAX_SECONDS = 600

function parseSeconds(text: string): number {
  const seconds = Number(text)
  if (!(seconds > 0 && seconds <= MAX_SECONDS)) {
    throw new InvalidArgumentError(`It is a number of seconds up to ${MAX_SECONDS}.`)
  }
  return seconds
}

/** A name, or the beginning of one: `--client claude` selects three. */
function addClient(text: string, previous: readonly Client[]): readonly Client[] {
  const wanted = plain(text)
  const exact = CLIENTS.filter(({ name }) => plain(name) === wanted)
  const found =
    exact.length > 0 ? exact : CLIENTS.filter(({ name }) => plain(name).startsWith(wanted))
  if (wanted === '' || found.length === 0) {
    throw new InvalidArgumentError(`The clients are ${CLIENT_NAMES.join(', ')}.`)
  }
  return [...previous, ...found.filter((client) => !previous.includes(client))]
}

const plain = (name: string) => name.toLowerCase().replace(/[^a-z]/g, '')

function addHeader(
  text: string,
  previous: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const [, name = '', value = ''] =
    /^([A-Za-z0-9!#$%&'*+.^_`|~-]+):\s*([\x20-\x7e]*)$/.exec(text) ?? []
  if (name === '') throw new InvalidArgumentError('It has the form "Name: value".')
  return { ...previous, [name.toLowerCase()]: value }
}
