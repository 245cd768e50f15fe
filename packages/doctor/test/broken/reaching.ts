/** Defects of the network, the firewall and the URL. */
import type { ServerResponse } from 'node:http'
import { at, onMethod } from '../defects.ts'
import { type Defect, html, json } from '../reference-server.ts'
import { ALL, type Row, rejectsModern } from './row.ts'

/** Serves the HTTP+SSE transport alone: responses are events of the GET stream. */
export function legacySse(endpoint: string): Defect {
  const streams: ServerResponse[] = []
  return (request, next) => {
    const { path, method, json: message } = request
    if (path === '/messages') {
      const result = {
        protocolVersion: '2024-11-05',
        capabilities: {},
        serverInfo: { name: 'legacy', version: '1' },
      }
      const data = JSON.stringify({ jsonrpc: '2.0', id: message.id, result })
      for (const stream of streams) stream.write(`event: message\ndata: ${data}\n\n`)
      return { status: 202, body: 'Accepted' }
    }
    if (path !== '/mcp') return next()
    if (method !== 'GET') return html(405, 'Method Not Allowed')
    return {
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      stream: (response) => {
        streams.push(response)
        response.write(`event: endpoint\ndata: ${endpoint}\n\n`)
      },
    }
  }
}

export const REACHING_ROWS: readonly Row[] = [
  {
    fault: 'bot-challenge',
    when: 'a firewall answers with a challenge page',
    defect: () => html(403, 'Just a moment...', { 'cf-mitigated': 'challenge' }),
    breaks: ALL,
    fix: /firewall exception|WAF/,
  },
  {
    fault: 'bot-challenge',
    when: 'AWS WAF answers 202 with a script',
    defect: () => html(202, 'Loading', { 'x-amzn-waf-action': 'challenge' }),
    breaks: ALL,
    fix: /firewall exception/,
  },
  {
    fault: 'bot-challenge',
    when: 'a proof of work stands before every page, with status 200',
    defect: () => html(200, 'Making sure you are not a bot!'),
    breaks: ALL,
    fix: /firewall exception/,
  },
  {
    fault: 'bot-challenge',
    when: 'a firewall answers with JSON that names a captcha',
    defect: () => json({ url: 'https://geo.captcha-delivery.com/captcha/?x=1' }, 403),
    breaks: ALL,
    fix: /firewall exception/,
  },
  {
    fault: 'bot-challenge',
    when: 'Cloudflare refuses the signature of the client with an error code',
    defect: () => ({
      status: 403,
      headers: { 'content-type': 'text/plain' },
      body: 'error code: 1010',
    }),
    breaks: ALL,
    fix: /WAF/,
  },
  {
    fault: 'bot-challenge',
    when: 'Vercel asks for a sign-in of its own with 401',
    defect: () =>
      html(401, 'Authentication Required', { 'set-cookie': '_vercel_sso_nonce=x; Path=/' }),
    breaks: ALL,
    fix: /Deployment Protection/,
  },
  {
    fault: 'host-refused',
    when: 'the SDK refuses the host with 403',
    defect: () =>
      json(
        { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'Invalid Host: 127.0.0.1' } },
        403,
      ),
    breaks: ALL,
    fix: /allowed hosts/,
  },
  {
    fault: 'host-refused',
    when: 'the SDK for Python refuses the host with 421',
    defect: () => ({
      status: 421,
      headers: { 'content-type': 'text/plain' },
      body: 'Invalid Host header',
    }),
    breaks: ALL,
    fix: /transport_security/,
  },
  {
    fault: 'https-expected',
    when: 'the URL is plain http to a port of https',
    defect: () => html(400, '400 The plain HTTP request was sent to HTTPS port'),
    breaks: ALL,
    fix: /https:\/\//,
  },
  {
    fault: 'proxy-cannot-reach-server',
    when: 'the proxy answers 502',
    defect: () => html(502, 'Bad Gateway'),
    breaks: ALL,
    fix: /Start the server or the tunnel/,
  },
  {
    fault: 'proxy-cannot-reach-server',
    when: 'Cloudflare cannot verify the certificate of the server',
    defect: () => html(526, 'Invalid SSL certificate'),
    breaks: ALL,
    fix: /certificate that the proxy uses/,
  },
  {
    fault: 'proxy-cannot-reach-server',
    when: 'the tunnel has ended',
    defect: () => html(404, 'Tunnel not found', { 'ngrok-error-code': 'ERR_NGROK_3200' }),
    breaks: ALL,
    fix: /Start the server or the tunnel/,
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
    timeoutMs: 4000,
    defect: at('/mcp', undefined),
    breaks: ALL,
    fix: /initialize at once/,
  },
  {
    fault: 'server-error',
    when: 'an error with status 500 says that the server lacks an API key',
    defect: onMethod('initialize', (id) =>
      json({ jsonrpc: '2.0', id, error: { code: -32603, message: 'API key not set' } }, 500),
    ),
    breaks: ALL,
    fix: /log of the server/,
  },
  {
    fault: 'initialize-refused',
    when: 'an internal error with status 200 says that an authentication failed',
    defect: (request, next, origin) =>
      onMethod('initialize', (id) =>
        json({ jsonrpc: '2.0', id, error: { code: -32603, message: 'Database authentication' } }),
      )(request, () => rejectsModern(request, next, origin) as ReturnType<typeof next>, origin),
    breaks: ALL,
    fix: /every protocolVersion/,
  },
  {
    fault: 'request-refused',
    when: 'a proxy answers with a page and status 403',
    defect: at('/mcp', html(403, '403 Forbidden')),
    breaks: ALL,
    fix: /proxy/,
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
    defect: legacySse('messages?id=1'),
    breaks: ['Claude Code', 'Codex', 'Gemini CLI'],
    at: ALL,
    fix: /Streamable HTTP/,
  },
  {
    fault: 'unauthenticated-not-401',
    when: 'the endpoint redirects to a page where people sign in',
    defect: at('/mcp', { status: 302, headers: { location: '/login?next=%2Fmcp' } }),
    breaks: ALL,
    fix: /HTTP 401/,
  },
  {
    fault: 'unauthenticated-not-401',
    when: 'a JSON-RPC error with status 200 asks the client to log in',
    defect: (request, next) =>
      request.path === '/mcp'
        ? json({ jsonrpc: '2.0', id: 0, error: { code: -32001, message: 'Please log in first' } })
        : next(),
    breaks: ALL,
    fix: /HTTP 401/,
  },
  {
    fault: 'endpoint-not-found',
    when: 'the 404 page of a site leads to pages about authentication',
    defect: at(
      '/mcp',
      { ...html(404, 'Not found'), body: '<!doctype html><nav>Authentication, API keys</nav>' },
      'POST',
    ),
    breaks: ALL,
    fix: /whole URL/,
  },
  {
    fault: 'origin-required',
    when: 'a check of Origin refuses requests without one',
    defect: (request, next) =>
      request.method === 'POST' && request.headers.origin === undefined
        ? json(
            { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'Invalid Origin header' } },
            403,
          )
        : next(),
    breaks: ALL,
    fix: /requests that have it/,
  },
  {
    fault: 'request-refused',
    when: 'a parser in front of the server refuses JSON',
    defect: at('/mcp', { status: 415, body: 'Unsupported Media Type' }, 'POST'),
    breaks: ALL,
    fix: /415 a parser/,
  },
]
