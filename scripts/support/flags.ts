/** The command line of `npm run serve:*`. */
import { statSync } from 'node:fs'
import { parseArgs } from 'node:util'

/** A service of `--service NAME=URL`, with metadata, or `--service-fixed`, with fixed endpoints. */
export interface FixtureService {
  readonly name: string
  readonly url: string
  readonly isFixed: boolean
}

export interface ServeFlags<UrlFlag extends string> {
  /** 0 for any free port. */
  readonly port: number
  /** The directory that persists state. */
  readonly state: string | undefined
  /** Sets every duration limit to a few seconds. */
  readonly short: boolean
  /** The directory of a recorded release, which is served instead of the present source. */
  readonly release: string | undefined
  /** Writes every telemetry event to the standard output. */
  readonly telemetry: boolean
  /** Serves the inspector at `/inspect`, and the connection timeline at `/inspect/timeline`. */
  readonly inspect: boolean
  /** Origins that callbacks of events are allowed at, plain http and loopback included. */
  readonly callbackOrigins: readonly string[]
  /** Sends a challenge to callbacks of these origins too. */
  readonly challenge: boolean
  /** `search` serves tools that search and call in place of the tools. */
  readonly discovery: 'search' | undefined
  /** The names of the tools that stay in the list. */
  readonly pinned: readonly string[]
  /** `b` serves another definition of the same deployment. */
  readonly variant: 'b' | undefined
  /** Serves `execute` of `code()` beside the tools. */
  readonly code: boolean
  /** Serves the tool that waits for events. */
  readonly waitTool: boolean
  /** Serves `io.modelcontextprotocol/files`, and the tool `give_file`. */
  readonly filesExtension: boolean
  /** Serves a second server at `/second`, on the fixture server. */
  readonly second: boolean
  /** Services at which people have accounts, on the protected server. */
  readonly services: readonly FixtureService[]
  readonly urls: Readonly<Partial<Record<UrlFlag, string>>>
}

/** Reads the flags. An invalid one ends the process with code 2 and the usage. */
export function readServeFlags<UrlFlag extends string = never>(
  script: string,
  urlFlags: readonly UrlFlag[] = [],
): ServeFlags<UrlFlag> {
  try {
    const { values } = parseArgs({
      options: {
        port: { type: 'string' },
        state: { type: 'string' },
        short: { type: 'boolean', default: false },
        release: { type: 'string' },
        telemetry: { type: 'boolean', default: false },
        inspect: { type: 'boolean', default: false },
        'callback-origin': { type: 'string', multiple: true, default: [] },
        challenge: { type: 'boolean', default: false },
        discovery: { type: 'string' },
        pin: { type: 'string', multiple: true, default: [] },
        variant: { type: 'string' },
        code: { type: 'boolean', default: false },
        'wait-tool': { type: 'boolean', default: false },
        'files-extension': { type: 'boolean', default: false },
        second: { type: 'boolean', default: false },
        service: { type: 'string', multiple: true, default: [] },
        'service-fixed': { type: 'string', multiple: true, default: [] },
        ...Object.fromEntries(urlFlags.map((name) => [name, { type: 'string' } as const])),
      },
    })
    const { 'callback-origin': callbackOrigins, challenge, ...rest } = values
    const { port = '', state, short, release, telemetry, inspect, ...others } = rest
    const { 'wait-tool': waitTool, 'files-extension': filesExtension, ...named } = others
    const { service, 'service-fixed': fixed, ...own } = named
    const { discovery, pin: pinned, variant, code, second, ...urls } = own
    const services = [...service.map(serviceOf(false)), ...fixed.map(serviceOf(true))]
    if (services.length > 0 && script !== 'serve:protected') {
      throw new TypeError('--service needs the protected server, at which people sign in')
    }
    if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
      throw new TypeError('--port takes a number from 0 (any free port) to 65535')
    }
    const found = state === undefined ? undefined : statSync(state, { throwIfNoEntry: false })
    if (state === '' || found?.isDirectory() === false) {
      throw new TypeError('--state takes a directory, which may be absent')
    }
    if (release === '') throw new TypeError('--release takes a directory')
    if (discovery !== undefined && discovery !== 'search') {
      throw new TypeError('--discovery takes search')
    }
    if (variant !== undefined && variant !== 'b') throw new TypeError('--variant takes b')
    if (pinned.length > 0 && discovery === undefined) {
      throw new TypeError('--pin NAME needs --discovery search')
    }
    for (const [name, url] of Object.entries(urls)) {
      if (!/^https?:\/\//i.test(String(url)) || !URL.canParse(String(url))) {
        throw new TypeError(`--${name} takes a URL such as http://127.0.0.1:9000`)
      }
    }
    for (const origin of callbackOrigins) {
      if (!isOrigin(origin)) {
        throw new TypeError('--callback-origin takes an origin such as http://127.0.0.1:9000')
      }
    }
    return {
      port: Number(port),
      state,
      short,
      release,
      telemetry,
      inspect,
      callbackOrigins,
      challenge,
      discovery,
      pinned,
      variant,
      code,
      waitTool,
      filesExtension,
      second,
      services,
      urls: urls as ServeFlags<UrlFlag>['urls'],
    }
  } catch (error) {
    const usage = [
      '--port N [--state DIR] [--short] [--release DIR] [--telemetry] [--inspect]',
      '[--callback-origin ORIGIN]... [--challenge] [--discovery search] [--pin NAME]...',
      '[--variant b] [--code] [--wait-tool] [--files-extension] [--second]',
      '[--service NAME=URL]... [--service-fixed NAME=URL]...',
      ...urlFlags.map((name) => `[--${name} URL]`),
    ]
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.stderr.write(`usage: npm run ${script} -- ${usage.join(' ')}\n`)
    return process.exit(2)
  }
}

const serviceOf =
  (isFixed: boolean) =>
  (text: string): FixtureService => {
    const [, name = '', url = ''] = /^([a-z][a-z\d-]{0,31})=(https?:\/\/.+)$/.exec(text) ?? []
    if (name !== '' && URL.canParse(url)) return { name, url: url.replace(/\/$/, ''), isFixed }
    throw new TypeError('--service takes NAME=URL, such as chat=http://127.0.0.1:9000')
  }

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text
}
