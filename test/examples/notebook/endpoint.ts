/** A client of the notebook, as the root `wrangler.toml` deploys it. */
import { exports } from 'cloudflare:workers'
import { createClient } from '../client.ts'

export const { send, ask, call, refusal } = createClient((request) =>
  exports.default.fetch(request),
)
