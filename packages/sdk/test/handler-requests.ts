/** Requests to a handler of `createMcpHandler`: calls of a tool. */
import { modernRequest } from '../../../test/support/test-app.ts'

const ACCEPTED = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
}
const ORIGIN = 'http://localhost:8787'

/** A modern call. A path may also be a URL. */
export function handlerRequest(path: string, name: string, more: Record<string, string> = {}) {
  const { body, headers } = modernRequest('tools/call', { name })
  return new Request(new URL(path, ORIGIN), {
    method: 'POST',
    headers: { ...(headers as Record<string, string>), ...ACCEPTED, ...more },
    body: JSON.stringify(body),
  })
}

/** A call of 2025-11-25 without a session. */
export function sessionEraRequest(path: string, name: string, method = 'tools/call') {
  return new Request(new URL(path, ORIGIN), {
    method: 'POST',
    headers: { ...ACCEPTED, 'mcp-protocol-version': '2025-11-25' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { name } }),
  })
}

export async function textOf(response: Response): Promise<string> {
  const body: { result: { content: { text: string }[] } } = await response.json()
  return body.result.content[0]?.text ?? ''
}
