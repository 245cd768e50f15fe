/** Defects of registration, the authorization response and tokens. */
import { at, changed, onMethod, withAnswer } from '../defects.ts'
import type { ReceivedRequest } from '../http-server.ts'
import { type Defect, html, json } from '../reference-server.ts'
import { ALL, type Row } from './row.ts'

/** Changes the parameters of the authorization response. */
const response = (change: (parameters: URLSearchParams) => void): Defect =>
  withAnswer('/authorize', (answer) => {
    const target = new URL(answer.headers?.location ?? '')
    change(target.searchParams)
    return { ...answer, headers: { location: target.href } }
  })

const isRefresh = ({ body }: ReceivedRequest) => body.includes('grant_type=refresh_token')

const withToken = ({ headers }: ReceivedRequest) => headers.authorization !== undefined

function jwt(claims: object): string {
  return ['{"alg":"ES256"}', JSON.stringify(claims), 'signature']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.')
}

const unauthorized = json({ error: 'invalid_token' }, 401, {
  'www-authenticate': 'Bearer error="invalid_token"',
})

export const SIGN_IN_ROWS: readonly Row[] = [
  {
    fault: 'registration-refused',
    when: 'private-use schemes are refused',
    defect: (request, next) =>
      request.path === '/register' && request.body.includes('cursor://')
        ? json({ error: 'invalid_redirect_uri' }, 400)
        : next(),
    breaks: ['Cursor'],
    fix: /cursor:\/\//,
  },
  {
    fault: 'registration-status',
    when: 'a registration is answered with 200',
    defect: withAnswer('/register', (answer) => ({ ...answer, status: 200 })),
    at: ALL,
    fix: /201/,
  },
  {
    fault: 'registration-response-invalid',
    when: 'a registration has no redirect_uris',
    defect: changed('/register', ({ redirect_uris: _, ...rest }) => rest),
    breaks: ALL,
    fix: /redirect_uris/,
  },
  {
    fault: 'registration-redirects-changed',
    when: 'a registration keeps the first redirect URI alone',
    defect: changed('/register', (value) => ({
      ...value,
      redirect_uris: (value.redirect_uris as string[]).slice(0, 1),
    })),
    breaks: ['VS Code', 'Cursor'],
    fix: /every redirect URI/,
  },
  {
    fault: 'registration-not-concurrent',
    when: 'a client may register once',
    defect: (() => {
      const names = new Set<unknown>()
      return (request, next) => {
        if (request.path !== '/register') return next()
        const name = request.json.client_name
        if (names.has(name)) return json({ error: 'server_error' }, 500)
        names.add(name)
        return next()
      }
    })(),
    breaks: ['Claude (web)', 'Claude Desktop'],
    fix: /repeated/,
  },
  {
    fault: 'authorization-refused',
    when: 'the resource parameter is refused',
    defect: (request, next) =>
      request.path === '/authorize' && request.query.has('resource')
        ? json({ error: 'invalid_request', error_description: 'resource' }, 400)
        : next(),
    breaks: ALL,
    fix: /resource/,
  },
  {
    fault: 'authorization-refused',
    when: 'an error is JSON with status 200',
    defect: at('/authorize', json({ error: 'invalid_request' })),
    breaks: ALL,
    fix: /response_type=code/,
  },
  {
    fault: 'authorization-refused',
    when: 'the response has no code',
    defect: response((parameters) => parameters.delete('code')),
    breaks: ALL,
    fix: /response_type=code/,
  },
  {
    fault: 'authorization-refused',
    when: 'the code of the response is empty',
    defect: response((parameters) => parameters.set('code', '')),
    breaks: ALL,
    fix: /response_type=code/,
  },
  {
    fault: 'redirect-uri-changed',
    when: 'the response is redirected to another path',
    defect: withAnswer('/authorize', (answer) => {
      const target = new URL(answer.headers?.location ?? '')
      target.pathname = '/oauth'
      return { ...answer, headers: { location: target.href } }
    }),
    breaks: ALL,
    fix: /exactly the redirect_uri/,
  },
  {
    fault: 'state-changed',
    when: 'state is lost',
    defect: response((parameters) => parameters.delete('state')),
    breaks: ALL,
    fix: /state/,
  },
  {
    fault: 'iss-missing',
    when: 'iss is advertised and not returned',
    defect: response((parameters) => parameters.delete('iss')),
    breaks: ['Claude Code', 'ChatGPT', 'Codex'],
    fix: /iss/,
  },
  {
    fault: 'iss-mismatch',
    when: 'iss is the internal host',
    defect: response((parameters) => parameters.set('iss', 'http://localhost:8080')),
    breaks: ALL,
    fix: /issuer of the metadata/,
  },
  {
    fault: 'token-request-refused',
    when: 'the token endpoint requires a secret',
    defect: at('/token', json({ error: 'invalid_client' }, 401)),
    breaks: ALL,
    fix: /public client/,
  },
  {
    fault: 'token-request-refused',
    when: 'the token endpoint answers an error with status 200',
    defect: at('/token', json({ error: 'bad_verification_code' })),
    breaks: ALL,
    fix: /code_verifier/,
  },
  {
    fault: 'token-response-invalid',
    when: 'the token has a line break',
    defect: changed('/token', (value) => ({ ...value, access_token: 'a\r\nb' })),
    breaks: ALL,
    fix: /access_token/,
  },
  {
    fault: 'token-response-invalid',
    when: 'the token response is a form',
    defect: at('/token', { status: 200, body: 'access_token=a&token_type=bearer' }),
    breaks: ALL,
    fix: /JSON/,
  },
  {
    fault: 'token-response-invalid',
    when: 'the framework answers POST with 201',
    defect: withAnswer('/token', (answer) => ({ ...answer, status: 201 })),
    breaks: ALL,
    fix: /status 200/,
  },
  {
    fault: 'token-expiry-invalid',
    when: 'expires_in is a date',
    defect: changed('/token', (value) => ({ ...value, expires_in: '2030-01-01' })),
    breaks: ALL,
    fix: /seconds/,
  },
  {
    fault: 'token-without-expiry',
    when: 'expires_in is missing',
    defect: changed('/token', ({ expires_in: _, ...rest }) => rest),
    at: ALL,
    fix: /expires_in/,
  },
  {
    fault: 'token-short-lived',
    when: 'the token lives an hour',
    defect: changed('/token', (value) => ({ ...value, expires_in: 3600 })),
    at: ['Claude (web)', 'Claude Desktop', 'Claude Code'],
    fix: /a day/,
  },
  {
    fault: 'token-without-refresh',
    when: 'there is no refresh token',
    defect: changed('/token', ({ refresh_token: _, ...rest }) => rest),
    at: ALL,
    fix: /refresh token/,
  },
  {
    fault: 'token-refused',
    when: 'the endpoint accepts no token',
    defect: (request, next) =>
      request.path === '/mcp' && withToken(request) ? unauthorized : next(),
    breaks: ALL,
    fix: /Authorization header/,
  },
  {
    fault: 'token-refused',
    when: 'a call with the token is a JSON-RPC error with status 401',
    defect: onMethod('tools/call', (id) =>
      json({ jsonrpc: '2.0', id, error: { code: -32001, message: 'Unauthorized' } }, 401),
    ),
    breaks: ALL,
    fix: /Authorization header/,
  },
  {
    fault: 'server-error',
    when: 'every request with a token crashes',
    defect: (request, next) =>
      request.path === '/mcp' && withToken(request) ? json({ error: 'crashed' }, 500) : next(),
    breaks: ALL,
    fix: /log of the server/,
  },
  {
    fault: 'proxy-cannot-reach-server',
    when: 'the gateway fails to verify the token',
    defect: (request, next) =>
      request.path === '/mcp' && withToken(request) ? html(502, 'Bad Gateway') : next(),
    breaks: ALL,
    fix: /proxy/,
  },
  {
    fault: 'endpoint-answers-html',
    when: 'a request with a token gets the page of a site',
    defect: (request, next) =>
      request.path === '/mcp' && withToken(request) ? html(200, 'Dashboard') : next(),
    breaks: ALL,
    fix: /MCP endpoint/,
  },
  {
    fault: 'token-refused',
    when: 'the token is too long for the headers of the endpoint',
    defect: changed('/token', (value) => ({ ...value, access_token: 'x'.repeat(20_000) })),
    breaks: ALL,
    fix: /Authorization header/,
  },
  {
    fault: 'token-audience-mismatch',
    when: 'the audience of the token is another URL',
    defect: (request, next, origin) =>
      request.path === '/mcp' && withToken(request)
        ? unauthorized
        : changed('/token', (value) => ({
            ...value,
            access_token: jwt({ aud: 'https://internal.example', iss: origin }),
          }))(request, next, origin),
    breaks: ALL,
    fix: /\(aud\)/,
  },
  {
    fault: 'scope-insufficient',
    when: 'the scopes of the challenge do not suffice',
    defect: (request, next) =>
      request.path === '/mcp' && withToken(request)
        ? json({ error: 'insufficient_scope' }, 403)
        : next(),
    breaks: ALL,
    fix: /scope/,
  },
  {
    fault: 'refresh-refused',
    when: 'a refresh is refused',
    defect: (request, next) =>
      isRefresh(request) ? json({ error: 'invalid_grant' }, 400) : next(),
    at: ALL,
    fix: /grant_type=refresh_token/,
  },
  {
    fault: 'refresh-not-concurrent',
    when: 'a refresh token works once',
    defect: (() => {
      let refreshes = 0
      return (request, next) =>
        isRefresh(request) && ++refreshes === 2 ? json({ error: 'invalid_grant' }, 400) : next()
    })(),
    at: ALL,
    fix: /same successor/,
  },
  {
    fault: 'refresh-not-concurrent',
    when: 'reuse of a refresh token ends the grant at once',
    defect: (() => {
      let refreshes = 0
      return (request, next) =>
        isRefresh(request) && ++refreshes === 3 ? json({ error: 'invalid_grant' }, 400) : next()
    })(),
    at: ALL,
    fix: /short time/,
  },
  {
    fault: 'server-error',
    when: 'the authorization page crashes',
    defect: at('/authorize', html(500, 'Internal Server Error')),
    breaks: ALL,
    fix: /exception/,
  },
  {
    fault: 'server-error',
    when: 'the registration crashes',
    defect: at('/register', json({ error: 'crashed' }, 500)),
    breaks: ALL,
    fix: /exception/,
  },
  {
    fault: 'server-error',
    when: 'the token endpoint crashes',
    defect: at('/token', json({ error: 'crashed' }, 500)),
    breaks: ALL,
    fix: /exception/,
  },
]
