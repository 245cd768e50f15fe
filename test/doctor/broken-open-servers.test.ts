/** The reference server without authorization, broken in one way at a time. */
import { describe, expect, it, onTestFinished } from 'vitest'
import type { FaultCode } from '../../src/faults/faults.ts'
import { at, onMethod, onResult, withAnswer, withoutHeaders } from './defects.ts'
import { codesOf, concerned, disconnected, examineQuickly } from './examine.ts'
import {
  CALL_RESULT,
  type Defect,
  html,
  json,
  startReferenceServer,
  TOOL,
} from './reference-server.ts'

const ALL = [
  'Claude (web)',
  'Claude Desktop',
  'Claude Code',
  'ChatGPT',
  'VS Code',
  'Cursor',
  'Codex',
  'Gemini CLI',
  'Inspector',
]
const CLAUDE = ALL.slice(0, 3)
/** The clients that talk to the reference server with a session. */
const WITH_SESSION = ALL.slice(3)

interface Row {
  readonly fault: FaultCode
  readonly when: string
  readonly defect: Defect
  /** The clients that do not connect. */
  readonly breaks?: readonly string[]
  /** The clients with the finding; by default those that do not connect. */
  readonly at?: readonly string[]
  readonly fix: RegExp
}

const rejectsModern: Defect = (request, next) =>
  request.headers['mcp-protocol-version'] === '2026-07-28'
    ? json({ jsonrpc: '2.0', id: null, error: { code: -32601, message: 'No' } }, 400)
    : next()

const withTool = (tool: object) =>
  onResult('tools/list', (result) => ({ ...result, tools: [TOOL, tool] }))

const rows: readonly Row[] = [
  {
    fault: 'bot-challenge',
    when: 'a firewall answers with a challenge page',
    defect: () => html(403, 'Just a moment...', { 'cf-mitigated': 'challenge' }),
    breaks: ALL,
    fix: /firewall exception|WAF/,
  },
  {
    fault: 'user-agent-blocked',
    when: 'the User-Agent of the reachability check is refused',
    defect: ({ headers }, next) =>
      headers['user-agent'] === 'Ruby' ? json({ error: 'no' }, 403) : next(),
    breaks: ['Claude (web)', 'Claude Desktop'],
    fix: /User-Agent/,
  },
  {
    fault: 'accept-refused',
    when: '"Accept: */*" is answered with 406',
    defect: ({ headers, method }, next) =>
      method === 'POST' && !headers.accept?.includes('text/event-stream')
        ? json({ error: 'Not Acceptable' }, 406)
        : next(),
    breaks: ['Claude (web)', 'Claude Desktop'],
    at: ['Claude (web)', 'Claude Desktop', 'Gemini CLI'],
    fix: /Accept/,
  },
  {
    fault: 'redirect-drops-request',
    when: 'the endpoint redirects with 302',
    defect: at('/mcp', { status: 302, headers: { location: '/mcp/' } }),
    breaks: ALL,
    fix: /without a redirect/,
  },
  {
    fault: 'redirect-drops-request',
    when: 'the endpoint redirects to another host with 308',
    defect: at('/mcp', { status: 308, headers: { location: 'http://127.0.0.2:1/mcp' } }),
    breaks: ALL,
    fix: /without a redirect/,
  },
  {
    fault: 'endpoint-redirects',
    when: 'the endpoint redirects to itself with a slash',
    defect: (request, next, origin) =>
      request.path === '/mcp' && !request.query.has('again')
        ? { status: 307, headers: { location: `${origin}/mcp?again` } }
        : next(),
    at: ALL,
    fix: /trailing slash/,
  },
  {
    fault: 'endpoint-not-found',
    when: 'nothing is served at the path',
    defect: at('/mcp', html(404, 'Not found')),
    breaks: ALL,
    fix: /path/,
  },
  {
    fault: 'endpoint-answers-html',
    when: 'the endpoint answers with the page of a site',
    defect: at('/mcp', html(200, 'Welcome')),
    breaks: ALL,
    fix: /MCP endpoint/,
  },
  {
    fault: 'server-error',
    when: 'the endpoint answers with 500',
    defect: at('/mcp', html(500, 'Internal Server Error')),
    breaks: ALL,
    fix: /log/,
  },
  {
    fault: 'rate-limited',
    when: 'the endpoint answers with 429',
    defect: at('/mcp', json({ error: 'slow down' }, 429)),
    breaks: ALL,
    fix: /limit/,
  },
  {
    fault: 'no-answer',
    when: 'the endpoint never answers',
    defect: at('/mcp', undefined),
    breaks: ALL,
    fix: /initialize at once/,
  },
  {
    fault: 'unauthenticated-not-401',
    when: 'a missing token is an error with status 200',
    defect: at(
      '/mcp',
      json({ jsonrpc: '2.0', id: 0, error: { code: -32000, message: 'Unauthorized' } }),
    ),
    breaks: ALL,
    fix: /HTTP 401/,
  },
  {
    fault: 'unauthenticated-not-401',
    when: 'a missing token is answered with 403',
    defect: at('/mcp', json({ error: 'Forbidden' }, 403)),
    breaks: ALL,
    fix: /WWW-Authenticate/,
  },
  {
    fault: 'legacy-sse-only',
    when: 'the URL is that of the HTTP+SSE transport',
    defect: (request, next) => {
      if (request.path !== '/mcp') return next()
      if (request.method !== 'GET') return html(405, 'Method Not Allowed')
      return {
        status: 200,
        headers: { 'content-type': 'text/event-stream' },
        stream: (response) => void response.write('event: endpoint\ndata: /messages?id=1\n\n'),
      }
    },
    breaks: ['Claude Code', 'Codex', 'Gemini CLI'],
    at: ALL,
    fix: /Streamable HTTP/,
  },
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
    fault: 'response-endless',
    when: 'the body of a response is not ended',
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
    fault: 'session-id-invalid',
    when: 'the session id has a space',
    defect: onMethod(
      'initialize',
      (_, next) => next && { ...next, headers: { ...next.headers, 'mcp-session-id': 'session 1' } },
    ),
    breaks: WITH_SESSION,
    fix: /UUID/,
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
    fault: 'session-not-found-at-once',
    when: 'sessions are not shared between processes',
    defect: (request, next) =>
      request.headers['mcp-session-id'] !== undefined && request.json.method === 'tools/list'
        ? json(
            { jsonrpc: '2.0', id: 1, error: { code: -32001, message: 'Session not found' } },
            404,
          )
        : next(),
    breaks: WITH_SESSION,
    fix: /every process/,
  },
  {
    fault: 'session-required',
    when: 'a request without a session id is refused',
    defect: (request, next) =>
      rejectsModern(
        request,
        () =>
          request.json.method === 'tools/list' && request.headers['mcp-session-id'] === undefined
            ? json(
                { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'No session' } },
                400,
              )
            : next(),
        '',
      ) as ReturnType<typeof next>,
    at: ['Claude (web)', 'Claude Desktop'],
    fix: /without Mcp-Session-Id/,
  },
  {
    fault: 'session-lost-not-404',
    when: 'a request of an ended session is answered with 400',
    defect: (request, next) => {
      const answer = next()
      return answer?.status === 404 && request.path === '/mcp' ? { ...answer, status: 400 } : answer
    },
    at: WITH_SESSION,
    fix: /404/,
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
    fault: 'stream-refused',
    when: 'GET is answered with 404',
    defect: at('/mcp', json({ error: 'Not found' }, 404), 'GET'),
    breaks: ['Cursor'],
    at: WITH_SESSION.filter((name) => name !== 'ChatGPT'),
    fix: /405/,
  },
  {
    fault: 'stream-no-first-byte',
    when: 'the headers of the GET stream wait for the first event',
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
  {
    fault: 'list-failed',
    when: 'tools/list is an error',
    defect: onMethod('tools/list', (id) =>
      json({ jsonrpc: '2.0', id, error: { code: -32603, message: 'Database' } }),
    ),
    breaks: ALL,
    fix: /empty list/,
  },
  {
    fault: 'list-result-invalid',
    when: 'nextCursor is null',
    defect: onResult('tools/list', (result) => ({ ...result, nextCursor: null })),
    breaks: ALL,
    fix: /null/,
  },
  {
    fault: 'list-does-not-end',
    when: 'nextCursor repeats',
    defect: onResult('tools/list', (result) => ({ ...result, nextCursor: 'again' })),
    breaks: ALL,
    fix: /last page/,
  },
  {
    fault: 'tools-not-declared',
    when: 'the capability is missing',
    defect: withAnswer('/mcp', (answer) => ({
      ...answer,
      body: String(answer.body ?? '').replace('{"tools":{}}', '{}'),
    })),
    breaks: ALL,
    fix: /capabilities/,
  },
  {
    fault: 'tool-schema-not-object',
    when: 'an inputSchema has no type',
    defect: withTool({ name: 'bare', inputSchema: { properties: {} } }),
    breaks: ALL,
    fix: /"type": "object"/,
  },
  {
    fault: 'tool-schema-too-large',
    when: 'an inputSchema has more than 16,384 bytes',
    defect: withTool({
      name: 'large',
      inputSchema: { type: 'object', description: 'x'.repeat(16_384) },
    }),
    at: CLAUDE,
    fix: /16,384/,
  },
  {
    fault: 'tool-name-too-long',
    when: 'a name has 65 characters',
    defect: withTool({ name: 'n'.repeat(65), inputSchema: { type: 'object' } }),
    at: ALL,
    fix: /64 characters/,
  },
  {
    fault: 'tool-name-characters',
    when: 'a name has a dot',
    defect: withTool({ name: 'files.read', inputSchema: { type: 'object' } }),
    at: ALL,
    fix: /A-Z/,
  },
  {
    fault: 'tool-name-repeated',
    when: 'two tools have one name',
    defect: withTool(TOOL),
    at: ALL,
    fix: /name of its own/,
  },
  {
    fault: 'call-failed',
    when: 'a call is answered with 502',
    defect: onMethod('tools/call', () => html(502, 'Bad Gateway')),
    at: ALL,
    fix: /isError/,
  },
  {
    fault: 'call-result-invalid',
    when: 'content is a string',
    defect: onResult('tools/call', (result) => ({ ...result, content: 'Hello' })),
    at: ALL,
    fix: /array of blocks/,
  },
  {
    fault: 'structured-without-text',
    when: 'a result has structuredContent alone',
    defect: onResult('tools/call', (result) => ({
      ...result,
      content: [],
      structuredContent: { a: 1 },
    })),
    at: ['Claude (web)', 'Claude Desktop'],
    fix: /text block/,
  },
  {
    fault: 'result-too-long',
    when: 'a result has more than 150,000 characters',
    defect: onResult('tools/call', (result) => ({
      ...result,
      content: [{ ...CALL_RESULT.content[0], text: 'x'.repeat(150_001) }],
    })),
    at: CLAUDE,
    fix: /150,000/,
  },
]

describe('the doctor at a server without authorization', () => {
  it('finds nothing at the reference server', async () => {
    const server = await startReferenceServer()
    onTestFinished(() => server.stop())
    const report = await examineQuickly(server.url)
    expect(codesOf(report)).toEqual([])
    expect(disconnected(report)).toEqual([])
    expect(report.isReached).toBe(true)
  })

  it('finds nothing at a server of the session era alone', async () => {
    const server = await startReferenceServer({ defect: rejectsModern })
    onTestFinished(() => server.stop())
    expect(codesOf(await examineQuickly(server.url))).toEqual([])
  })

  it.concurrent.for(rows)(
    'names $fault alone when $when',
    async (row, { expect, onTestFinished }) => {
      const { fault, defect, breaks = [], at: where = breaks, fix } = row
      const server = await startReferenceServer({ defect })
      onTestFinished(() => server.stop())
      const report = await examineQuickly(server.url)
      expect(codesOf(report)).toEqual([fault])
      expect(concerned(report, fault)).toEqual(where)
      expect(disconnected(report)).toEqual(breaks)
      const finding = report.clients.flatMap(({ findings }) => findings).at(0)
      expect(finding?.fix).toMatch(fix)
    },
  )
})
