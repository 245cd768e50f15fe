/** The MCP requests of the benchmark, and their HTTP/1.1 bytes. */

export interface LoadRequest {
  /** Default: `ENDPOINT_PATH`. */
  readonly path?: string
  /** Status of a correct response. Default: 200. */
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

const ELICITATION_META = {
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

/** The same call with an access token. */
export function authorizedCall(accessToken: string): LoadRequest {
  const authorization = `Bearer ${accessToken}`
  return { ...modernCall, headers: { ...modernCall.headers, authorization } }
}

/** The same call by a client that supports elicitation. */
export const modernAsk: LoadRequest = {
  headers: modernCall.headers,
  body: request('tools/call', { ...ECHO, _meta: ELICITATION_META }),
}

/** Request id of the retry. */
export const RETRY_ID = 8

/** The retry of `modernAsk`: the accepted elicitation, and the state of the first response. */
export function modernAskRetry(requestState: string): LoadRequest {
  const inputResponses = { confirm: { action: 'accept', content: { confirm: true } } }
  const params = { ...ECHO, inputResponses, requestState, _meta: ELICITATION_META }
  return { headers: modernCall.headers, body: request('tools/call', params, RETRY_ID) }
}

/** `tools/call` of `publish`. */
export const modernPublish: LoadRequest = {
  headers: { ...modernCall.headers, 'mcp-name': 'publish' },
  body: request('tools/call', { name: 'publish', arguments: {}, _meta: MODERN_META }),
}

/** `subscriptions/listen` with a filter for changes of the tools. */
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

/** The same stream with an access token. */
export function authorizedListen(accessToken: string): LoadRequest {
  const authorization = `Bearer ${accessToken}`
  return { ...modernListen, headers: { ...modernListen.headers, authorization } }
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

/** `tools/call` of `echo` in a session. */
export function sessionCall(revision: string, sessionId: string): LoadRequest {
  return { headers: sessionHeaders(revision, sessionId), body: request('tools/call', ECHO) }
}

/** `tools/list` in a session. */
export function sessionList(revision: string, sessionId: string): LoadRequest {
  return { headers: sessionHeaders(revision, sessionId), body: request('tools/list', {}) }
}

/** `notifications/initialized`, which follows the response to `initialize`. */
export function initialized(revision: string, sessionId: string): LoadRequest {
  return {
    headers: sessionHeaders(revision, sessionId),
    body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
  }
}

/** `tools/call` of `progress` in a session: the server sends `count` notifications. */
export function sessionProgress(revision: string, sessionId: string, count: number): LoadRequest {
  const params = { name: 'progress', arguments: { count }, _meta: { progressToken: 'p' } }
  return { headers: sessionHeaders(revision, sessionId), body: request('tools/call', params) }
}

/** Headers of the GET that opens the standalone stream of a session. */
export function streamHeaders(revision: string, sessionId: string) {
  return {
    accept: 'text/event-stream',
    'mcp-protocol-version': revision,
    'mcp-session-id': sessionId,
  }
}

/** Headers of the GET that resumes a stream of a session. */
export function resumeHeaders(revision: string, sessionId: string, lastEventId: string) {
  return { ...streamHeaders(revision, sessionId), 'last-event-id': lastEventId }
}

/** `initialize` under a 2025 revision. */
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

/** The tools of the servers with tasks: `work` has one step, `wait` does not end. */
export type TaskTool = 'work' | 'wait'

const TASKS_META = {
  ...MODERN_META,
  'io.modelcontextprotocol/clientCapabilities': {
    extensions: { 'io.modelcontextprotocol/tasks': {} },
  },
}

/** Every request of a task names its principal, whose tasks are listed. */
export function taskCaller(principal: string) {
  return { authorization: `Bearer ${principal}` }
}

/** `tools/call` that becomes a task of 2026-07-28. */
export function modernTask(tool: TaskTool, principal: string): LoadRequest {
  return {
    headers: { ...modernCall.headers, ...taskCaller(principal), 'mcp-name': tool },
    body: request('tools/call', { name: tool, arguments: {}, _meta: TASKS_META }),
  }
}

/** `tasks/get` of 2026-07-28. */
export function modernTaskGet(taskId: string, principal: string): LoadRequest {
  return {
    headers: {
      ...modernCall.headers,
      ...taskCaller(principal),
      'mcp-method': 'tasks/get',
      'mcp-name': taskId,
    },
    body: request('tasks/get', { taskId, _meta: TASKS_META }),
  }
}

/** `tools/call` that becomes an experimental task of 2025-11-25. */
export function sessionTask(revision: string, sessionId: string, tool: TaskTool): LoadRequest {
  const params = { name: tool, arguments: {}, task: {} }
  return { headers: sessionHeaders(revision, sessionId), body: request('tools/call', params) }
}

/** `tasks/get` in a session. */
export function sessionTaskGet(revision: string, sessionId: string, taskId: string): LoadRequest {
  return {
    headers: sessionHeaders(revision, sessionId),
    body: request('tasks/get', { taskId }),
  }
}

/** Writes a request as HTTP/1.1 bytes. `Content-Length` is the last header. */
export function requestBytes({ path, headers, body }: LoadRequest, port: number): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(
    `POST ${path ?? ENDPOINT_PATH} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${lines.join('')}` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

/** The GET that opens a stream of a session. */
export function sessionStreamBytes(revision: string, sessionId: string, port: number): Buffer {
  const lines = Object.entries(sessionHeaders(revision, sessionId)).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  return Buffer.from(
    `GET ${ENDPOINT_PATH} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${lines.join('')}\r\n`,
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
