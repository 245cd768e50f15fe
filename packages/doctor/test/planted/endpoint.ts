/** Planted faults of an open server: reaching it, its era, sessions and streams. */
import { rejectsModern } from '../broken/row.ts'
import { at, withAnswer, withoutHeaders } from '../defects.ts'
import { type Defect, html, json } from '../reference-server.ts'
import { both, type Planted } from './planted.ts'

const refusal = (status: number, message: string) =>
  json({ jsonrpc: '2.0', id: null, error: { code: -32000, message } }, status)

const isPost = ({ method, path }: { method: string; path: string }) =>
  method === 'POST' && path === '/mcp'
const isGet = ({ method, path }: { method: string; path: string }) =>
  method === 'GET' && path === '/mcp'

/** Writes another beginning of the GET stream. */
const streaming =
  (text: string, isEnded = false): Defect =>
  (_, next) => {
    const answer = next()
    if (answer?.stream === undefined) return answer
    return { ...answer, stream: (reply) => void (isEnded ? reply.end(text) : reply.write(text)) }
  }

const preflight =
  (change: Readonly<Record<string, string>>): Defect =>
  (request, next) => {
    const answer = next()
    if (request.method !== 'OPTIONS' || answer === undefined) return answer
    return { ...answer, headers: { ...answer.headers, ...change } }
  }

const notification =
  (change: { readonly status: number; readonly body?: string }): Defect =>
  (_, next) => {
    const answer = next()
    return answer?.status === 202 ? { ...answer, ...change } : answer
  }

const versionOf = (params: unknown) =>
  String((params as { protocolVersion?: unknown } | undefined)?.protocolVersion)

const KNOWN = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']

export const ENDPOINT: readonly Planted[] = [
  {
    when: 'a POST is redirected to another URL of the origin',
    fault: 'endpoint-redirects',
    defect: (request, next) =>
      request.path === '/mcp' && isPost(request) && !request.query.has('slash')
        ? { status: 308, headers: { location: '/mcp?slash' } }
        : next(),
  },
  {
    when: 'initialize of 2025-06-18 is an error',
    fault: 'initialize-refused',
    defect: both(
      (request, next) =>
        request.json.method === 'initialize' && versionOf(request.json.params) === '2025-06-18'
          ? refusal(400, 'Unsupported protocol version')
          : next(),
      rejectsModern,
    ),
  },
  {
    when: 'initialize of a newer version is an error',
    fault: 'newer-version-refused',
    defect: (request, next) =>
      request.json.method === 'initialize' && !KNOWN.includes(versionOf(request.json.params))
        ? refusal(400, 'Unsupported protocol version')
        : next(),
  },
  {
    when: 'Accept must name both media types',
    fault: 'accept-refused',
    defect: (request, next) => {
      const { accept = '' } = request.headers
      const isBoth = accept.includes('application/json') && accept.includes('text/event-stream')
      return isPost(request) && !isBoth ? refusal(406, 'Not Acceptable') : next()
    },
  },
  {
    when: 'the version header is required after initialize',
    fault: 'version-header-required',
    defect: (request, next) =>
      isPost(request) &&
      request.json.method !== 'initialize' &&
      request.headers['mcp-protocol-version'] === undefined
        ? refusal(400, 'Version required')
        : next(),
  },
  {
    when: 'a GET with the version of Codex is refused',
    fault: 'stream-refused',
    defect: (request, next) =>
      isGet(request) && request.headers['mcp-protocol-version'] === '2024-11-05'
        ? refusal(400, 'Bad version')
        : next(),
  },
  {
    when: 'every request needs a session id',
    fault: 'session-required',
    defect: both(
      (request, next) =>
        isPost(request) &&
        request.json.method !== 'initialize' &&
        request.headers['mcp-session-id'] === undefined
          ? refusal(400, 'Session required')
          : next(),
      rejectsModern,
    ),
  },
  {
    when: 'an unknown session is answered with 400',
    fault: 'session-lost-not-404',
    defect: (request, next) => {
      const answer = next()
      const isUnknown = answer?.status === 404 && request.headers['mcp-session-id'] !== undefined
      return isUnknown ? refusal(400, 'No valid session') : answer
    },
  },
  {
    when: 'DELETE of a session is an error of the server',
    fault: 'session-end-fails',
    defect: at('/mcp', refusal(500, 'Internal error'), 'DELETE'),
  },
  {
    when: 'a notification is answered with a body',
    fault: 'notification-not-202',
    defect: notification({ status: 202, body: '{}' }),
  },
  {
    when: 'a notification is answered with 200',
    fault: 'notification-not-202',
    defect: notification({ status: 200 }),
  },
  {
    when: 'a second GET is answered with 409',
    fault: 'second-stream-refused',
    defect: (() => {
      const open = new Set<unknown>()
      return (request, next) => {
        if (!isGet(request)) return next()
        const id = request.headers['mcp-session-id']
        if (open.has(id)) return refusal(409, 'Only one stream')
        open.add(id)
        return next()
      }
    })(),
  },
  {
    when: 'GET is answered with 405 without Allow',
    fault: 'allow-header-missing',
    defect: at('/mcp', refusal(405, 'Method not allowed'), 'GET'),
  },
  {
    when: 'GET is answered with 404',
    fault: 'stream-refused',
    defect: at('/mcp', json({ error: 'not_found' }, 404), 'GET'),
  },
  { when: 'the GET stream ends at once', fault: 'stream-ends', defect: streaming(': a\n\n', true) },
  {
    when: 'the GET stream is kept open with ping events',
    fault: 'stream-event-unknown',
    defect: streaming('event: ping\ndata: {}\n\n'),
  },
  {
    when: 'the server asks for roots when the stream opens',
    fault: 'unsolicited-request',
    defect: streaming('data: {"jsonrpc":"2.0","id":"r1","method":"roots/list"}\n\n'),
  },
  {
    when: 'an unknown session is answered with text',
    fault: 'error-not-json',
    defect: (_, next) => {
      const answer = next()
      const isUnknown = answer?.status === 404 && String(answer.body).includes('-32001')
      const headers = { 'content-type': 'text/plain' }
      return isUnknown ? { status: 404, headers, body: 'Not Found' } : answer
    },
  },
  {
    when: 'the preflight does not allow MCP-Protocol-Version',
    fault: 'preflight-refused',
    defect: preflight({
      'access-control-allow-headers': 'authorization, content-type, accept, mcp-session-id',
    }),
  },
  {
    when: 'the preflight does not allow DELETE',
    fault: 'preflight-refused',
    defect: preflight({ 'access-control-allow-methods': 'GET, POST, OPTIONS' }),
  },
  {
    when: 'OPTIONS is answered with 404',
    fault: 'preflight-refused',
    defect: at('/mcp', json({}, 404), 'OPTIONS'),
  },
  {
    when: 'Mcp-Session-Id is not exposed',
    fault: 'cors-headers-hidden',
    defect: withAnswer('/mcp', (answer) => withoutHeaders(answer, 'access-control-expose-headers')),
  },
  {
    when: 'requests of browsers are answered with 403',
    fault: 'origin-refused',
    defect: ({ headers }, next) =>
      headers.origin === undefined ? next() : refusal(403, 'Invalid Origin'),
  },
  {
    when: 'a firewall asks for a challenge',
    fault: 'bot-challenge',
    defect: () => html(403, 'Just a moment...', { 'cf-mitigated': 'challenge' }),
  },
  {
    when: 'metadata of an open server is a page',
    fault: 'well-known-not-json',
    defect: (request, next) =>
      request.path.startsWith('/.well-known/') ? html(200, 'App') : next(),
  },
  {
    when: 'metadata of an open server is a page with 404',
    fault: 'well-known-not-json',
    defect: (request, next) =>
      request.path.startsWith('/.well-known/') ? html(404, 'Not found') : next(),
  },
]
