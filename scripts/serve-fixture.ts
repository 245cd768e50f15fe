/** `npm run serve:fixture -- --port N [--state DIR] [--short]`: the fixture server in plain workerd. */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { resolveLimits } from '../src/transport/limits.ts'
import { SHORT_LIMITS, SHORT_STATE_TTL_MS, STATE_TTL_MS } from '../test/fixtures/limits.ts'
import { PROJECT_DIRECTORY } from './support/project.ts'
import { serve } from './support/serve.ts'

const USAGE = 'usage: npm run serve:fixture -- --port N [--state DIR] [--short]'

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        port: { type: 'string' },
        state: { type: 'string' },
        short: { type: 'boolean', default: false },
      },
    })
    const port = values.port ?? ''
    if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
      throw new TypeError('--port takes a number from 0 (any free port) to 65535')
    }
    if (values.state === '') throw new TypeError('--state takes a directory')
    return { port: Number(port), state: values.state, short: values.short }
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${USAGE}\n`)
    process.exit(2)
  }
}

const { port, state, short } = readOptions()

await serve({
  configPath: join(PROJECT_DIRECTORY, 'test/fixtures/wrangler.toml'),
  port,
  stateDirectory: state,
  vars: { SHORT: short ? '1' : '' },
  announce: {
    limits: {
      ...resolveLimits(short ? SHORT_LIMITS : {}),
      stateTtlMs: short ? SHORT_STATE_TTL_MS : STATE_TTL_MS,
    },
  },
})
