/**
 * `npm run serve:protected -- --port N [--state DIR] [--short] [--release DIR] [--telemetry] [--inspect]
 * [--callback-origin ORIGIN]... [--challenge] [--discovery search] [--pin NAME]... [--variant b] [--code] [--wait-tool]
 * [--files-extension] [--service NAME=URL]... [--service-fixed NAME=URL]...
 * [--upstream URL] [--egress URL]`: serves
 * the fixture server behind its own authorization server.
 */
import { protectedServer } from './support/fixture-servers.ts'
import { readServeFlags } from './support/flags.ts'
import { serve } from './support/serve.ts'

const { urls, ...flags } = readServeFlags('serve:protected', ['upstream', 'egress'])
await serve(() => protectedServer({ ...flags, ...urls }))
