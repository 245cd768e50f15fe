/** The MCP endpoint under test: its URL, the credentials, and requests of both eras. */

import { MODERN } from '../../../../../src/protocol/revisions.ts'
import { DOCTOR } from '../../../../client/src/names.ts'
import type { Members } from '../../../../text/src/json/members.ts'
import type { HttpClient, HttpReply } from '../http/http-client.ts'
import { postMessage, type RpcMessage, type RpcReply, sendRpc } from './rpc.ts'

export interface Endpoint {
  readonly url: URL
  readonly http: HttpClient
  /** Sent with every request: headers of the command line, and the access token once there is one. */
  readonly headers: Readonly<Record<string, string>>
  /** The name in `clientInfo`. Default: that of the doctor. */
  readonly clientName?: string
}

const CLIENT_INFO = { name: DOCTOR, version: '1.0.0' }

const clientInfoOf = ({ clientName = CLIENT_INFO.name }: Pick<Endpoint, 'clientName'>) => ({
  ...CLIENT_INFO,
  name: clientName,
})

/** A request of the modern revision. */
export function sendModern(
  endpoint: Endpoint,
  method: string,
  params: Members = {},
  id: string | number = 1,
): Promise<RpcReply> {
  const { message, headers } = modernRequest(endpoint, method, params, id)
  return sendRpc(endpoint.http, endpoint.url, message, headers)
}

/** The message of a request of the modern revision, and the headers that repeat it. */
export function modernRequest(
  endpoint: Pick<Endpoint, 'headers' | 'clientName'>,
  method: string,
  params: Members,
  id: string | number,
): { readonly message: RpcMessage; readonly headers: Readonly<Record<string, string>> } {
  const headers: Record<string, string> = {
    ...endpoint.headers,
    'mcp-protocol-version': MODERN.id,
    'mcp-method': method,
  }
  const name = params.name ?? params.uri
  // The extension of events defines no such header.
  if (typeof name === 'string' && !method.startsWith('events/')) {
    headers['mcp-name'] = headerText(name)
  }
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN.id,
    'io.modelcontextprotocol/clientInfo': clientInfoOf(endpoint),
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return { message: { id, method, params: { ...params, _meta } }, headers }
}

export function sendInitialize(
  endpoint: Endpoint,
  protocolVersion: string,
  headers: Readonly<Record<string, string>> = {},
  clientName = endpoint.clientName,
): Promise<RpcReply> {
  const info = clientInfoOf(clientName === undefined ? {} : { clientName })
  const message = initializeMessage(protocolVersion, info)
  return sendRpc(endpoint.http, endpoint.url, message, { ...endpoint.headers, ...headers })
}

export function initializeMessage(protocolVersion: string, clientInfo: object): RpcMessage {
  const params = { protocolVersion, capabilities: {}, clientInfo }
  return { id: 0, method: 'initialize', params }
}

/** What `initialize` negotiated. */
export interface Handshake {
  readonly revision: string
  readonly sessionId: string | undefined
}

export function sessionHeaders({ revision, sessionId }: Handshake): Record<string, string> {
  return {
    'mcp-protocol-version': revision,
    ...(sessionId === undefined ? {} : { 'mcp-session-id': sessionId }),
  }
}

/** A request after `initialize`. */
export function sendInSession(
  endpoint: Endpoint,
  handshake: Handshake,
  method: string,
  params: Members = {},
): Promise<RpcReply> {
  const headers = { ...endpoint.headers, ...sessionHeaders(handshake) }
  return sendRpc(endpoint.http, endpoint.url, { id: 1, method, params }, headers)
}

/** A notification has no response; the reply is that of HTTP. */
export function sendNotification(
  { http, url, headers }: Endpoint,
  handshake: Handshake,
  method: string,
): Promise<HttpReply> {
  return postMessage(http, url, { method }, { ...headers, ...sessionHeaders(handshake) })
}

/** Text outside of visible ASCII is encoded, as the specification says for headers that repeat the body. */
function headerText(text: string): string {
  return /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?')
    ? text
    : `=?base64?${Buffer.from(text).toString('base64')}?=`
}
