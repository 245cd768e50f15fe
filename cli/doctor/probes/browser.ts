/** What a client in a browser needs: the preflight, and a response that it may read. */
import { INSPECTOR_ORIGIN } from '../clients.ts'
import type { HttpReply } from '../http/http-client.ts'
import { type Endpoint, initializeMessage } from '../mcp/endpoint.ts'
import { postMessage } from '../mcp/rpc.ts'

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
  const request = await postMessage(
    http,
    url,
    initializeMessage('2025-11-25', { name: 'inspector-client', version: '2.0.0' }),
    { origin: INSPECTOR_ORIGIN, ...headers },
    (_, { 'content-type': type = '' }) => type.includes('event-stream'),
  )
  return { preflight, request }
}
