/** Defects of messages, the handshake, sessions and streams. */

import { at, onMethod, onResult, withAnswer, withoutHeaders } from '../defects.ts'
import type { Answer } from '../http-server.ts'
import { html, json } from '../reference-server.ts'
import { ALL, CLAUDE, type Row, rejectsModern, WITH_SESSION } from './row.ts'

export const MESSAGE_ROWS: readonly Row[] = [
  {
    fault: 'response-not-json',
    when: 'the response of initialize is cut off',
    defect: onMethod('initialize', (_, next) => next && { ...next, body: '{"jsonrpc":' }),
    breaks: ALL,
    fix: /JSON-RPC response/,
  },
  {
    fault: 'response-content-type',
    when: 'JSON is sent as text/plain',
    defect: onMethod(
      'initialize',
      (_, next) => next && { ...next, headers: { 'content-type': 'text/plain' } },
    ),
    breaks: ALL,
    fix: /application\/json/,
  },
  {
    fault: 'response-missing',
    when: 'initialize is answered with 202',
    defect: onMethod('initialize', () => ({ status: 202 })),
    breaks: ALL,
    fix: /Answer each request/,
  },
  {
    fault: 'response-missing',
    when: 'the member jsonrpc is missing',
    defect: onMethod(
      'initialize',
      (_, next) => next && { ...next, body: String(next.body).replace('"jsonrpc":"2.0",', '') },
    ),
    breaks: ALL,
    fix: /JSON-RPC response/,
  },
  {
    fault: 'response-missing',
    when: 'every result has an error of null beside it',
    defect: withAnswer('/mcp', (answer) =>
      String(answer.body).includes('"result":')
        ? { ...answer, body: String(answer.body).replace(/}$/, ',"error":null}') }
        : answer,
    ),
    breaks: ALL,
    fix: /instead of sending null/,
  },
  {
    fault: 'response-missing',
    when: 'the response of tools/list has an error of null beside its result',
    defect: onMethod(
      'tools/list',
      (_, next) =>
        next && { ...next, body: String(next.body).replace(/"result":.*}$/, '"error":null,$&') },
    ),
    breaks: ALL,
    fix: /either result or error/,
  },
  {
    fault: 'response-endless',
    when: 'the body of a response is not ended',
    timeoutMs: 4000,
    defect: onMethod(
      'initialize',
      (_, next) =>
        next && { ...next, stream: (response) => void response.write(String(next.body)) },
    ),
    breaks: ALL,
    fix: /End the body/,
  },
  {
    fault: 'response-id-changed',
    when: 'a string id becomes a number',
    defect: onMethod(
      'server/discover',
      (id, next) => next && { ...next, body: String(next.body).replace(JSON.stringify(id), '0') },
    ),
    breaks: CLAUDE,
    fix: /Copy the id/,
  },
  {
    fault: 'discover-fails',
    when: 'an unknown method crashes the server',
    defect: onMethod('server/discover', () => html(500, 'TypeError')),
    breaks: CLAUDE,
    fix: /-32601/,
  },
  {
    fault: 'discover-result-invalid',
    when: 'supportedVersions is a string',
    defect: onResult('server/discover', (result) => ({
      ...result,
      supportedVersions: '2026-07-28',
    })),
    breaks: CLAUDE,
    fix: /supportedVersions/,
  },
  {
    fault: 'discover-result-invalid',
    when: 'the capabilities of the modern revision are missing',
    defect: onResult('server/discover', ({ capabilities: _, ...result }) => result),
    breaks: CLAUDE,
    fix: /capabilities/,
  },
  {
    fault: 'initialize-result-invalid',
    when: 'the capabilities are missing',
    defect: onResult('initialize', ({ capabilities: _, ...result }) => result),
    breaks: WITH_SESSION,
    fix: /capabilities/,
  },
  {
    fault: 'initialize-refused',
    when: 'one revision is refused',
    defect: (request, next) => {
      const { protocolVersion } = (request.json.params ?? {}) as { protocolVersion?: string }
      return protocolVersion === '2025-06-18'
        ? json({ jsonrpc: '2.0', id: 0, error: { code: -32602, message: 'Unsupported' } })
        : next()
    },
    breaks: ['Codex', 'Gemini CLI'],
    fix: /every protocolVersion/,
  },
  {
    fault: 'second-client-refused',
    when: 'one transport serves all requests',
    defect: (() => {
      let isInitialized = false
      return onMethod('initialize', (id, next) => {
        const error = { code: -32600, message: 'Invalid Request: Server already initialized' }
        const answer = isInitialized ? json({ jsonrpc: '2.0', id, error }, 400) : next
        isInitialized = true
        return answer
      })
    })(),
    breaks: WITH_SESSION,
    fix: /for each session/,
  },
  {
    fault: 'initialize-version-unknown',
    when: 'initialize is answered with a version of its own',
    defect: onResult('initialize', (result) => ({ ...result, protocolVersion: '1.0' })),
    breaks: WITH_SESSION,
    fix: /published version/,
  },
  {
    fault: 'initialize-result-invalid',
    when: 'serverInfo is missing',
    defect: onResult('initialize', ({ serverInfo: _, ...result }) => result),
    breaks: WITH_SESSION,
    fix: /serverInfo/,
  },
  {
    fault: 'newer-version-refused',
    when: 'a version of the future is refused',
    defect: (request, next) => {
      const { protocolVersion = '' } = (request.json.params ?? {}) as { protocolVersion?: string }
      return protocolVersion > '2026'
        ? json({ jsonrpc: '2.0', id: 0, error: { code: -32602, message: 'Unsupported' } })
        : next()
    },
    at: WITH_SESSION,
    fix: /latest version/,
  },
  {
    fault: 'notification-refused',
    when: 'notifications are answered with 400',
    defect: onMethod('notifications/initialized', () => json({ error: 'no' }, 400)),
    breaks: WITH_SESSION,
    fix: /202/,
  },
  {
    fault: 'notification-not-202',
    when: 'a notification is answered with a JSON body',
    defect: onMethod('notifications/initialized', () => json({ jsonrpc: '2.0', result: {} })),
    breaks: ['Codex'],
    fix: /zero bytes/,
  },
  {
    fault: 'error-not-json',
    when: 'an unknown method is answered with text',
    defect: onMethod('edgeway/doctor-unknown-method', () => ({ status: 404, body: 'Not found' })),
    breaks: ['Codex'],
    fix: /JSON-RPC error/,
  },
  {
    fault: 'version-header-required',
    when: 'a request without MCP-Protocol-Version is refused',
    defect: (request, next) =>
      request.json.method === 'tools/list' && request.headers['mcp-protocol-version'] === undefined
        ? json({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'No version' } }, 400)
        : next(),
    breaks: ['Gemini CLI'],
    fix: /without the header/,
  },
  {
    fault: 'version-header-refused',
    when: 'requests with the negotiated version are refused',
    defect: (request, next, origin) =>
      (request.headers['mcp-protocol-version'] ?? '2026') < '2026' && request.method === 'POST'
        ? json({ jsonrpc: '2.0', id: null, error: { code: -32000, message: 'Bad version' } }, 400)
        : rejectsModern(request, next, origin),
    breaks: ALL.filter((name) => name !== 'Gemini CLI'),
    fix: /Accept MCP-Protocol-Version/,
  },
  {
    fault: 'version-header-refused',
    when: 'the list of tools is refused with the negotiated version',
    defect: (request, next, origin) =>
      (request.headers['mcp-protocol-version'] ?? '2026') < '2026' &&
      request.json.method === 'tools/list'
        ? json({ jsonrpc: '2.0', id: null, error: { code: -32000, message: 'Bad version' } }, 400)
        : rejectsModern(request, next, origin),
    breaks: ALL.filter((name) => name !== 'Gemini CLI'),
    fix: /Accept MCP-Protocol-Version/,
  },
  {
    fault: 'stream-refused',
    when: 'GET is answered with 404',
    defect: at('/mcp', json({ error: 'Not found' }, 404), 'GET'),
    breaks: ['Cursor'],
    at: WITH_SESSION.filter((name) => name !== 'ChatGPT'),
    fix: /405/,
  },
  {
    fault: 'stream-ends',
    when: 'the GET stream ends at once',
    defect: withAnswer('/mcp', ({ stream, ...answer }) =>
      stream === undefined ? answer : { ...answer, body: ': bye\n\n' },
    ),
    at: WITH_SESSION.filter((name) => name !== 'ChatGPT'),
    fix: /405/,
  },
  {
    fault: 'unsolicited-request',
    when: 'roots are requested on the GET stream',
    defect: (request, next, origin) => {
      const answer = rejectsModern(request, next, origin) as Answer
      const asks = 'data: {"jsonrpc":"2.0","id":"r","method":"roots/list"}\n\n'
      return answer.stream === undefined
        ? answer
        : { ...answer, stream: (response) => void response.write(asks) }
    },
    breaks: ['Claude (web)', 'Claude Desktop'],
    at: ALL,
    fix: /capability/,
  },
  {
    fault: 'stream-no-first-byte',
    when: 'the headers of the GET stream wait for the first event',
    timeoutMs: 4000,
    defect: at('/mcp', undefined, 'GET'),
    at: WITH_SESSION.filter((name) => name !== 'ChatGPT'),
    fix: /comment line/,
  },
  {
    fault: 'second-stream-refused',
    when: 'a second GET is answered with 409',
    defect: (() => {
      let streams = 0
      return (request, next) =>
        request.method === 'GET' && request.path === '/mcp' && ++streams > 1
          ? json({ error: 'Conflict' }, 409)
          : next()
    })(),
    at: WITH_SESSION.filter((name) => name !== 'ChatGPT'),
    fix: /second GET/,
  },
  {
    fault: 'preflight-refused',
    when: 'OPTIONS is answered with 405',
    defect: at('/mcp', json({ error: 'no' }, 405), 'OPTIONS'),
    at: ['Inspector'],
    fix: /OPTIONS/,
  },
  {
    fault: 'preflight-refused',
    when: 'the preflight does not allow mcp-session-id',
    defect: withAnswer('/mcp', (answer) =>
      answer.status === 204
        ? {
            ...answer,
            headers: {
              ...answer.headers,
              'access-control-allow-headers': 'content-type, authorization',
            },
          }
        : answer,
    ),
    at: ['Inspector'],
    fix: /mcp-session-id/,
  },
  {
    fault: 'cors-headers-hidden',
    when: 'Mcp-Session-Id is not exposed',
    defect: withAnswer('/mcp', (answer) => withoutHeaders(answer, 'access-control-expose-headers')),
    at: ['Inspector'],
    fix: /Access-Control-Expose-Headers/,
  },
  {
    fault: 'origin-refused',
    when: 'the Origin of the Inspector is refused',
    defect: (request, next) =>
      request.method === 'POST' && request.headers.origin !== undefined
        ? json({ error: 'Forbidden origin' }, 403)
        : next(),
    at: ['Inspector'],
    fix: /allowed origins/,
  },
  {
    fault: 'well-known-not-json',
    when: 'the fallback of a site answers the well-known paths',
    defect: (request, next) =>
      request.path.startsWith('/.well-known/') ? html(200, 'App') : next(),
    at: ['Claude (web)', 'Claude Desktop', 'Codex'],
    fix: /404 and a JSON body/,
  },
]
