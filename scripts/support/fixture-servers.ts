/** The two fixture servers as deployments: their Workers, variables and limits. */
import { join } from 'node:path'
import { DEFAULT_AUTH_LIMITS } from '../../src/auth/server/auth-limits.ts'
import { resolveLimits } from '../../src/transport/limits.ts'
import {
  SHORT_AUTH_LIMITS,
  SHORT_LIMITS,
  SHORT_STATE_TTL_MS,
  STATE_TTL_MS,
} from '../../test/fixtures/limits.ts'
import { findFreePort } from './free-port.ts'
import { PROJECT_DIRECTORY } from './project.ts'
import type { ServeOptions } from './serve.ts'

export interface FixtureSettings {
  readonly port: number
  readonly state?: string | undefined
  readonly short?: boolean
}

export interface ProtectedSettings extends FixtureSettings {
  /** The OpenID provider at which people sign in, instead of with a passphrase. */
  readonly upstream?: string | undefined
  readonly egress?: string | undefined
}

/** The fixture server without authorization. */
export function fixtureServer({ port, state, short = false }: FixtureSettings): ServeOptions {
  return {
    configPath: join(PROJECT_DIRECTORY, 'test/fixtures/wrangler.toml'),
    port,
    state,
    vars: { SHORT: short ? '1' : '' },
    announce: { limits: limitsOf(short) },
  }
}

/** The fixture server behind its own authorization server, whose issuer is the origin. */
export async function protectedServer(settings: ProtectedSettings): Promise<ServeOptions> {
  const { state, short = false, upstream = '', egress } = settings
  const port = settings.port === 0 ? await findFreePort() : settings.port
  const issuer = `http://127.0.0.1:${port}`
  const authLimits = { ...DEFAULT_AUTH_LIMITS, ...(short ? SHORT_AUTH_LIMITS : {}) }
  return {
    configPath: join(PROJECT_DIRECTORY, 'test/fixtures/protected/wrangler.toml'),
    port,
    state,
    vars: { SHORT: short ? '1' : '', EDGEWAY_ORIGIN: issuer, UPSTREAM: upstream },
    egress,
    announce: { issuer, limits: { ...limitsOf(short), ...authLimits } },
  }
}

function limitsOf(short: boolean) {
  return {
    ...resolveLimits(short ? SHORT_LIMITS : {}),
    stateTtlMs: short ? SHORT_STATE_TTL_MS : STATE_TTL_MS,
  }
}
