/** Faults of registration, the authorization response and tokens, planted in a protected server. */

import { withDocuments } from './discovery.ts'
import {
  answers,
  answersAt,
  at,
  both,
  counted,
  type Defect,
  errorOf,
  html,
  json,
  members,
  type PlantedRequest,
  when,
} from './plant.ts'
import type { Rows } from './row.ts'

const token = members('/token')
const registration = members('/register')

/** Changes the URL of the authorization response. */
export const response = (change: (target: URL) => void): Defect =>
  answers(
    ({ headers }, { path }) => path.startsWith('/authorize') && headers?.location !== undefined,
    ({ headers }) => {
      const target = new URL(headers?.location ?? '')
      change(target)
      return { headers: { location: target.href } }
    },
  )

const isRefresh = ({ body }: PlantedRequest) => body.includes('grant_type=refresh_token')

const hasToken = ({ path, headers }: PlantedRequest) =>
  path === '/mcp' && headers.authorization !== undefined

const isAt = (path: string) => (request: PlantedRequest) => request.path === path

const formOf = ({ path, body }: PlantedRequest) =>
  new URLSearchParams(path === '/token' ? body : '')

const jwt = (claims: object) =>
  ['{"alg":"ES256","typ":"at+jwt"}', JSON.stringify(claims), 'signature']
    .map((part) => btoa(part).replaceAll('=', ''))
    .join('.')

const UNAUTHORIZED = json({ error: 'invalid_token' }, 401, {
  'www-authenticate': 'Bearer error="invalid_token"',
})

const PAGE = { body: '<!doctype html><form method="post"><button>Allow</button></form>' }

const INVALID_GRANT = json({ error: 'invalid_grant' }, 400)

const registersOnce = (): Defect => {
  const names = new Set<unknown>()
  return when(
    ({ path, json: { client_name: name } }) =>
      path === '/register' && names.size === names.add(name).size,
    json({ error: 'server_error' }, 500),
  )
}

const OTHER_BODY = 'Bodies of the authorization page are not recorded.'
const OTHER_RESPONSE = 'A redirect without a code and an error is taken for the way to a provider.'
const OTHER_SCHEME = 'The client of the timeline registers no private-use scheme.'

export const SIGN_IN: Rows = {
  'registration-refused': {
    'registrations are refused': at('/register', json({ error: 'invalid_redirect_uri' }, 400)),
    'private-use schemes are refused': {
      plant: when(
        ({ path, body }) => path === '/register' && body.includes('cursor://'),
        json({ error: 'invalid_redirect_uri' }, 400),
      ),
      met: ['Cursor'],
      notInTimeline: OTHER_SCHEME,
    },
  },
  'registration-limited': {
    'registrations are limited to one': counted(isAt('/register'), (before) =>
      before > 0 ? json({ error: 'rate_limited' }, 429, { 'retry-after': '3600' }) : undefined,
    ),
  },
  'registration-status': {
    'a registration is answered with 200': answersAt('/register', { status: 200 }),
  },
  'registration-response-invalid': {
    'a registration has no redirect_uris': registration({ redirect_uris: undefined }),
  },
  'registration-redirects-changed': {
    'a registration keeps the first redirect URI alone': registration(
      ({ redirect_uris: uris }) => ({
        redirect_uris: (uris as string[]).slice(0, 1),
      }),
    ),
  },
  'registration-not-concurrent': { 'a client may register once': registersOnce() },
  'authorization-refused': {
    'the resource parameter is refused': when(
      ({ path, query }) => path === '/authorize' && query.has('resource'),
      json({ error: 'invalid_request', error_description: 'resource' }, 400),
    ),
    'the resource parameter is refused by a redirect': when(
      ({ path, query }) => path === '/authorize' && query.has('resource'),
      ({ query }, origin) => {
        const target = new URL(query.get('redirect_uri') ?? '')
        const state = query.get('state') ?? ''
        const members = { error: 'invalid_target', state, iss: origin }
        target.search = new URLSearchParams(members).toString()
        return { status: 302, headers: { location: target.href } }
      },
    ),
    'an error is JSON with status 200': {
      plant: at('/authorize', json({ error: 'invalid_request' })),
      notInTimeline: OTHER_BODY,
    },
    'the response has no code': {
      plant: response(({ searchParams }) => searchParams.delete('code')),
      notInTimeline: OTHER_RESPONSE,
    },
    'the code of the response is empty': {
      plant: response(({ searchParams }) => searchParams.set('code', '')),
      notInTimeline: OTHER_RESPONSE,
    },
    'loopback redirect URIs are compared with their port': {
      plant: when(
        ({ path, query }) =>
          path === '/authorize' &&
          /^http:\/\/(?:127\.0\.0\.1|localhost):(?!33418|6274|8787)/.test(
            query.get('redirect_uri') ?? '',
          ),
        html(400, 'Mismatch'),
      ),
      met: ['Claude Code', 'Codex', 'Gemini CLI'],
    },
  },
  'authorization-page-missing': {
    'the authorization page is answered with 404': both(
      at('/authorize', html(404, 'Not Found')),
      withDocuments,
    ),
    'the authorization page is answered with 404, without client documents': at(
      '/authorize',
      json({ error: 'not_found' }, 404),
    ),
  },
  'consent-page-csp': {
    'the policy of the page forbids the redirect': answersAt('/authorize', ({ status }) => ({
      // The clean server of the doctor approves at once, and that of the timeline has a page.
      ...(status !== 200 && { ...PAGE, status: 200 }),
      headers: { 'content-type': 'text/html', 'content-security-policy': "form-action 'self'" },
    })),
  },
  'redirect-uri-changed': {
    'the response is redirected to another path': {
      plant: response((target) => {
        target.pathname = '/oauth'
      }),
      notInTimeline: 'Redirect URIs are recorded without their path.',
    },
    'the response is redirected to another host': response((target) => {
      target.hostname = 'internal.example'
    }),
  },
  'state-changed': {
    'state is not returned': response(({ searchParams }) => searchParams.delete('state')),
  },
  'iss-missing': {
    'iss is advertised and not returned': response(({ searchParams }) =>
      searchParams.delete('iss'),
    ),
  },
  'iss-mismatch': {
    'iss is the internal host': response(({ searchParams }) =>
      searchParams.set('iss', 'http://localhost:8080'),
    ),
  },
  'token-request-refused': {
    'the token endpoint requires a secret': at('/token', json({ error: 'invalid_client' }, 401)),
    'the token endpoint answers an error with status 200': at(
      '/token',
      json({ error: 'bad_verification_code' }),
    ),
    'the token endpoint refuses the parameter resource': when(
      (request) => formOf(request).has('resource'),
      json({ error: 'invalid_target' }, 400),
    ),
    'an error of the token endpoint is a page': at('/token', html(400, 'Bad request')),
  },
  'token-response-invalid': {
    'the token has a line break': token({ access_token: 'a\r\nb' }),
    'the token response is a form': at('/token', {
      status: 200,
      body: 'access_token=a&token_type=bearer',
    }),
    'the framework answers POST with 201': {
      plant: answersAt('/token', { status: 201 }),
      notInTimeline: 'Another status than 200 has no token.',
    },
  },
  'token-expiry-invalid': { 'expires_in is a date': token({ expires_in: '2030-01-01' }) },
  'token-without-expiry': { 'expires_in is missing': token({ expires_in: undefined }) },
  'token-short-lived': {
    'the token lives an hour': token({ expires_in: 3600 }),
  },
  'token-without-refresh': { 'there is no refresh token': token({ refresh_token: undefined }) },
  'token-refused': {
    'the endpoint accepts no token': when(hasToken, UNAUTHORIZED),
    'a call with the token is a JSON-RPC error with status 401': errorOf(
      'tools/call',
      -32001,
      'Unauthorized',
      401,
    ),
    'the token is too long for the headers of the endpoint': token({
      access_token: 'x'.repeat(20_000),
    }),
  },
  'token-audience-mismatch': {
    'the token is for another URL, and the server refuses it': both(
      when(hasToken, UNAUTHORIZED),
      token((_, origin) => ({
        access_token: jwt({ aud: 'https://internal.example', iss: origin }),
      })),
    ),
  },
  'server-error': {
    'every request with a token crashes': when(hasToken, json({ error: 'crashed' }, 500)),
    'the authorization page crashes': at('/authorize', html(500, 'Internal Server Error')),
    'the registration crashes': at('/register', json({ error: 'crashed' }, 500)),
    'the token endpoint crashes': at('/token', json({ error: 'crashed' }, 500)),
  },
  'proxy-cannot-reach-server': {
    'the gateway fails to verify the token': when(hasToken, html(502, 'Bad Gateway')),
  },
  'endpoint-answers-html': {
    'a request with a token gets the page of a site': when(hasToken, html(200, 'Dashboard')),
  },
  'scope-insufficient': {
    'the scopes of the challenge do not suffice': when(
      hasToken,
      json({ error: 'insufficient_scope' }, 403),
    ),
  },
  'refresh-refused': { 'a refresh is refused': when(isRefresh, INVALID_GRANT) },
  'refresh-not-concurrent': {
    // The first refresh is that of an unknown client, and the next two are sent at once.
    'a refresh token works once': counted(isRefresh, (before) =>
      before === 2 ? INVALID_GRANT : undefined,
    ),
    'reuse of a refresh token ends the grant at once': counted(isRefresh, (before) =>
      before === 3 ? INVALID_GRANT : undefined,
    ),
  },
  'invalid-client-missing': {
    'an unknown client is answered with invalid_request': answers(
      ({ body }) => String(body).includes('invalid_client'),
      json({ error: 'invalid_request' }, 400),
    ),
  },
}
