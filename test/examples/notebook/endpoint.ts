/** A client of the notebook, as the root `wrangler.toml` deploys it: signed in, once per notebook. */
import { createExecutionContext, reset, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import notebook from '../../../examples/notebook/worker.ts'
import { authorize } from '../../../scripts/support/authorize.ts'
import { ENDPOINT } from '../../support/door.ts'
import { createClient } from '../client.ts'

const contexts: ExecutionContext[] = []
/** By bindings: what issues a token is part of them. */
const tokens = new Map<object, string>()

type Bindings = Parameters<typeof notebook.fetch>[1]

function fetch(request: Request, bindings: Bindings = env): Response | Promise<Response> {
  const ctx = createExecutionContext()
  contexts.push(ctx)
  return notebook.fetch(request, bindings, ctx)
}

/** Sends a request with a token that was given at the consent page. */
export async function fetchSignedIn(request: Request, bindings: Bindings = env): Promise<Response> {
  const send = (own: Request) => fetch(own, bindings)
  const origin = new URL(ENDPOINT).origin
  const token = tokens.get(bindings) ?? (await authorize({ origin, fetch: send }))
  tokens.set(bindings, token)
  const headers = new Headers(request.headers)
  headers.set('authorization', `Bearer ${token}`)
  return fetch(new Request(request, { headers }), bindings)
}

/** The next request gets a token of its own, such as after the clock was moved. */
export function signInAnew(): void {
  tokens.clear()
}

export const { send, ask, call, refusal, round, session, listen } = createClient((request) =>
  fetchSignedIn(request),
)

/** An empty notebook for the next test, once the news of this one has gone out. */
export async function clear(): Promise<void> {
  await Promise.all(contexts.splice(0).map(waitOnExecutionContext))
  tokens.clear()
  await reset()
}
