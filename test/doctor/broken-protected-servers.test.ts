/** The reference server with its own authorization server, broken in one way at a time. */
import { describe, expect, it, onTestFinished } from 'vitest'
import type { FaultCode } from '../../src/faults/faults.ts'
import { at, changed, withAnswer, withoutHeaders } from './defects.ts'
import { codesOf, concerned, disconnected, examineQuickly } from './examine.ts'
import type { ReceivedRequest } from './http-server.ts'
import { type Defect, html, json, startReferenceServer } from './reference-server.ts'

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
const WITH_DOCUMENT = [
  'Claude (web)',
  'Claude Desktop',
  'Claude Code',
  'ChatGPT',
  'VS Code',
  'Codex',
]
const RESOURCE = '/.well-known/oauth-protected-resource/mcp'
const SERVER = '/.well-known/oauth-authorization-server'

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

const rows: readonly Row[] = [
  {
    fault: 'challenge-missing',
    when: 'the 401 has no WWW-Authenticate',
    defect: withAnswer('/mcp', (answer) => withoutHeaders(answer, 'www-authenticate')),
    breaks: ['ChatGPT'],
    at: ALL,
    fix: /WWW-Authenticate/,
  },
  {
    fault: 'challenge-without-metadata',
    when: 'WWW-Authenticate has no resource_metadata',
    defect: withAnswer('/mcp', (answer) =>
      answer.status === 401
        ? {
            ...answer,
            headers: { ...answer.headers, 'www-authenticate': 'Basic, Bearer realm="mcp"' },
          }
        : answer,
    ),
    at: ALL,
    fix: /resource_metadata/,
  },
  {
    fault: 'error-not-json',
    when: 'the 401 has a text body',
    defect: withAnswer('/mcp', (answer) =>
      answer.status === 401 ? { ...answer, body: 'Unauthorized' } : answer,
    ),
    breaks: ['Codex'],
    fix: /JSON-RPC error/,
  },
  {
    fault: 'resource-metadata-missing',
    when: 'the metadata of neither the resource nor the authorization server is served',
    defect: (request, next) => (request.path.startsWith('/.well-known/') ? json({}, 404) : next()),
    breaks: ALL,
    fix: /oauth-protected-resource/,
  },
  {
    fault: 'resource-metadata-skipped',
    when: 'only the authorization server has metadata',
    defect: at(RESOURCE, json({}, 404)),
    breaks: ['ChatGPT'],
    at: ALL,
    fix: /oauth-protected-resource/,
  },
  {
    fault: 'resource-metadata-invalid',
    when: 'the fallback of a site answers the metadata of the resource',
    defect: at(RESOURCE, html(200, 'App')),
    breaks: ALL,
    fix: /application\/json/,
  },
  {
    fault: 'resource-metadata-invalid',
    when: 'the metadata has no resource',
    defect: changed(RESOURCE, ({ resource: _, ...rest }) => rest),
    breaks: ALL,
    fix: /resource/,
  },
  {
    fault: 'resource-mismatch',
    when: 'the resource names another host',
    defect: changed(RESOURCE, (value) => ({ ...value, resource: 'https://internal.example/mcp' })),
    breaks: ALL,
    fix: /URL that people paste/,
  },
  {
    fault: 'resource-mismatch',
    when: 'the resource names another path',
    defect: changed(RESOURCE, (value, origin) => ({ ...value, resource: `${origin}/mcp/v2` })),
    breaks: ALL,
    fix: /URL that people paste/,
  },
  {
    fault: 'resource-not-exact',
    when: 'the resource is the origin',
    defect: changed(RESOURCE, (value, origin) => ({ ...value, resource: origin })),
    breaks: ['Claude (web)', 'Claude Desktop', 'ChatGPT'],
    at: ALL,
    fix: /exactly/,
  },
  {
    fault: 'resource-trailing-slash',
    when: 'the resource ends with a slash',
    defect: changed(RESOURCE, (value, origin) => ({ ...value, resource: `${origin}/mcp/` })),
    at: ALL,
    fix: /slash/,
  },
  {
    fault: 'authorization-servers-missing',
    when: 'the metadata names no authorization server',
    defect: changed(RESOURCE, (value) => ({ ...value, authorization_servers: [] })),
    breaks: ALL,
    fix: /authorization_servers/,
  },
  {
    fault: 'metadata-without-cors',
    when: 'the metadata has no CORS headers',
    defect: withAnswer(RESOURCE, (answer) => withoutHeaders(answer, 'access-control-allow-origin')),
    at: ['Inspector'],
    fix: /Access-Control-Allow-Origin/,
  },
  {
    fault: 'server-metadata-missing',
    when: 'the authorization server has no metadata',
    defect: at(SERVER, json({}, 404)),
    breaks: ALL,
    fix: /oauth-authorization-server/,
  },
  {
    fault: 'server-metadata-missing',
    when: 'the authorization server is at another host, which does not answer',
    defect: changed(RESOURCE, (value) => ({
      ...value,
      authorization_servers: ['http://127.0.0.1:1'],
    })),
    breaks: ALL,
    fix: /issuer/,
  },
  {
    fault: 'server-metadata-invalid',
    when: 'the token endpoint is missing',
    defect: changed(SERVER, ({ token_endpoint: _, ...rest }) => rest),
    breaks: ALL,
    fix: /token_endpoint/,
  },
  {
    fault: 'issuer-mismatch',
    when: 'the issuer is another host',
    defect: changed(SERVER, (value) => ({ ...value, issuer: 'https://internal.example' })),
    breaks: ALL,
    fix: /issuer/,
  },
  {
    fault: 'issuer-trailing-slash',
    when: 'the issuer has a slash more',
    defect: changed(SERVER, (value, origin) => ({ ...value, issuer: `${origin}/` })),
    at: ALL,
    fix: /same characters/,
  },
  {
    fault: 'pkce-not-advertised',
    when: 'code_challenge_methods_supported is missing',
    defect: changed(SERVER, ({ code_challenge_methods_supported: _, ...rest }) => rest),
    breaks: ALL,
    fix: /"code_challenge_methods_supported": \["S256"\]/,
  },
  {
    fault: 'pkce-not-advertised',
    when: 'code_challenge_methods_supported lists plain alone',
    defect: changed(SERVER, (value) => ({ ...value, code_challenge_methods_supported: ['plain'] })),
    breaks: ALL,
    fix: /S256/,
  },
  {
    fault: 'code-flow-not-advertised',
    when: 'grant_types_supported excludes the code',
    defect: changed(SERVER, (value) => ({
      ...value,
      grant_types_supported: ['client_credentials'],
    })),
    breaks: ALL,
    fix: /authorization_code/,
  },
  {
    fault: 'authorization-endpoint-elsewhere',
    when: 'the authorization endpoint is at another origin without iss',
    defect: (request, next, origin) => {
      const elsewhere = origin.replace('127.0.0.1', 'localhost')
      const metadata = changed(SERVER, (value) => ({
        ...value,
        authorization_endpoint: `${elsewhere}/authorize`,
        authorization_response_iss_parameter_supported: false,
      }))
      return metadata(request, next, origin)
    },
    breaks: ['Codex'],
    fix: /iss/,
  },
  {
    fault: 'no-client-registration',
    when: 'there is neither registration nor documents',
    defect: changed(SERVER, ({ registration_endpoint: _, ...rest }) => rest),
    breaks: ALL,
    fix: /registration_endpoint/,
  },
  {
    fault: 'no-dynamic-registration',
    when: 'there are documents alone',
    defect: (request, next, origin) =>
      request.path === '/authorize'
        ? html(200, 'Consent')
        : changed(SERVER, ({ registration_endpoint: _, ...rest }) => ({
            ...rest,
            client_id_metadata_document_supported: true,
          }))(request, next, origin),
    breaks: ['Cursor', 'Gemini CLI'],
    at: ['Cursor', 'Gemini CLI', 'Inspector'],
    fix: /registration_endpoint/,
  },
  {
    fault: 'cimd-without-none',
    when: 'documents are advertised and "none" is not',
    defect: changed(SERVER, (value) => ({
      ...value,
      client_id_metadata_document_supported: true,
      token_endpoint_auth_methods_supported: ['client_secret_basic'],
    })),
    at: WITH_DOCUMENT,
    fix: /"none"/,
  },
  {
    fault: 'client-document-refused',
    when: 'documents are advertised and unknown client ids are refused',
    defect: changed(SERVER, (value) => ({ ...value, client_id_metadata_document_supported: true })),
    // The document of ChatGPT belongs to each connector, so it is not sent.
    breaks: ['Claude (web)', 'Claude Desktop', 'Claude Code', 'VS Code', 'Codex'],
    fix: /client_id/,
  },
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
    fault: 'token-response-invalid',
    when: 'the token response is a form',
    defect: at('/token', { status: 200, body: 'access_token=a&token_type=bearer' }),
    breaks: ALL,
    fix: /JSON/,
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
]

describe('the doctor at a server with authorization', () => {
  it('finds nothing at the reference server and gets a token', async () => {
    const server = await startReferenceServer({ isProtected: true })
    onTestFinished(() => server.stop())
    const report = await examineQuickly(server.url, { active: true })
    expect(codesOf(report)).toEqual([])
    expect(disconnected(report)).toEqual([])
    expect(report.notes.join()).not.toContain('--token')
  })

  it('registers nothing and redeems nothing without --active', async () => {
    const server = await startReferenceServer({ isProtected: true })
    onTestFinished(() => server.stop())
    const report = await examineQuickly(server.url)
    expect(codesOf(report)).toEqual([])
    expect(server.requests.filter(({ path }) => path === '/register')).toEqual([])
    expect(server.requests.filter(({ path }) => path === '/token')).toEqual([])
    expect(report.notes.join()).toContain('--token')
  })

  it.concurrent.for(rows)(
    'names $fault alone when $when',
    async (row, { expect, onTestFinished }) => {
      const { fault, defect, breaks = [], at: where = breaks, fix } = row
      const server = await startReferenceServer({ isProtected: true, defect })
      onTestFinished(() => server.stop())
      const report = await examineQuickly(server.url, { active: true })
      expect(codesOf(report)).toEqual([fault])
      expect(concerned(report, fault)).toEqual(where)
      expect(disconnected(report)).toEqual(breaks)
      const finding = report.clients.flatMap(({ findings }) => findings).at(0)
      expect(finding?.fix).toMatch(fix)
    },
  )
})
