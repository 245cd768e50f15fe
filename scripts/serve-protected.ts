/**
 * `npm run serve:protected -- --port N [--state DIR] [--short] [--upstream URL] [--egress URL]`: serves
 * the fixture server behind its own authorization server.
 */
import { protectedServer } from './support/fixture-servers.ts'
import { readServeFlags } from './support/flags.ts'
import { serve } from './support/serve.ts'

const { urls, ...flags } = readServeFlags('serve:protected', ['upstream', 'egress'])
await serve(await protectedServer({ ...flags, ...urls }))
