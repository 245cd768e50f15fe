/** `npm run serve:fixture -- --port N [--state DIR] [--short]`: serves the fixture server. */
import { fixtureServer } from './support/fixture-servers.ts'
import { readServeFlags } from './support/flags.ts'
import { serve } from './support/serve.ts'

await serve(fixtureServer(readServeFlags('serve:fixture')))
