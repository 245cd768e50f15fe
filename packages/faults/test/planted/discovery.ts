/** Faults of the challenge and the metadata, planted in a protected server. */
import {
  type Answer,
  answersAt,
  at,
  both,
  challenge,
  type Defect,
  elsewhere,
  eventStream,
  html,
  isGet,
  json,
  members,
  when,
} from './plant.ts'
import type { Rows } from './row.ts'

export const RESOURCE = '/.well-known/oauth-protected-resource/mcp'
export const SERVER = '/.well-known/oauth-authorization-server'

export const resource = members(RESOURCE)
export const server = members(SERVER)

const DOCUMENTS = { client_id_metadata_document_supported: true }
export const withDocuments = server(DOCUMENTS)

const isWellKnown = ({ path }: { readonly path: string }) => path.startsWith('/.well-known/')

/** Answers requests at the endpoint with a 401 that has this challenge, and every other path with 404. */
const withoutAuthorization =
  (answer: Answer): Defect =>
  ({ path }) =>
    path === '/mcp' ? answer : json({}, 404)

/** Answers the first place of the metadata with this, and serves it at the place of OpenID Connect. */
const shadowed = (answer: Answer): Defect =>
  both(
    at(SERVER, answer),
    when(
      ({ path }) => path === '/.well-known/openid-configuration',
      (_, origin) =>
        json({
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
        }),
    ),
  )

/** Redirects a document to the same one at another origin of this machine. */
const redirected = (path: string): Defect =>
  when(
    (request) => request.path === path && request.headers.host?.startsWith('127.') === true,
    (_, origin) => ({
      status: 302,
      headers: { location: `${elsewhere(origin)}${path}`, 'access-control-allow-origin': '*' },
    }),
  )

/** Answers GET without a token. */
const withOpenGet = (answer: Answer) =>
  when((request) => isGet(request) && !request.headers.authorization, answer)

const challenged = (text: string) => ({ headers: { 'www-authenticate': text } })

const ANY_URL = 'Any URL is taken for that of a server.'

export const DISCOVERY: Rows = {
  'server-metadata-shadowed': {
    'the fallback of a site answers the first place of the metadata': shadowed(html(200, 'App')),
    'the first place of the metadata has an error of the server': shadowed(
      json({ error: 'no route' }, 503),
    ),
  },
  'metadata-redirected': {
    'the metadata of the resource is redirected to another origin': redirected(RESOURCE),
    'the metadata of the authorization server is redirected to another origin': redirected(SERVER),
  },
  'challenge-not-first': {
    'a Basic challenge comes first, and the metadata is at no well-known path': both(
      both(
        at(RESOURCE, json({}, 404)),
        when(
          ({ path }) => path === '/resource',
          (_, origin) => json({ resource: `${origin}/mcp`, authorization_servers: [origin] }),
        ),
      ),
      challenge((_, origin) =>
        challenged(`Basic realm="a", Bearer resource_metadata="${origin}/resource"`),
      ),
    ),
  },
  'authorization-not-offered': {
    'every request at the endpoint needs a password': withoutAuthorization(
      html(401, '401', { 'www-authenticate': 'Basic realm="tools"' }),
    ),
    'the endpoint needs an API key and the 401 has no WWW-Authenticate': withoutAuthorization(
      json({ error: 'missing api key' }, 401),
    ),
    'the challenge is Bearer alone': withoutAuthorization(
      json({}, 401, { 'www-authenticate': 'Bearer' }),
    ),
    'the fallback of a site answers the well-known paths': both(
      at('/mcp', json({}, 401)),
      when(isWellKnown, html(200, 'App')),
    ),
  },
  'challenge-missing': {
    'the 401 has no WWW-Authenticate': challenge({ headers: { 'www-authenticate': undefined } }),
  },
  'challenge-without-metadata': {
    'WWW-Authenticate has no resource_metadata': challenge(challenged('Basic, Bearer realm="mcp"')),
  },
  'get-without-challenge': {
    'a GET without a token is answered with 405': withOpenGet(json({}, 405, { allow: 'POST' })),
    'a GET without a token opens a stream': withOpenGet(eventStream(': a\n\n')),
  },
  'error-not-json': {
    'the 401 has a text body': challenge({
      headers: { 'content-type': 'text/plain' },
      body: 'Unauthorized',
    }),
  },
  'cors-headers-hidden': {
    'the 401 has no CORS headers': challenge({
      headers: {
        'access-control-allow-origin': undefined,
        'access-control-expose-headers': undefined,
      },
    }),
  },
  'preflight-refused': {
    'the preflight needs a token': at('/mcp', json({}, 401), 'OPTIONS'),
  },
  'resource-metadata-missing': {
    'neither the metadata of the resource nor that of the server is served': when(
      isWellKnown,
      json({}, 404),
    ),
    'the challenge names metadata that does not exist': {
      plant: challenge((_, origin) => challenged(`Bearer resource_metadata="${origin}/nowhere"`)),
      notInTimeline: 'Another path than that of the document is not recorded.',
    },
  },
  'resource-metadata-skipped': {
    'only the authorization server has metadata': at(RESOURCE, json({}, 404)),
  },
  'resource-metadata-invalid': {
    'the fallback of a site answers the metadata of the resource': at(RESOURCE, html(200, 'App')),
    'the metadata has no resource': resource({ resource: undefined }),
    'the metadata has no resource, and the authorization server has none': both(
      resource({ resource: undefined }),
      at(SERVER, json({}, 404)),
    ),
    'scopes_supported is a string': {
      plant: resource({ scopes_supported: 'read write' }),
      notInTimeline: 'Scopes of the metadata are not recorded.',
    },
  },
  'resource-mismatch': {
    'the resource names another host': resource({ resource: 'https://internal.example/mcp' }),
    'the resource names another path': resource((_, origin) => ({
      resource: `${origin}/mcp/v2`,
    })),
    'the resource has a fragment': {
      plant: resource((value) => ({ resource: `${value.resource}#mcp` })),
      notInTimeline: 'URLs are recorded without their fragment.',
    },
  },
  'resource-not-exact': {
    'the resource is the origin': resource((_, origin) => ({ resource: origin })),
  },
  'resource-trailing-slash': {
    'the resource ends with a slash': resource((_, origin) => ({ resource: `${origin}/mcp/` })),
  },
  'authorization-servers-missing': {
    'the list of authorization servers is empty': resource({ authorization_servers: [] }),
    'the metadata names no authorization server': resource({ authorization_servers: undefined }),
    ...Object.fromEntries(
      ['data:text/plain,x', 'mailto:a@example.com', 'urn:example:a'].map((issuer) => [
        `the authorization server is at ${issuer}`,
        { plant: resource({ authorization_servers: [issuer] }), notInTimeline: ANY_URL },
      ]),
    ),
  },
  'metadata-without-cors': {
    'the metadata has no CORS headers': answersAt(RESOURCE, {
      headers: { 'access-control-allow-origin': undefined },
    }),
  },
  'server-metadata-missing': {
    'the authorization server has no metadata': at(SERVER, json({}, 404)),
    'the authorization server is at another host, which does not answer': {
      plant: resource({
        authorization_servers: ['http://127.0.0.1:1'],
      }),
      notInTimeline: 'No request reaches the server of the timeline.',
    },
  },
  'server-metadata-invalid': {
    'the registration endpoint is null': {
      plant: server({ registration_endpoint: null }),
      notInTimeline: 'It is no-dynamic-registration: what is null counts as absent.',
    },
    'the token endpoint is missing': server({ token_endpoint: undefined }),
    'the authorization endpoint is a script': {
      plant: server({
        authorization_endpoint: 'javascript:alert(1)',
      }),
      notInTimeline: ANY_URL,
    },
  },
  'issuer-mismatch': {
    'the issuer is another host': server({ issuer: 'https://internal.example' }),
  },
  'issuer-trailing-slash': {
    'the issuer has a slash more': server(({ issuer }) => ({ issuer: `${issuer}/` })),
  },
  'pkce-not-advertised': {
    'code_challenge_methods_supported is missing': server({
      code_challenge_methods_supported: undefined,
    }),
    'code_challenge_methods_supported lists plain alone': server({
      code_challenge_methods_supported: ['plain'],
    }),
  },
  'code-flow-not-advertised': {
    'grant_types_supported excludes the code': server({
      grant_types_supported: ['client_credentials'],
    }),
    'response_types_supported excludes the code': server({ response_types_supported: ['token'] }),
  },
  'refresh-not-advertised': {
    'the grant refresh_token is not in the metadata': server({
      grant_types_supported: ['authorization_code'],
    }),
  },
  'authorization-endpoint-elsewhere': {
    'the authorization endpoint has another origin, and iss is not advertised': server(
      (_, origin) => ({
        authorization_endpoint: `${elsewhere(origin)}/authorize`,
        authorization_response_iss_parameter_supported: false,
      }),
    ),
  },
  'metadata-names-unreachable-host': {
    'the token endpoint has the internal port': server({
      token_endpoint: 'http://127.0.0.1:1/token',
    }),
  },
  'bot-challenge': {
    'a firewall protects the well-known paths': when(
      isWellKnown,
      html(403, 'Just a moment...', { 'cf-mitigated': 'challenge' }),
    ),
  },
  'no-client-registration': {
    'clients can neither register nor publish a document': server({
      registration_endpoint: undefined,
    }),
  },
  'no-dynamic-registration': {
    'there are documents alone': both(
      at('/authorize', html(200, 'Consent')),
      server({ ...DOCUMENTS, registration_endpoint: undefined }),
    ),
  },
  'cimd-without-none': {
    'documents are advertised and "none" is not': server({
      ...DOCUMENTS,
      token_endpoint_auth_methods_supported: ['client_secret_basic'],
    }),
  },
  'client-document-refused': {
    'documents are advertised and unknown client ids are refused': withDocuments,
  },
}
