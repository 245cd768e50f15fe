/** A client of the notebook, as the root `wrangler.toml` deploys it. */
import { createExecutionContext, reset, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import notebook from '../../../examples/notebook/worker.ts'
import { createClient } from '../client.ts'

const contexts: ExecutionContext[] = []

export const { send, ask, call, refusal, round, session, listen } = createClient((request) => {
  const ctx = createExecutionContext()
  contexts.push(ctx)
  return notebook.fetch(request, env, ctx)
})

/** An empty notebook for the next test, once the news of this one has gone out. */
export async function clear(): Promise<void> {
  await Promise.all(contexts.splice(0).map(waitOnExecutionContext))
  await reset()
}
