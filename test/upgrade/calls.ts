/** Calls without a session, in the modern revision. */
import { type Answer, readAnswer, requestOf } from '../attacks/modern.ts'
import type { ServedEndpoint } from './upgrade-server.ts'

/** An endpoint for clients of MCP alone. */
export type Endpoint = Pick<ServedEndpoint, 'url' | 'fetch'>

/** Adds an access token to every request. */
export function withToken({ url, fetch }: Endpoint, token: string): Endpoint {
  return {
    url,
    fetch: (request) => {
      const headers = new Headers(request.headers)
      headers.set('authorization', `Bearer ${token}`)
      return fetch(new Request(request, { headers }))
    },
  }
}

/** Calls a tool. `round` is what a later round adds: `requestState`, `inputResponses`. */
export async function callTool(
  { url, fetch }: Endpoint,
  name: string,
  args: object = {},
  round: object = {},
): Promise<Answer> {
  const params = { name, arguments: args, ...round }
  return readAnswer(await fetch(requestOf(url, 'tools/call', params, name)))
}

/** Calls a tool that asks, and returns its request state. */
export async function stateOf(
  endpoint: Endpoint,
  name: string,
  args: object = {},
  round: object = {},
): Promise<string> {
  const { result, error } = await callTool(endpoint, name, args, round)
  if (typeof result?.requestState === 'string') return result.requestState
  throw new Error(`${name} asks for nothing: ${JSON.stringify(result ?? error)}`)
}

export async function readCount(endpoint: Endpoint, name: string): Promise<unknown> {
  const { result } = await callTool(endpoint, 'read_count', { name })
  return (result?.structuredContent as { readonly value: unknown } | undefined)?.value
}

/** How often the two steps of `ask_count` ran. */
export async function stepsOf(endpoint: Endpoint, name: string): Promise<readonly unknown[]> {
  return Promise.all([readCount(endpoint, `${name}-first`), readCount(endpoint, `${name}-second`)])
}

/** Publishes that a resource was updated. */
export async function touch(endpoint: Endpoint, uri: string): Promise<void> {
  const { result, error } = await callTool(endpoint, 'touch_resource', { uri })
  if (result === undefined) throw new Error(`Not published: ${JSON.stringify(error)}`)
}
