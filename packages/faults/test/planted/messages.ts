/** Faults of messages, the handshake, sessions and streams, planted in an open server. */
import type { ClientName } from '../../../client/src/names.ts'
import {
  type Answer,
  answers,
  answersAt,
  answersTo,
  at,
  both,
  counted,
  type Defect,
  errorOf,
  html,
  isGet,
  isPost,
  json,
  onMethod,
  type PlantedRequest,
  paramsOf,
  refusal,
  rejectsModern,
  resultOf,
  rpcError,
  textOf,
  when,
} from './plant.ts'
import { type Rows, WITH_SESSION } from './row.ts'

/** Those whose own id is the last one that they have read. */
const WITH_LAST_ID: readonly ClientName[] = ['VS Code', 'Cursor', 'Gemini CLI', 'Inspector']

const asStream = (text: (json: string) => string): Defect =>
  answersTo('initialize', ({ body }) => ({
    headers: { 'content-type': 'text/event-stream' },
    body: text(String(body)),
  }))

const withType = (type: string): Defect =>
  answersTo('initialize', { headers: { 'content-type': type } })

const withTrace = (text: string) => text.replace('{', '{"traceId":"7f3a",')

const versionOf = (request: PlantedRequest) => String(paramsOf(request).protocolVersion ?? '')

/** Requests with the version that `initialize` has negotiated. */
const hasNegotiated = ({ headers, method }: PlantedRequest) =>
  (headers['mcp-protocol-version'] ?? '2026') < '2026' && method === 'POST'

/** Requests after `initialize` without this header. */
const lacks = (header: string) => (request: PlantedRequest) =>
  isPost(request) && request.json.method !== 'initialize' && request.headers[header] === undefined

/** Requests of an unknown session. */
const ofUnknown = ({ status, body }: Answer) => status === 404 && String(body).includes('-32001')

const UNKNOWN_SESSION = refusal(404, 'Session not found', -32001)

/** Sends another session id with each response to POST, and refuses some ids. */
function withNewIds(isRefused: (id: string) => boolean): Defect {
  let responses = 0
  return (request, next) => {
    const id = request.headers['mcp-session-id']
    if (request.method !== 'POST') return next()
    if (id !== undefined && isRefused(id)) return UNKNOWN_SESSION
    // The reference server serves a request without an id.
    delete request.headers['mcp-session-id']
    const answer = next()
    const newId = `${++responses}-${request.json.method}`
    return answer && { ...answer, headers: { ...answer.headers, 'mcp-session-id': newId } }
  }
}

/** The id of every session has a space. */
const withSpacedId: Defect = (request, next) => {
  if (request.headers['mcp-session-id'] === 'session 1') delete request.headers['mcp-session-id']
  const answer = next()
  if (answer === undefined || request.json.method !== 'initialize') return answer
  return { ...answer, headers: { ...answer.headers, 'mcp-session-id': 'session 1' } }
}

function acceptsOnce(): (id: string) => boolean {
  const used = new Set<string>()
  return (id) => used.size === used.add(id).size
}

/** Writes another beginning of the GET stream. */
const streaming = (text: string): Defect =>
  answers(({ stream }) => stream !== undefined, { stream: (sink) => void sink.write(text) })

const preflight = (headers: Readonly<Record<string, string>>): Defect =>
  answers((_, { method }) => method === 'OPTIONS', { headers })

const notified = (change: Partial<Answer>): Defect =>
  answers(({ status }) => status === 202, change)

const ASKS_FOR_ROOTS = 'data: {"jsonrpc":"2.0","id":"r","method":"roots/list"}\n\n'

const isWellKnown = ({ path }: PlantedRequest) => path.startsWith('/.well-known/')

export const MESSAGES: Rows = {
  'response-not-json': {
    'the response of initialize is cut off': answersTo('initialize', { body: '{"jsonrpc":' }),
  },
  'response-content-type': {
    'JSON is sent as text/plain': withType('text/plain'),
    'JSON is sent with a type that ends in +json': withType('application/vnd.mcp+json'),
    'JSON is sent as text/html': withType('text/html; charset=UTF-8'),
    'an event stream is sent as JSON': textOf('initialize', (text) => `data: ${text}\n\n`),
  },
  'response-missing': {
    'initialize is answered with 202': onMethod('initialize', () => ({ status: 202 })),
    'a request is answered with 202 and its response': answersTo('initialize', { status: 202 }),
    'the member jsonrpc is missing': textOf('initialize', (text) =>
      text.replace('"jsonrpc":"2.0",', ''),
    ),
    'every result has an error of null beside it': answers(
      ({ body }) => String(body).includes('"result":'),
      ({ body }) => ({ body: String(body).replace(/}$/, ',"error":null}') }),
    ),
    'the response of tools/list has an error of null beside its result': textOf(
      'tools/list',
      (text) => text.replace(/"result":.*}$/, '"error":null,$&'),
    ),
  },
  'response-members-unknown': {
    'every response has a trace id': answers(
      ({ body }, { path }) => path === '/mcp' && body !== undefined,
      ({ body }) => ({ body: withTrace(String(body)) }),
    ),
    'the response to tools/list alone has a trace id': textOf('tools/list', withTrace),
    'the response to tools/call alone has a trace id': textOf('tools/call', withTrace),
  },
  'response-batched': {
    'initialize is answered with an array': textOf('initialize', (text) => `[${text}]`),
  },
  'response-id-changed': {
    'a string id becomes a number': onMethod(
      'server/discover',
      (id, next) => next && { ...next, body: String(next.body).replace(JSON.stringify(id), '0') },
    ),
  },
  'event-stream-invalid': {
    'JSON is sent as an event stream': asStream((json) => json),
    'the event does not end with an empty line': asStream((json) => `data: ${json}\n`),
    'the JSON of the event has line breaks': asStream(
      (json) => `data: ${JSON.stringify(JSON.parse(json), null, 2)}\n\n`,
    ),
    'the event of the response has another type than message': asStream(
      (json) => `event: response\ndata: ${json}\n\n`,
    ),
  },
  'discover-fails': {
    'an unknown method crashes the server': onMethod('server/discover', () =>
      html(500, 'TypeError'),
    ),
    'server/discover is answered with status 200 and an error that has no id': onMethod(
      'server/discover',
      () => rpcError(null, -32601, 'Method not found'),
    ),
    'server/discover is answered with status 200 and an error that has no message': onMethod(
      'server/discover',
      (id) => json({ jsonrpc: '2.0', id, error: { code: 1 } }),
    ),
  },
  'discover-result-invalid': {
    'supportedVersions is a string': resultOf('server/discover', {
      supportedVersions: '2026-07-28',
    }),
    'the capabilities of the modern revision are missing': resultOf('server/discover', {
      capabilities: undefined,
    }),
  },
  'initialize-result-invalid': {
    'the capabilities are missing': resultOf('initialize', { capabilities: undefined }),
    'serverInfo is missing': resultOf('initialize', { serverInfo: undefined }),
  },
  'initialize-version-unknown': {
    'initialize is answered with a version of its own': resultOf('initialize', {
      protocolVersion: '1.0',
    }),
    'initialize is answered with the revision that has no initialize': resultOf('initialize', {
      protocolVersion: '2026-07-28',
    }),
  },
  'initialize-refused': {
    'one revision is refused': {
      plant: when(
        (request) => versionOf(request) === '2025-06-18',
        rpcError(0, -32602, 'Unsupported'),
      ),
      met: ['Codex', 'Gemini CLI'],
    },
    'one revision is refused with 400 by a server of the session era': {
      plant: both(
        when(
          (request) => versionOf(request) === '2025-06-18',
          refusal(400, 'Unsupported protocol version'),
        ),
        rejectsModern,
      ),
      met: ['Codex', 'Gemini CLI'],
    },
    'an internal error with status 200 says that an authentication failed': both(
      errorOf('initialize', -32603, 'Database authentication'),
      rejectsModern,
    ),
  },
  'newer-version-refused': {
    'a version of the future is refused': when(
      (request) => versionOf(request) > '2026',
      rpcError(0, -32602, 'Unsupported'),
    ),
    'a version of the future is refused with 400': when(
      (request) => versionOf(request) > '2026',
      refusal(400, 'Unsupported protocol version'),
    ),
  },
  'second-client-refused': {
    'one transport serves all requests': counted(
      ({ json: { method } }) => method === 'initialize',
      (before) =>
        before > 0
          ? refusal(400, 'Invalid Request: Server already initialized', -32600)
          : undefined,
    ),
  },
  'notification-refused': {
    'notifications are answered with 400': onMethod('notifications/initialized', () =>
      json({ error: 'no' }, 400),
    ),
  },
  'notification-not-202': {
    'a notification is answered with 202 and a body': notified({ body: '{}' }),
    'a notification is answered with 200': notified({ status: 200 }),
  },
  'error-not-json': {
    'an unknown method is answered with text': onMethod('edgeway/doctor-unknown-method', () => ({
      status: 404,
      body: 'Not found',
    })),
    'an unknown session is answered with text': answers(ofUnknown, { body: 'Session not found' }),
  },
  'version-header-required': {
    'a request without MCP-Protocol-Version is refused after initialize': when(
      lacks('mcp-protocol-version'),
      refusal(400, 'No version', -32600),
    ),
  },
  'version-header-refused': {
    'requests with the negotiated version are refused': both(
      when(hasNegotiated, refusal(400, 'Bad version')),
      rejectsModern,
    ),
    'the list of tools is refused with the negotiated version': both(
      when(
        (request) => hasNegotiated(request) && request.json.method === 'tools/list',
        refusal(400, 'Bad version'),
      ),
      rejectsModern,
    ),
  },
  'session-id-invalid': { 'the session id has a space': withSpacedId },
  'session-id-changed': {
    'every response has a new session id and every id is accepted': withNewIds(() => false),
  },
  'session-id-replaced': {
    'every response has a new session id and only that of initialize is accepted': {
      plant: withNewIds((id) => !id.endsWith('initialize')),
      met: WITH_LAST_ID,
    },
    'every response has a new session id and that of initialize is accepted once': {
      plant: withNewIds(acceptsOnce()),
      met: WITH_SESSION,
    },
  },
  'session-not-found-at-once': {
    'sessions are not shared between processes': when(
      ({ headers, json: { method } }) =>
        headers['mcp-session-id'] !== undefined && method === 'tools/list',
      UNKNOWN_SESSION,
    ),
    'no request but initialize finds the session': when(
      ({ headers }) => headers['mcp-session-id'] !== undefined,
      UNKNOWN_SESSION,
    ),
  },
  'session-required': {
    'every request needs a session id': both(
      when(lacks('mcp-session-id'), refusal(400, 'Session required')),
      rejectsModern,
    ),
  },
  'session-lost-not-404': {
    'a request of an ended session is answered with 400': answers(ofUnknown, { status: 400 }),
    'sessions cannot be ended and an unknown one is answered with 400': both(
      at('/mcp', json({ error: 'no' }, 405, { allow: 'GET, POST' }), 'DELETE'),
      answers(ofUnknown, { status: 400 }),
    ),
  },
  'session-end-fails': {
    'DELETE of a session is an error of the server': at(
      '/mcp',
      refusal(500, 'Internal error'),
      'DELETE',
    ),
  },
  'stream-refused': {
    'GET is answered with 404': {
      plant: at('/mcp', json({ error: 'Not found' }, 404), 'GET'),
      met: WITH_SESSION,
    },
    'a GET with the version of Codex is refused': {
      plant: when(
        (request) => isGet(request) && request.headers['mcp-protocol-version'] === '2024-11-05',
        refusal(400, 'Bad version'),
      ),
      met: ['Codex'],
    },
  },
  'stream-ends': {
    'the GET stream ends at once': answers(({ stream }) => stream !== undefined, {
      stream: (sink) => void sink.end(': bye\n\n'),
    }),
  },
  'stream-event-unknown': {
    'the GET stream is kept open with ping events': streaming('event: ping\ndata: {}\n\n'),
  },
  'stream-no-first-byte': {
    'the headers of the GET stream wait for the first event': {
      plant: at('/mcp', undefined, 'GET'),
      timeoutMs: 4000,
      met: WITH_SESSION,
    },
  },
  'second-stream-refused': {
    'a second GET is answered with 409': counted(isGet, (before) =>
      before > 0 ? json({ error: 'Conflict' }, 409) : undefined,
    ),
  },
  'allow-header-missing': {
    'GET is answered with 405 without Allow': at('/mcp', refusal(405, 'Method not allowed'), 'GET'),
  },
  'unsolicited-request': {
    'roots are requested on the GET stream': {
      plant: streaming(ASKS_FOR_ROOTS),
      met: WITH_SESSION,
    },
    'roots are requested on the GET stream of a server of the session era': both(
      streaming(ASKS_FOR_ROOTS),
      rejectsModern,
    ),
  },
  'preflight-refused': {
    'OPTIONS is answered with 405': at('/mcp', json({ error: 'no' }, 405), 'OPTIONS'),

    'the preflight does not allow mcp-session-id': preflight({
      'access-control-allow-headers': 'content-type, authorization',
    }),
    'the preflight does not allow MCP-Protocol-Version': preflight({
      'access-control-allow-headers': 'authorization, content-type, accept, mcp-session-id',
    }),
    'the preflight does not allow DELETE': preflight({
      'access-control-allow-methods': 'GET, POST, OPTIONS',
    }),
  },
  'cors-headers-hidden': {
    'Mcp-Session-Id is not exposed': answersAt('/mcp', {
      headers: { 'access-control-expose-headers': undefined },
    }),
  },
  'origin-refused': {
    'the Origin of the Inspector is refused': when(
      (request) => isPost(request) && request.headers.origin !== undefined,
      json({ error: 'Forbidden origin' }, 403),
    ),
  },
  'well-known-not-json': {
    'the well-known paths are a page with 200': when(isWellKnown, html(200, 'App')),
    'the well-known paths are a page with 404': when(isWellKnown, html(404, 'Not found')),
  },
}
