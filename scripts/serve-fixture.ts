/**
 * `npm run serve:fixture -- --port N [--state DIR] [--short] [--release DIR] [--telemetry] [--inspect]
 * [--callback-origin ORIGIN]... [--challenge] [--egress URL] [--discovery search] [--pin NAME]...
 * [--variant b] [--code] [--wait-tool] [--files-extension] [--second]`: serves the fixture server.
 */
import { fixtureServer } from './support/fixture-servers.ts'
import { readServeFlags } from './support/flags.ts'
import { serve } from './support/serve.ts'

const { urls, ...flags } = readServeFlags('serve:fixture', ['egress'])
await serve(() => fixtureServer({ ...flags, ...urls }))
