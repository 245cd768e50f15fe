/**
 * `npm run serve:protected -- --port N [--state DIR] [--short] [--upstream URL] [--egress URL]`: the
 * fixture server behind its own authorization server, in plain workerd.
 */
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { DEFAULT_AUTH_LIMITS } from '../src/auth/server/auth-limits.ts'
import { resolveLimits } from '../src/transport/limits.ts'
import {
  SHORT_AUTH_LIMITS,
  SHORT_LIMITS,
  SHORT_STATE_TTL_MS,
  STATE_TTL_MS,
} from '../test/fixtures/limits.ts'
import { PROJECT_DIRECTORY } from './support/project.ts'
import { serve } from './support/serve.ts'

const USAGE =
  'usage: npm run serve:protected -- --port N [--state DIR] [--short] [--upstream URL] [--egress URL]'

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        port: { type: 'string' },
        state: { type: 'string' },
        short: { type: 'boolean', default: false },
        upstream: { type: 'string' },
        egress: { type: 'string' },
      },
    })
    const port = values.port ?? ''
    if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
      throw new TypeError('--port takes a number from 0 (any free port) to 65535')
    }
    if (values.state === '') throw new TypeError('--state takes a directory')
    for (const name of ['upstream', 'egress'] as const) {
      const url = values[name]
      if (url !== undefined && !URL.canParse(url)) throw new TypeError(`--${name} takes a URL`)
    }
    const { state, short, upstream, egress } = values
    return { port: Number(port), state, short, upstream, egress }
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${USAGE}\n`)
    process.exit(2)
  }
}

/** The issuer must be known before the server is, so the port must be too. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new TypeError('No port was given')
  return address.port
}

const { port: wanted, state, short, upstream, egress } = readOptions()
const port = wanted === 0 ? await freePort() : wanted
const issuer = `http://127.0.0.1:${port}`

await serve({
  configPath: join(PROJECT_DIRECTORY, 'test/fixtures/protected/wrangler.toml'),
  port,
  stateDirectory: state,
  vars: { SHORT: short ? '1' : '', EDGEWAY_ORIGIN: issuer, UPSTREAM: upstream ?? '' },
  egress,
  announce: {
    issuer,
    limits: {
      ...resolveLimits(short ? SHORT_LIMITS : {}),
      ...DEFAULT_AUTH_LIMITS,
      ...(short ? SHORT_AUTH_LIMITS : {}),
      stateTtlMs: short ? SHORT_STATE_TTL_MS : STATE_TTL_MS,
    },
  },
})
