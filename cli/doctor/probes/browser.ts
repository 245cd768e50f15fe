/** What a client in a browser needs: the preflight, and a response that it may read. */
import { INSPECTOR_ORIGIN } from '../clients.ts'
import type { HttpReply } from '../http/http-client.ts'
import type { Endpoint } from '../mcp/endpoint.ts'

export interface BrowserObservation {
  readonly preflight: HttpReply
  /** `initialize` with the Origin of the Inspector. */
  readonly request: HttpReply
}

/** The headers of its requests that need a preflight. */
export const BROWSER_HEADERS = [
  'authorization',
  'content-type',
  'mcp-protocol-version',
  'mcp-session-id',
]

export async function probeBrowser({ http, url, headers }: Endpoint): Promise<BrowserObservation> {
  const preflight = await http.send({
    method: 'OPTIONS',
    url,
    headers: {
      origin: INSPECTOR_ORIGIN,
      'access-control-request-method': 'POST',
      'access-control-request-headers': BROWSER_HEADERS.join(','),
    },
  })
  const request = await http.send(
    {
      method: 'POST',
      url,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        origin: INSPECTOR_ORIGIN,
        ...headers,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: {
          protocolVersion: '2025-11-25',
          capabilities: {},
          clientInfo: { name: 'inspector-client', version: '2.0.0' },
        },
      }),
    },
    (_, { 'content-type': type = '' }) => type.includes('event-stream'),
  )
  return { preflight, request }
}
