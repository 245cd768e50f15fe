/** The options of `edgeway doctor`: their values, and which of them belong together. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { isLoopbackName } from '../../../../src/protocol/loopback-name.ts'
import { CLIENT_NAMES } from '../../../client/src/names.ts'
import { PROFILES } from '../../../client/src/profiles.ts'
import { CLIENTS, type Client } from '../../../doctor/src/doctor/clients.ts'
import { CALLBACK_PORT } from '../../../doctor/src/doctor/probes/events/webhook.ts'
import { DIRECTORY_NAMES, type DirectoryName } from '../../../publish/src/directories/names.ts'
import { parseToken } from './sign-in-options.ts'

export interface Flags {
  readonly json: boolean
  readonly client: readonly Client[]
  readonly port?: number
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
  readonly for?: readonly DirectoryName[]
}

export const HELP = `
Clients: ${CLIENT_NAMES.join(', ')}

By default, the doctor only reads: it opens sessions and ends them, reads lists, loads the
authorization page, calls at most one tool that declares readOnlyHint, and polls and streams events
for a moment. --active registers clients, refreshes a token twice at once, and makes subscriptions to
events, which it ends. --login registers one client, unless --client-id names one.

A subscription needs a callback. A server on this computer may reach the doctor by itself; for any
other, --callback is an https URL of a tunnel that leads to port ${CALLBACK_PORT} of this computer.

With --config, the doctor examines the project of a server of Edgeway before it is deployed: its
configuration in every environment, and its definition. It bundles and loads the main module.

With --for, the doctor says whether directories accept the server, and what they refuse it for. It
reads the lists and the documents of the server, calls at most one tool that declares readOnlyHint,
and lists the tools as a client of another name. With --config, it examines the definition,
server.json and directory.json of the project.

Directories: ${DIRECTORY_NAMES.join(', ')}

Exit codes: 0 every client connects, 1 a client does not connect,
            2 the command line is wrong or no MCP server was reached
            With --config: 0 no error, 1 an error, 2 the project cannot be examined
            With --tools: 0 each client can use each tool, 1 one cannot
            With --for: 0 every directory accepts, 1 a directory refuses, 2 as above`

export const addDoctorOptions = (command: Command): Command =>
  command
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
    .addOption(
      new Option(
        '--for <directories>',
        'examine for these directories instead of clients, with commas between their names',
      ).argParser(addDirectories),
    )
    .option('--port <port>', 'without a URL: the port of edgeway dev', parsePort)
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

const PROJECT_FLAGS: readonly string[] = ['config', 'json', 'client', 'for', 'tools']

/** What says nothing of a directory. */
const OF_CLIENTS = [
  'client',
  'tools',
  'restart',
  'callback',
  'callbackPort',
  'eventWait',
  'streamWait',
]

/** What clients alone are examined with would have no effect. */
export function checkDirectoryFlags(command: Command): void {
  const other = OF_CLIENTS.find((name) => command.getOptionValueSource(name) === 'cli')
  if (other === undefined) return
  command.error(`error: --for examines directories, and ${optionName(other)} belongs to clients`)
}

const optionName = (name: string) => `--${name.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}`

export function checkProjectFlags(url: URL | undefined, command: Command): void {
  const other = Object.keys(command.opts()).find(
    (name) => !PROJECT_FLAGS.includes(name) && command.getOptionValueSource(name) === 'cli',
  )
  if (url === undefined && other === undefined) return
  const given = other === undefined ? 'a URL' : optionName(other)
  command.error(`error: --config examines a project, and ${given} belongs to a server`)
}

/** Options that do not apply would be ignored without a word. */
export function checkActiveFlags({ active, callback }: Flags, command: Command): void {
  const isGiven = (name: string) => command.getOptionValueSource(name) === 'cli'
  const needsActive = active ? undefined : ['callback', 'callbackPort', 'eventWait'].find(isGiven)
  if (needsActive !== undefined) {
    command.error(`error: ${optionName(needsActive)} is for subscriptions, which need --active`)
  }
  if (callback === undefined && isGiven('callbackPort')) {
    command.error('error: --callback-port needs --callback, which leads to it')
  }
}

/** Fewer clients have a profile than the doctor examines. */
export function checkToolsFlags({ client }: Flags, command: Command): void {
  const titles = Object.values(PROFILES).map(({ title }) => title)
  if (client.length === 0 || client.some(({ name }) => titles.includes(name))) return
  const names = client.map(({ name }) => name).join(', ')
  command.error(`error: --tools knows ${titles.join(', ')}, and not ${names}`)
}

export function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new InvalidArgumentError(`It is not an http or https URL.${withScheme(text)}`)
  }
  if (url.username !== '' || url.password !== '') {
    // Without the URL, which the library would print.
    throw new Error(
      'error: the URL contains user information, which clients do not send. Use --header.',
    )
  }
  // Clients send no fragment, and no resource has one.
  url.hash = ''
  return url
}

/** People leave out the scheme. */
export function withScheme(text: string): string {
  const url = text.includes('://') ? undefined : `https://${text}`
  if (url === undefined || !URL.canParse(url)) return ''
  const isLocal = isLoopbackName(new URL(url).hostname)
  return ` Do you mean ${isLocal ? `http://${text}` : url}?`
}

const MAX_SECONDS = 600

export function parseSeconds(text: string): number {
  const seconds = Number(text)
  if (!(seconds > 0 && seconds <= MAX_SECONDS)) {
    throw new InvalidArgumentError(`It is a number of seconds up to ${MAX_SECONDS}.`)
  }
  return seconds
}

function parsePort(text: string): number {
  const port = Number(text)
  if (!(Number.isInteger(port) && port > 0 && port < 65_536)) {
    throw new InvalidArgumentError('It is a port from 1 to 65535.')
  }
  return port
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

export function addHeader(
  text: string,
  previous: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const [, name = '', value = ''] =
    /^([A-Za-z0-9!#$%&'*+.^_`|~-]+):\s*([\x20-\x7e]*)$/.exec(text) ?? []
  if (name === '') throw new InvalidArgumentError('It has the form "Name: value".')
  return { ...previous, [name.toLowerCase()]: value }
}

/** Names with commas between them. The option may be repeated. */
function addDirectories(
  text: string,
  previous: readonly DirectoryName[] = [],
): readonly DirectoryName[] {
  const names = text.split(',').map((name) => {
    const found = DIRECTORY_NAMES.find((known) => known === name.trim().toLowerCase())
    if (found === undefined) {
      throw new InvalidArgumentError(`The directories are ${DIRECTORY_NAMES.join(', ')}.`)
    }
    return found
  })
  return [...new Set([...previous, ...names])]
}
