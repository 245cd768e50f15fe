import {
  at,
  type Defect,
  errorOf,
  html,
  isPost,
  json,
  onMethod,
  plain,
  refusal,
  type Sink,
  when,
} from './plant.ts'
import { type Rows, WITH_SESSION } from './row.ts'

/** Serves the HTTP+SSE transport alone: responses are events of the GET stream. */
export function legacySse(endpoint: string): Defect {
  const streams: Sink[] = []
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

const redirect = (status: number, location: string) => at('/mcp', { status, headers: { location } })

const CHALLENGE_PAGE = () => html(403, 'Just a moment...', { 'cf-mitigated': 'challenge' })

export const REACHING: Rows = {
  'bot-challenge': {
    'a firewall answers with a challenge page': CHALLENGE_PAGE,
    'AWS WAF answers 202 with a script': () =>
      html(202, 'Loading', { 'x-amzn-waf-action': 'challenge' }),
    'a proof of work stands before every page, with status 200': () =>
      html(200, 'Making sure you are not a bot!'),
    'a firewall answers with JSON that names a captcha': () =>
      json({ url: 'https://geo.captcha-delivery.com/captcha/?x=1' }, 403),
    'Cloudflare refuses the signature of the client with an error code': () =>
      plain(403, 'error code: 1010'),
    'Vercel asks for a sign-in of its own with 401': () =>
      html(401, 'Authentication Required', { 'set-cookie': '_vercel_sso_nonce=x; Path=/' }),
  },
  'host-refused': {
    'the SDK refuses the host with 403': () => refusal(403, 'Invalid Host: 127.0.0.1'),
    'the SDK for Python refuses the host with 421': () => plain(421, 'Invalid Host header'),
  },
  'https-expected': {
    'the URL is plain http to a port of https': () =>
      html(400, '400 The plain HTTP request was sent to HTTPS port'),
  },
  'proxy-cannot-reach-server': {
    'the proxy answers 502': () => html(502, 'Bad Gateway'),
    'Cloudflare cannot verify the certificate of the server': () =>
      html(526, 'Invalid SSL certificate'),
    'the tunnel has ended': () =>
      html(404, 'Tunnel not found', { 'ngrok-error-code': 'ERR_NGROK_3200' }),
  },
  'user-agent-blocked': {
    'the User-Agent of the reachability check is refused': when(
      ({ headers }) => headers['user-agent'] === 'Ruby',
      json({ error: 'no' }, 403),
    ),
  },
  'accept-refused': {
    '"Accept: */*" is answered with 406': when(
      (request) => isPost(request) && !request.headers.accept?.includes('text/event-stream'),
      json({ error: 'Not Acceptable' }, 406),
    ),
  },
  'redirect-drops-request': {
    'the endpoint redirects with 302': redirect(302, '/mcp/'),
    'the endpoint redirects to another host with 308': redirect(308, 'http://127.0.0.2:1/mcp'),
  },
  'endpoint-redirects': {
    'the endpoint redirects to another URL of its origin': when(
      ({ path, query }) => path === '/mcp' && !query.has('again'),
      (_, origin) => ({ status: 307, headers: { location: `${origin}/mcp?again` } }),
    ),
    'a POST is redirected by a path': when(
      (request) => isPost(request) && !request.query.has('slash'),
      { status: 308, headers: { location: '/mcp?slash' } },
    ),
  },
  'endpoint-not-found': {
    'nothing is served at the path': at('/mcp', html(404, 'Not found')),
    'the 404 page of a site leads to pages about authentication': at(
      '/mcp',
      { ...html(404, ''), body: '<!doctype html><nav>Authentication, API keys</nav>' },
      'POST',
    ),
  },
  'endpoint-answers-html': {
    'the endpoint answers with the page of a site': at('/mcp', html(200, 'Welcome')),
  },
  'server-error': {
    'the endpoint answers with 500': at('/mcp', html(500, 'Internal Server Error')),
    'an error with status 500 says that the server lacks an API key': errorOf(
      'initialize',
      -32603,
      'API key not set',
      500,
    ),
  },
  'rate-limited': {
    'the endpoint answers with 429': at('/mcp', json({ error: 'slow down' }, 429)),
  },
  'no-answer': {
    'the endpoint never answers': { plant: at('/mcp', undefined), timeoutMs: 4000 },
    'the notification after initialize is not answered': {
      plant: onMethod('notifications/initialized', () => undefined),
      timeoutMs: 4000,
      met: WITH_SESSION,
    },
  },
  'request-refused': {
    'a proxy answers with a page and status 403': at('/mcp', html(403, '403 Forbidden')),
    'a parser in front of the server refuses JSON': at(
      '/mcp',
      { status: 415, body: 'Unsupported Media Type' },
      'POST',
    ),
  },
  'unauthenticated-not-401': {
    'a missing token is an error with status 200': at('/mcp', refusal(200, 'Unauthorized')),
    'a missing token is answered with 403': at('/mcp', json({ error: 'Forbidden' }, 403)),
    'the endpoint redirects to a page where people sign in': redirect(302, '/login?next=%2Fmcp'),
    'a JSON-RPC error with status 200 asks the client to log in': at(
      '/mcp',
      refusal(200, 'Please log in first', -32001),
    ),
  },
  'legacy-sse-only': {
    'the URL is that of the HTTP+SSE transport': legacySse('messages?id=1'),
  },
  'origin-required': {
    'a check of Origin refuses requests without one': when(
      (request) => isPost(request) && request.headers.origin === undefined,
      refusal(403, 'Invalid Origin header'),
    ),
  },
  'response-endless': {
    'the body of a response is not ended': {
      plant: onMethod(
        'initialize',
        (_, next) => next && { ...next, stream: (sink) => void sink.write(String(next.body)) },
      ),
      timeoutMs: 4000,
    },
  },
}
