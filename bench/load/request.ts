/** The requests of the benchmark, as the bytes that are replayed. */

export interface LoadRequest {
  /** Default: the endpoint. */
  readonly path?: string
  /** Of a right answer. Default: 200. */
  readonly status?: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export const REQUEST_ID = 7

export const ENDPOINT_PATH = '/mcp'

const SHARED_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
}

const MODERN_META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

const ASKABLE_META = {
  ...MODERN_META,
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
}

const ECHO = { name: 'echo', arguments: { text: 'hello' } }

/** `tools/call` of `echo` under 2026-07-28. */
export const modernCall: LoadRequest = {
  headers: {
    ...SHARED_HEADERS,
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'echo',
  },
  body: request('tools/call', { ...ECHO, _meta: MODERN_META }),
}

/** The same call by a client that has been let in. */
export function authorizedCall(accessToken: string): LoadRequest {
  const authorization = `Bearer ${accessToken}`
  return { ...modernCall, headers: { ...modernCall.headers, authorization } }
}

/** The same call by a client that can be asked. */
export const modernAsk: LoadRequest = {
  headers: modernCall.headers,
  body: request('tools/call', { ...ECHO, _meta: ASKABLE_META }),
}

/** The id of a second round: each is a request of its own. */
export const RETRY_ID = 8

/** Its second round, with a yes and the state that the first round answered with. */
export function modernAskAnswered(requestState: string): LoadRequest {
  const inputResponses = { confirm: { action: 'accept', content: { confirm: true } } }
  const params = { ...ECHO, inputResponses, requestState, _meta: ASKABLE_META }
  return { headers: modernCall.headers, body: request('tools/call', params, RETRY_ID) }
}

/** `tools/call` of `publish`. */
export const modernPublish: LoadRequest = {
  headers: { ...modernCall.headers, 'mcp-name': 'publish' },
  body: request('tools/call', { name: 'publish', arguments: {}, _meta: MODERN_META }),
}

/** `subscriptions/listen`, for changes of the tools. */
export const modernListen: LoadRequest = {
  headers: {
    ...SHARED_HEADERS,
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'subscriptions/listen',
  },
  body: request('subscriptions/listen', {
    notifications: { toolsListChanged: true },
    _meta: MODERN_META,
  }),
}

/** `tools/list` under 2026-07-28. */
export const modernList: LoadRequest = {
  headers: {
    ...SHARED_HEADERS,
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/list',
  },
  body: request('tools/list', { _meta: MODERN_META }),
}

/** `tools/call` of `echo` under a 2025 revision, without a session. */
export function statelessCall(revision: string): LoadRequest {
  return { headers: revisionHeaders(revision), body: request('tools/call', ECHO) }
}

/** `tools/call` of `echo` on a session. */
export function sessionCall(revision: string, sessionId: string): LoadRequest {
  return { headers: sessionHeaders(revision, sessionId), body: request('tools/call', ECHO) }
}

/** `tools/list` on a session. */
export function sessionList(revision: string, sessionId: string): LoadRequest {
  return { headers: sessionHeaders(revision, sessionId), body: request('tools/list', {}) }
}

/** What a client says once it has been answered to `initialize`. */
export function initialized(revision: string, sessionId: string): LoadRequest {
  return {
    headers: sessionHeaders(revision, sessionId),
    body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
  }
}

/** `tools/call` of `progress` on a session: a notification for each step. */
export function sessionProgress(revision: string, sessionId: string, count: number): LoadRequest {
  const params = { name: 'progress', arguments: { count }, _meta: { progressToken: 'p' } }
  return { headers: sessionHeaders(revision, sessionId), body: request('tools/call', params) }
}

/** The headers of the GET that resumes a stream of a session. */
export function resumeHeaders(revision: string, sessionId: string, lastEventId: string) {
  return {
    accept: 'text/event-stream',
    'mcp-protocol-version': revision,
    'mcp-session-id': sessionId,
    'last-event-id': lastEventId,
  }
}

/** `initialize` of a client of a 2025 revision. */
export function initialize(revision: string): LoadRequest {
  return {
    headers: SHARED_HEADERS,
    body: request('initialize', {
      protocolVersion: revision,
      capabilities: {},
      clientInfo: { name: 'bench', version: '1' },
    }),
  }
}

/** The HTTP/1.1 bytes of a request. */
export function requestBytes({ path, headers, body }: LoadRequest, port: number): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(
    `POST ${path ?? ENDPOINT_PATH} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${lines.join('')}` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

function revisionHeaders(revision: string) {
  return { ...SHARED_HEADERS, 'mcp-protocol-version': revision }
}

function sessionHeaders(revision: string, sessionId: string) {
  return { ...revisionHeaders(revision), 'mcp-session-id': sessionId }
}

function request(method: string, params: object, id = REQUEST_ID): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params })
}
