/** Calls of the protected endpoint with given credentials. */
import { type Answer, JSON_TYPE, type Sending, send } from './send.ts'

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'hostile', version: '1' },
  },
})

export function callWith(
  origin: string,
  headers: Sending['headers'],
  path = '/mcp',
): Promise<Answer> {
  const accept = ['accept', 'application/json, text/event-stream'] as const
  return send(origin, path, {
    method: 'POST',
    headers: [JSON_TYPE, accept, ...(headers ?? [])],
    body: INITIALIZE,
  })
}

export async function statusWith(origin: string, token: string, path = '/mcp'): Promise<number> {
  return (await callWith(origin, [['authorization', `Bearer ${token}`]], path)).status
}

/** Waits for a status, because the endpoint may cache the state of a grant for a second. */
export async function untilStatus(origin: string, token: string, wanted: number): Promise<number> {
  const deadline = Date.now() + 5000
  let status = await statusWith(origin, token)
  while (status !== wanted && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    status = await statusWith(origin, token)
  }
  return status
}
