/** What a client in a browser needs: the preflight, and a response that it may read. */
import { INSPECTOR_ORIGIN } from '../clients.ts'
import type { HttpReply } from '../http/http-client.ts'
import { type Endpoint, sendInitialize } from '../mcp/endpoint.ts'
import { endSession, handshakeOf } from './session.ts'

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

export async function probeBrowser(endpoint: Endpoint): Promise<BrowserObservation> {
  const { http, url, headers } = endpoint
  const preflight = await http.send({
    method: 'OPTIONS',
    url,
    headers: {
      origin: INSPECTOR_ORIGIN,
      'access-control-request-method': 'POST',
      'access-control-request-headers': BROWSER_HEADERS.join(','),
    },
  })
  // A header of the command line may be another origin.
  const origin = { origin: INSPECTOR_ORIGIN, ...headers }
  const reply = await sendInitialize(endpoint, '2025-11-25', origin, 'inspector-client')
  const opened = handshakeOf(reply)
  if (opened !== undefined) await endSession(endpoint, opened)
  const request = reply.kind === 'failed' ? reply.reply : ({ ok: true, ...reply.http } as const)
  return { preflight, request }
}
