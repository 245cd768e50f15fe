/** A signed-in client of the notebook that the root `wrangler.toml` deploys. */
import { createExecutionContext, reset, waitOnExecutionContext } from 'cloudflare:test'
import { env as workerEnv } from 'cloudflare:workers'
import notebook from '../../../examples/notebook/worker.ts'
import { authorize } from '../../../scripts/support/authorize.ts'
import { ENDPOINT } from '../../support/test-app.ts'
import { createClient } from '../client.ts'

const contexts: ExecutionContext[] = []
/** The app keeps the keys of the keyring for each environment: a notebook with new keys needs a new one. */
let env = { ...workerEnv }
/** Tokens by bindings, because the bindings contain the objects that issue a token. */
const tokens = new Map<object, string>()

type Bindings = Parameters<typeof notebook.fetch>[1]

export function fetch(request: Request, bindings: Bindings = env): Response | Promise<Response> {
  const ctx = createExecutionContext()
  contexts.push(ctx)
  return notebook.fetch(request, bindings, ctx)
}

/** Sends a request with a token that was issued after consent. */
export async function fetchSignedIn(request: Request, bindings: Bindings = env): Promise<Response> {
  const send = (authRequest: Request) => fetch(authRequest, bindings)
  const origin = new URL(ENDPOINT).origin
  const token = tokens.get(bindings) ?? (await authorize({ origin, fetch: send }))
  tokens.set(bindings, token)
  const headers = new Headers(request.headers)
  headers.set('authorization', `Bearer ${token}`)
  return fetch(new Request(request, { headers }), bindings)
}

export const { send, ask, call, refusal, round, session, listen } = createClient((request) =>
  fetchSignedIn(request),
)

/** Waits for pending notifications of the test and then empties the notebook. */
export async function clear(): Promise<void> {
  await Promise.all(contexts.splice(0).map(waitOnExecutionContext))
  tokens.clear()
  await reset()
  env = { ...workerEnv }
}
