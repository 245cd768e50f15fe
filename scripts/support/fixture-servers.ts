/** The two fixture servers as deployments: their Workers, variables and limits. */
import { join } from 'node:path'
import { DEFAULT_AUTH_LIMITS } from '../../src/auth/server/auth-limits.ts'
import type { RateLimitOptions } from '../../src/features/rate-limits/limits/limit-classes.ts'
import { DEFAULT_LIMITS } from '../../src/ports/app-limits.ts'
import {
  EVENT_LIMITS,
  namedLimits,
  SHORT_AUTH_LIMITS,
  SHORT_FEATURE_LIMITS,
  SHORT_LIMITS,
} from '../../test/fixtures/limits.ts'
import type { FixtureService } from './flags.ts'
import { findFreePort } from './free-port.ts'
import { PROJECT_DIRECTORY } from './project.ts'
import { type FixtureName, readReleasedWorker } from './release.ts'
import type { ServeOptions } from './serve.ts'

export interface FixtureSettings {
  readonly port: number
  readonly state?: string | undefined
  readonly short?: boolean
  /** The directory of a recorded release, which is served instead of the present source. */
  readonly release?: string | undefined
  /** Logs every telemetry event. */
  readonly telemetry?: boolean
  /** Serves the inspector with the connection timeline. */
  readonly inspect?: boolean
  /** Origins that callbacks of events are allowed at. */
  readonly callbackOrigins?: readonly string[]
  /** Sends a challenge to callbacks of these origins too. */
  readonly challenge?: boolean
  /** Serves tools that search and call in place of the tools. */
  readonly discovery?: 'search' | undefined
  /** The names of the tools that stay in the list. */
  readonly pinned?: readonly string[]
  /** Serves another definition of the same deployment, or the tool `work` too. */
  readonly variant?: 'b' | 'work' | undefined
  /** Serves `execute` of `code()` beside the tools. */
  readonly code?: boolean
  /** Serves the tool that waits for events. */
  readonly waitTool?: boolean
  /** Serves `io.modelcontextprotocol/files`, and the tool `give_file`. */
  readonly filesExtension?: boolean
  /** Serves a second server at `/second`, on the fixture server. */
  readonly second?: boolean
  /** The URL that receives every outgoing request. */
  readonly egress?: string | undefined
}

export interface ProtectedSettings extends FixtureSettings {
  /** The OpenID provider at which people sign in, instead of with a passphrase. */
  readonly upstream?: string | undefined
  /** Services at which people connect accounts. */
  readonly services?: readonly FixtureService[]
  /** Default: all rate limits are lifted. */
  readonly rateLimits?: RateLimitOptions
}

/** The `wrangler.toml` of each server. */
export const CONFIG_PATHS: Readonly<Record<FixtureName, string>> = {
  fixture: join(PROJECT_DIRECTORY, 'test/fixtures/wrangler.toml'),
  protected: join(PROJECT_DIRECTORY, 'test/fixtures/protected/wrangler.toml'),
}

const LONG = { ...DEFAULT_LIMITS, ...EVENT_LIMITS.default }

const SHORT = {
  ...DEFAULT_LIMITS,
  ...SHORT_LIMITS,
  ...namedLimits(SHORT_FEATURE_LIMITS),
  ...EVENT_LIMITS.short,
}

/** The limits of the present source, without and with `--short`. */
export const FIXTURE_LIMITS = {
  fixture: {
    default: LONG,
    short: SHORT,
  },
  protected: {
    default: { ...LONG, ...DEFAULT_AUTH_LIMITS },
    short: { ...SHORT, ...DEFAULT_AUTH_LIMITS, ...SHORT_AUTH_LIMITS },
  },
}

/**
 * The fixture server without authorization.
 *
 * @throws {Error} when `release` is not the directory of a recorded release
 */
export async function fixtureServer(settings: FixtureSettings): Promise<ServeOptions> {
  const { port, state, short = false, release, inspect = false, egress } = settings
  const { announce, ...worker } = await workerOf('fixture', short, release)
  const vars = {
    ...flagVars(settings),
    // The inspector is open in development alone. A recorded release may not know the value.
    EDGEWAY_ORIGIN: inspect && release === undefined ? 'development' : '',
  }
  return {
    ...worker,
    port,
    state,
    vars,
    egress: egress ?? { callbackOrigins: 'loopback' },
    announce,
  }
}

/**
 * The fixture server behind its own authorization server, whose issuer is the origin.
 *
 * @throws {Error} when `release` is not the directory of a recorded release
 */
export async function protectedServer(settings: ProtectedSettings): Promise<ServeOptions> {
  const { state, short = false, upstream = '', egress, release, rateLimits } = settings
  const { callbackOrigins = [], services = [] } = settings
  const { announce, ...worker } = await workerOf('protected', short, release)
  const port = settings.port === 0 ? await findFreePort() : settings.port
  const issuer = `http://127.0.0.1:${port}`
  return {
    ...worker,
    port,
    state,
    vars: {
      ...flagVars(settings),
      EDGEWAY_ORIGIN: issuer,
      UPSTREAM: upstream,
      RATE_LIMITS: rateLimits === undefined ? '' : JSON.stringify(rateLimits),
      SERVICES: services.length === 0 ? '' : JSON.stringify(services),
    },
    egress: egress ?? {
      callbackOrigins: [...callbackOrigins, ...services.map(({ url }) => new URL(url).origin)],
    },
    announce: { issuer, ...announce },
  }
}

function flagVars(settings: FixtureSettings) {
  const { short, telemetry, inspect, challenge, callbackOrigins = [] } = settings
  const { discovery = '', pinned = [], variant = '', code, waitTool, second } = settings
  const { filesExtension } = settings
  const flag = (isSet = false) => (isSet ? '1' : '')
  return {
    SHORT: flag(short),
    TELEMETRY: flag(telemetry),
    INSPECT: flag(inspect),
    CHALLENGE: flag(challenge),
    CALLBACK_ORIGINS: callbackOrigins.join(' '),
    DISCOVERY: discovery,
    PINNED: pinned.join(' '),
    VARIANT: variant,
    CODE: flag(code),
    WAIT_TOOL: flag(waitTool),
    FILES_EXTENSION: flag(filesExtension),
    SECOND: flag(second),
  }
}

/** The present source of a server, or its Worker of a recorded release. */
async function workerOf(name: FixtureName, short: boolean, release: string | undefined) {
  const configPath = CONFIG_PATHS[name]
  const mode = short ? 'short' : 'default'
  if (release === undefined) return { configPath, announce: { limits: FIXTURE_LIMITS[name][mode] } }
  const { version, bundle, limits } = await readReleasedWorker(release, name)
  return { configPath, bundle, announce: { limits: limits[mode], release: version } }
}
