/** Defects of the challenge and the metadata. */
import { at, changed, withAnswer, withoutHeaders } from '../defects.ts'
import type { Answer } from '../http-server.ts'
import { type Defect, html, json } from '../reference-server.ts'
import { ALL, type Row } from './row.ts'

const RESOURCE = '/.well-known/oauth-protected-resource/mcp'
const SERVER = '/.well-known/oauth-authorization-server'
const WITH_DOCUMENT = [
  'Claude (web)',
  'Claude Desktop',
  'Claude Code',
  'ChatGPT',
  'VS Code',
  'Codex',
]

/** Answers requests at the endpoint with this 401, and every other path with 404. */
const withoutAuthorization =
  (challenge: Readonly<Record<string, string>>, refusal: Answer): Defect =>
  ({ path }) =>
    path === '/mcp' ? { ...refusal, headers: { ...refusal.headers, ...challenge } } : json({}, 404)

/** The clients that sign in with the TypeScript SDK. */
const WITH_TYPESCRIPT_SIGN_IN = ['Claude Code', 'Cursor', 'Inspector']

/** Answers the first place of the metadata with this, and serves it at the place of OpenID Connect. */
const shadowed =
  (answer: Answer): Defect =>
  (request, next, origin) => {
    if (request.path === SERVER) return answer
    if (request.path !== '/.well-known/openid-configuration') return next()
    return json({
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      jwks_uri: `${origin}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
    })
  }

/** Redirects a document to the same one at another origin of this machine. */
const redirected =
  (path: string): Defect =>
  (request, next, origin) => {
    const isOwn = request.headers.host?.startsWith('127.') === true
    if (request.path !== path || !isOwn) return next()
    const location = `${origin.replace('127.0.0.1', 'localhost')}${path}`
    return { status: 302, headers: { location, 'access-control-allow-origin': '*' } }
  }

export const DISCOVERY_ROWS: readonly Row[] = [
  {
    fault: 'server-metadata-shadowed',
    when: 'the fallback of a site answers the first place of the metadata',
    defect: shadowed(html(200, 'App')),
    breaks: WITH_TYPESCRIPT_SIGN_IN,
    at: ALL,
    fix: /404/,
  },
  {
    fault: 'server-metadata-shadowed',
    when: 'the first place of the metadata has an error of the server',
    defect: shadowed(json({ error: 'no route' }, 503)),
    breaks: WITH_TYPESCRIPT_SIGN_IN,
    at: ALL,
    fix: /404/,
  },
  {
    fault: 'metadata-redirected',
    when: 'the metadata of the resource is redirected to another origin',
    defect: redirected(RESOURCE),
    breaks: WITH_TYPESCRIPT_SIGN_IN,
    at: ALL,
    fix: /resource_metadata/,
  },
  {
    fault: 'metadata-redirected',
    when: 'the metadata of the authorization server is redirected to another origin',
    defect: redirected(SERVER),
    breaks: WITH_TYPESCRIPT_SIGN_IN,
    at: ALL,
    fix: /authorization_servers/,
  },
  {
    fault: 'challenge-not-first',
    when: 'a Basic challenge comes first, and the metadata is at no well-known path',
    defect: (request, next, origin) => {
      const { path } = request
      if (path === RESOURCE) return json({}, 404)
      if (path === '/resource') {
        return json({ resource: `${origin}/mcp`, authorization_servers: [origin] })
      }
      const answer = next()
      if (path !== '/mcp' || answer?.status !== 401) return answer
      const challenge = `Basic realm="a", Bearer resource_metadata="${origin}/resource"`
      return { ...answer, headers: { ...answer.headers, 'www-authenticate': challenge } }
    },
    breaks: WITH_TYPESCRIPT_SIGN_IN,
    at: ALL,
    fix: /first/,
  },
  {
    fault: 'authorization-not-offered',
    when: 'every request at the endpoint needs a password',
    defect: withoutAuthorization(
      { 'www-authenticate': 'Basic realm="tools"' },
      { status: 401, headers: { 'content-type': 'text/html' }, body: '<html>401</html>' },
    ),
    breaks: ALL,
    fix: /OAuth 2\.1.*--header/,
  },
  {
    fault: 'authorization-not-offered',
    when: 'the endpoint needs an API key and the 401 has no WWW-Authenticate',
    defect: withoutAuthorization({}, json({ error: 'missing api key' }, 401)),
    breaks: ALL,
    fix: /API key/,
  },
  {
    fault: 'authorization-not-offered',
    when: 'the challenge is Bearer alone',
    defect: withoutAuthorization({ 'www-authenticate': 'Bearer' }, json({}, 401)),
    breaks: ALL,
    fix: /resource_metadata=/,
  },
  {
    fault: 'authorization-not-offered',
    when: 'the fallback of a site answers the well-known paths',
    defect: (request, next) =>
      request.path.startsWith('/.well-known/')
        ? html(200, 'App')
        : request.path === '/mcp'
          ? json({}, 401)
          : next(),
    breaks: ALL,
    fix: /protected resource metadata/,
  },
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
    fault: 'resource-metadata-invalid',
    when: 'scopes_supported is a string',
    defect: changed(RESOURCE, (value) => ({ ...value, scopes_supported: 'read write' })),
    breaks: ALL,
    fix: /array/,
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
    fault: 'resource-mismatch',
    when: 'the resource has a fragment',
    defect: changed('/.well-known/oauth-protected-resource/mcp', (value) => ({
      ...value,
      resource: `${value.resource}#mcp`,
    })),
    breaks: ALL,
    fix: /exactly|pasted|URL/,
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
    breaks: WITH_TYPESCRIPT_SIGN_IN,
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
    when: 'the registration endpoint is null',
    defect: changed(SERVER, (value) => ({ ...value, registration_endpoint: null })),
    breaks: ALL,
    fix: /leave/,
  },
  {
    fault: 'server-metadata-invalid',
    when: 'the token endpoint is missing',
    defect: changed(SERVER, ({ token_endpoint: _, ...rest }) => rest),
    breaks: ALL,
    fix: /token_endpoint/,
  },
  {
    fault: 'server-metadata-invalid',
    when: 'the authorization endpoint is a script',
    defect: changed('/.well-known/oauth-authorization-server', (value) => ({
      ...value,
      authorization_endpoint: 'javascript:alert(1)',
    })),
    breaks: ALL,
    fix: /./,
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
    fault: 'metadata-names-unreachable-host',
    when: 'the token endpoint has the internal port',
    defect: changed(SERVER, (value) => ({ ...value, token_endpoint: 'http://127.0.0.1:1/token' })),
    breaks: ALL,
    fix: /public URL/,
  },
  {
    fault: 'bot-challenge',
    when: 'a firewall protects the well-known paths',
    defect: (request, next) =>
      request.path.startsWith('/.well-known/')
        ? html(403, 'Just a moment...', { 'cf-mitigated': 'challenge' })
        : next(),
    breaks: ALL,
    fix: /well-known/,
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
]
