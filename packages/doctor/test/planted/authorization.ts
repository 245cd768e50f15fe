/** Planted faults of a protected server. */
import { at, changed, withAnswer, withoutHeaders } from '../defects.ts'
import type { Answer, ReceivedRequest } from '../http-server.ts'
import { type Defect, html, json } from '../reference-server.ts'
import { both, type Planted } from './planted.ts'

const RESOURCE = '/.well-known/oauth-protected-resource/mcp'
const SERVER = '/.well-known/oauth-authorization-server'

/** Changes the 401 of the endpoint. */
const challenge =
  (change: (answer: Answer, origin: string) => Answer): Defect =>
  (request, next, origin) => {
    const answer = next()
    return request.path === '/mcp' && answer?.status === 401 ? change(answer, origin) : answer
  }

/** Changes the parameters of the authorization response. */
const response = (change: (parameters: URLSearchParams) => void): Defect =>
  withAnswer('/authorize', (answer) => {
    const target = new URL(answer.headers?.location ?? '')
    change(target.searchParams)
    return { ...answer, headers: { location: target.href } }
  })

const withDocuments = changed(SERVER, (value) => ({
  ...value,
  client_id_metadata_document_supported: true,
}))

const formOf = ({ path, body }: ReceivedRequest) =>
  new URLSearchParams(path === '/token' ? body : '')

const lacksClient = ({ path, query }: ReceivedRequest) =>
  path === '/authorize' && (query.get('client_id') ?? '').startsWith('https:')

export const AUTHORIZATION: readonly Planted[] = [
  {
    when: 'the 401 has no WWW-Authenticate',
    fault: 'challenge-missing',
    defect: withAnswer('/mcp', (answer) => withoutHeaders(answer, 'www-authenticate')),
  },
  {
    when: 'a GET without a token is answered with 405',
    fault: 'get-without-challenge',
    defect: (request, next) =>
      request.method === 'GET' && request.path === '/mcp' && !request.headers.authorization
        ? json({}, 405, { allow: 'POST' })
        : next(),
  },
  {
    when: 'a GET without a token opens a stream',
    fault: 'get-without-challenge',
    defect: (request, next) =>
      request.method === 'GET' && request.path === '/mcp' && !request.headers.authorization
        ? { status: 200, headers: { 'content-type': 'text/event-stream' }, body: ': a\n\n' }
        : next(),
  },
  {
    when: 'the challenge names metadata that does not exist',
    fault: 'resource-metadata-missing',
    defect: challenge((answer, origin) => ({
      ...answer,
      headers: {
        ...answer.headers,
        'www-authenticate': `Bearer resource_metadata="${origin}/nowhere"`,
      },
    })),
  },
  {
    when: 'the 401 has a text body',
    fault: 'error-not-json',
    defect: challenge((answer) => ({
      ...answer,
      headers: { ...answer.headers, 'content-type': 'text/plain' },
      body: 'Unauthorized',
    })),
  },
  {
    when: 'the 401 has no CORS headers',
    fault: 'cors-headers-hidden',
    defect: challenge((answer) =>
      withoutHeaders(answer, 'access-control-allow-origin', 'access-control-expose-headers'),
    ),
  },
  {
    when: 'the preflight needs a token',
    fault: 'preflight-refused',
    defect: at('/mcp', json({}, 401), 'OPTIONS'),
  },
  {
    when: 'the resource has a slash more than the URL',
    fault: 'resource-trailing-slash',
    defect: changed(RESOURCE, (value) => ({ ...value, resource: `${value.resource}/` })),
  },
  {
    when: 'the resource is at another host',
    fault: 'resource-mismatch',
    defect: changed(RESOURCE, (value) => ({ ...value, resource: 'https://other.example/mcp' })),
  },
  {
    when: 'the resource names no authorization server',
    fault: 'authorization-servers-missing',
    defect: changed(RESOURCE, ({ authorization_servers: _, ...rest }) => rest),
  },
  {
    when: 'PKCE is not in the metadata',
    fault: 'pkce-not-advertised',
    defect: changed(SERVER, ({ code_challenge_methods_supported: _, ...rest }) => rest),
  },
  {
    when: 'client documents are offered without the method none',
    fault: 'cimd-without-none',
    defect: both(
      changed(SERVER, (value) => ({
        ...value,
        token_endpoint_auth_methods_supported: ['client_secret_post'],
      })),
      withDocuments,
    ),
  },
  {
    when: 'the issuer has a slash at its end',
    fault: 'issuer-trailing-slash',
    defect: changed(SERVER, (value) => ({ ...value, issuer: `${value.issuer}/` })),
  },
  {
    when: 'the code flow is not in the metadata',
    fault: 'code-flow-not-advertised',
    defect: changed(SERVER, (value) => ({ ...value, response_types_supported: ['token'] })),
  },
  {
    when: 'the grant refresh_token is not in the metadata',
    fault: 'refresh-not-advertised',
    defect: changed(SERVER, (value) => ({
      ...value,
      grant_types_supported: ['authorization_code'],
    })),
  },
  {
    when: 'the token endpoint is at a host without a server',
    fault: 'metadata-names-unreachable-host',
    defect: changed(SERVER, (value) => ({ ...value, token_endpoint: 'https://127.0.0.1:1/token' })),
  },
  {
    when: 'the authorization endpoint has another origin, and iss is not announced',
    fault: 'authorization-endpoint-elsewhere',
    defect: changed(
      SERVER,
      ({ authorization_response_iss_parameter_supported: _, ...rest }, origin) => ({
        ...rest,
        authorization_endpoint: `${origin.replace('127.0.0.1', 'localhost')}/authorize`,
      }),
    ),
  },
  {
    when: 'clients can neither register nor publish a document',
    fault: 'no-client-registration',
    defect: changed(SERVER, ({ registration_endpoint: _, ...rest }) => rest),
  },
  {
    when: 'iss is announced and not returned',
    fault: 'iss-missing',
    defect: response((parameters) => parameters.delete('iss')),
  },
  {
    when: 'iss is that of another issuer',
    fault: 'iss-mismatch',
    defect: response((parameters) => parameters.set('iss', 'https://other.example')),
  },
  {
    when: 'the state is not returned',
    fault: 'state-changed',
    defect: response((parameters) => parameters.delete('state')),
  },
  {
    when: 'the token endpoint refuses the parameter resource',
    fault: 'token-request-refused',
    defect: (request, next) =>
      formOf(request).has('resource') ? json({ error: 'invalid_target' }, 400) : next(),
  },
  {
    when: 'the authorization endpoint refuses the parameter resource',
    fault: 'authorization-refused',
    defect: (request, next, origin) => {
      if (request.path !== '/authorize' || !request.query.has('resource')) return next()
      const target = new URL(request.query.get('redirect_uri') ?? '')
      const state = request.query.get('state') ?? ''
      target.search = new URLSearchParams({
        error: 'invalid_target',
        state,
        iss: origin,
      }).toString()
      return { status: 302, headers: { location: target.href } }
    },
  },
  {
    when: 'registrations are limited to one',
    fault: 'registration-limited',
    defect: (() => {
      let count = 0
      return (request, next) => {
        if (request.path !== '/register') return next()
        count += 1
        return count === 1
          ? next()
          : json({ error: 'rate_limited' }, 429, { 'retry-after': '3600' })
      }
    })(),
  },
  {
    when: 'registrations of private-use schemes are refused',
    fault: 'registration-refused',
    defect: (request, next) =>
      request.path === '/register' && request.body.includes('cursor://')
        ? json({ error: 'invalid_redirect_uri' }, 400)
        : next(),
  },
  {
    when: 'a registration is answered with 200',
    fault: 'registration-status',
    defect: withAnswer('/register', (answer) => ({ ...answer, status: 200 })),
  },
  {
    when: 'loopback redirect URIs are compared with their port',
    fault: 'authorization-refused',
    defect: (request, next) => {
      const uri = request.query.get('redirect_uri') ?? ''
      const isOtherPort = /^http:\/\/(?:127\.0\.0\.1|localhost):(?!33418|6274|8787)/.test(uri)
      return request.path === '/authorize' && isOtherPort ? html(400, 'Mismatch') : next()
    },
  },
  {
    when: 'the authorization page is answered with 404',
    fault: 'authorization-page-missing',
    defect: both(at('/authorize', html(404, 'Not Found')), withDocuments),
  },
  {
    when: 'the authorization page is answered with 404, without client documents',
    fault: 'authorization-page-missing',
    defect: at('/authorize', json({ error: 'not_found' }, 404)),
  },
  {
    when: 'the authorization page refuses client documents',
    fault: 'client-document-refused',
    defect: both(
      (request, next) => (lacksClient(request) ? html(400, 'Unknown client') : next()),
      withDocuments,
    ),
  },
  {
    when: 'the policy of the page forbids the redirect',
    fault: 'consent-page-csp',
    defect: at('/authorize', {
      ...html(200, 'Consent', { 'content-security-policy': "form-action 'self'" }),
      body: '<!doctype html><form method="post"><button>Allow</button></form>',
    }),
  },
  {
    when: 'access tokens live ten minutes',
    fault: 'token-short-lived',
    defect: changed('/token', (value) => ({ ...value, expires_in: 600 })),
  },
  {
    when: 'there is no refresh token',
    fault: 'token-without-refresh',
    defect: changed('/token', ({ refresh_token: _, ...rest }) => rest),
  },
  {
    when: 'a refresh token can be used once, without a grace',
    fault: 'refresh-not-concurrent',
    defect: (() => {
      const used = new Set<string>()
      return (request, next) => {
        const token = formOf(request).get('refresh_token')
        if (token === null) return next()
        if (used.has(token)) return json({ error: 'invalid_grant' }, 400)
        used.add(token)
        const answer = next()
        if (answer === undefined || answer.status !== 200) return answer
        const value = JSON.parse(String(answer.body)) as object
        return json({ ...value, refresh_token: `${token}+` })
      }
    })(),
  },
  {
    when: 'an unknown client is answered with invalid_request',
    fault: 'invalid-client-missing',
    defect: (_, next) => {
      const answer = next()
      return String(answer?.body).includes('invalid_client')
        ? json({ error: 'invalid_request' }, 400)
        : answer
    },
  },
  {
    when: 'an error of the token endpoint is a page',
    fault: 'token-request-refused',
    defect: at('/token', html(400, 'Bad request')),
  },
]
