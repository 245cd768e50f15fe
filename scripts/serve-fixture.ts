/**
 * `npm run serve:fixture -- --port N [--state DIR] [--short] [--release DIR] [--telemetry] [--inspect]
 * [--callback-origin ORIGIN]... [--challenge] [--discovery search] [--pin NAME]...`: serves the fixture server.
 */
import { fixtureServer } from './support/fixture-servers.ts'
import { readServeFlags } from './support/flags.ts'
import { serve } from './support/serve.ts'

const flags = readServeFlags('serve:fixture')
await serve(() => fixtureServer(flags))
