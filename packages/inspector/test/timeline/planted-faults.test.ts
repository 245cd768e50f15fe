/** Copies of the protected server, each broken in one way: the timeline names the fault by the code of the doctor. */
import { describe, expect, it } from 'vitest'
import type { FaultCode } from '../../../faults/src/faults.ts'
import {
  advance,
  openRecorded,
  type Plant,
  type RecordedOptions,
} from './support/recorded-server.ts'
import { type ClientOptions, StrictClient } from './support/strict-client.ts'

const RESOURCE = '/.well-known/oauth-protected-resource'
const SERVER = '/.well-known/oauth-authorization-server'

type Members = Record<string, unknown>

const isAt = (request: Request, path: string) => new URL(request.url).pathname.startsWith(path)

/** Changes the JSON of the answers at a path. */
const changed =
  (path: string, change: (body: Members) => unknown): Plant =>
  async (response, request) => {
    if (!isAt(request, path) || response.status >= 300) return response
    const headers = new Headers(response.headers)
    return new Response(JSON.stringify(change((await response.json()) as Members)), {
      status: response.status,
      headers,
    })
  }

/** Replaces the answers at a path. */
const at =
  (path: string, status: number, body: unknown): Plant =>
  (response, request) =>
    isAt(request, path) ? Response.json(body, { status }) : response

const withoutHeader =
  (path: string, name: string): Plant =>
  (response, request) => {
    if (!isAt(request, path)) return response
    const headers = new Headers(response.headers)
    headers.delete(name)
    return new Response(response.body, { status: response.status, headers })
  }

/** Changes the parameters of the authorization response. */
const redirected =
  (change: (target: URL) => void): Plant =>
  (response, request) => {
    const location = response.headers.get('location')
    if (!isAt(request, '/authorize/decision') || location === null) return response
    const target = new URL(location)
    change(target)
    return new Response(null, { status: 303, headers: { location: target.href } })
  }

interface Row {
  readonly fault: FaultCode
  readonly when: string
  readonly plant?: Plant
  readonly server?: RecordedOptions
  readonly client?: ClientOptions
  /** The stage at which the client stops; absent when it connects all the same. */
  readonly missing?: RegExp
}

const ROWS: readonly Row[] = [
  {
    fault: 'challenge-missing',
    when: 'the 401 has no WWW-Authenticate',
    plant: withoutHeader('/mcp', 'www-authenticate'),
    missing: /protected resource metadata/,
  },
  {
    fault: 'challenge-without-metadata',
    when: 'WWW-Authenticate does not name the metadata',
    plant: (response, request) =>
      isAt(request, '/mcp')
        ? new Response(response.body, {
            status: 401,
            headers: { 'content-type': 'application/json', 'www-authenticate': 'Bearer' },
          })
        : response,
    missing: /protected resource metadata/,
  },
  {
    fault: 'error-not-json',
    when: 'the 401 has a text body',
    plant: (response, request) =>
      isAt(request, '/mcp')
        ? new Response('Unauthorized', {
            status: 401,
            headers: { 'www-authenticate': response.headers.get('www-authenticate') ?? '' },
          })
        : response,
  },
  {
    fault: 'resource-metadata-missing',
    when: 'the metadata of the resource is not served',
    plant: at(RESOURCE, 404, {}),
    missing: /protected resource metadata/,
  },
  {
    fault: 'resource-metadata-invalid',
    when: 'the metadata has no resource',
    plant: changed(RESOURCE, ({ resource: _, ...rest }) => rest),
    missing: /metadata of the authorization server/,
  },
  {
    fault: 'resource-mismatch',
    when: 'the resource names another host',
    plant: changed(RESOURCE, (body) => ({ ...body, resource: 'https://internal.example/mcp' })),
    missing: /metadata of the authorization server/,
  },
  {
    fault: 'resource-not-exact',
    when: 'the resource is the origin',
    plant: changed(RESOURCE, (body) => ({ ...body, resource: 'http://localhost:8787' })),
    missing: /metadata of the authorization server/,
  },
  {
    fault: 'resource-trailing-slash',
    when: 'the resource ends with a slash',
    plant: changed(RESOURCE, (body) => ({ ...body, resource: 'http://localhost:8787/mcp/' })),
    missing: /metadata of the authorization server/,
  },
  {
    fault: 'authorization-servers-missing',
    when: 'the metadata names no authorization server',
    plant: changed(RESOURCE, (body) => ({ ...body, authorization_servers: [] })),
    missing: /metadata of the authorization server/,
  },
  {
    fault: 'metadata-names-internal-host',
    when: 'the server derives its URLs from the host behind a proxy',
    client: {
      headers: { 'x-forwarded-host': 'mcp.example.com', 'x-forwarded-proto': 'https' },
      stopsBefore: 'authorization',
    },
    missing: /authorization request/,
  },
  {
    fault: 'metadata-without-cors',
    when: 'the metadata has no CORS headers',
    plant: withoutHeader(RESOURCE, 'access-control-allow-origin'),
  },
  {
    fault: 'server-metadata-missing',
    when: 'the metadata of the authorization server is not served',
    plant: at(SERVER, 404, {}),
    missing: /metadata of the authorization server/,
  },
  {
    fault: 'server-metadata-invalid',
    when: 'the token endpoint is missing',
    plant: changed(SERVER, ({ token_endpoint: _, ...rest }) => rest),
    missing: /registration/,
  },
  {
    fault: 'issuer-mismatch',
    when: 'the issuer is another host',
    plant: changed(SERVER, (body) => ({ ...body, issuer: 'https://internal.example' })),
    missing: /registration/,
  },
  {
    fault: 'issuer-trailing-slash',
    when: 'the issuer has a slash more',
    plant: changed(SERVER, (body) => ({ ...body, issuer: `${body.issuer}/` })),
    missing: /registration/,
  },
  {
    fault: 'pkce-not-advertised',
    when: 'code_challenge_methods_supported is missing',
    plant: changed(SERVER, ({ code_challenge_methods_supported: _, ...rest }) => rest),
    missing: /registration/,
  },
  {
    fault: 'code-flow-not-advertised',
    when: 'grant_types_supported excludes the code',
    plant: changed(SERVER, (body) => ({ ...body, grant_types_supported: ['client_credentials'] })),
    missing: /registration/,
  },
  {
    fault: 'authorization-endpoint-elsewhere',
    when: 'the authorization endpoint has another origin and iss is not advertised',
    plant: changed(SERVER, (body) => ({
      ...body,
      authorization_endpoint: 'http://127.0.0.1:8787/authorize',
      authorization_response_iss_parameter_supported: false,
    })),
  },
  {
    fault: 'no-dynamic-registration',
    when: 'there are documents alone',
    plant: changed(SERVER, ({ registration_endpoint: _, ...rest }) => rest),
    missing: /registration/,
  },
  {
    fault: 'cimd-without-none',
    when: 'documents are advertised and "none" is not',
    plant: changed(SERVER, (body) => ({
      ...body,
      token_endpoint_auth_methods_supported: ['client_secret_basic'],
    })),
  },
  {
    fault: 'registration-refused',
    when: 'registrations are refused',
    plant: at('/register', 400, { error: 'invalid_redirect_uri' }),
    missing: /registration/,
  },
  {
    fault: 'registration-response-invalid',
    when: 'a registration has no redirect_uris',
    plant: changed('/register', ({ redirect_uris: _, ...rest }) => rest),
    missing: /authorization request/,
  },
  {
    fault: 'authorization-refused',
    when: 'the client asks for the resource that it has pasted, and the server knows another one',
    client: { redirectUri: 'http://127.0.0.1:53682/callback' },
    plant: (response, request) =>
      new URL(request.url).pathname === '/authorize'
        ? Response.json({ error: 'invalid_target' }, { status: 400 })
        : response,
    missing: /authorization request/,
  },
  {
    fault: 'iss-missing',
    when: 'iss is advertised and not returned',
    plant: redirected((target) => target.searchParams.delete('iss')),
    missing: /token request/,
  },
  {
    fault: 'iss-mismatch',
    when: 'iss is the internal host',
    plant: redirected((target) => target.searchParams.set('iss', 'http://localhost:8080')),
    missing: /token request/,
  },
  {
    fault: 'state-changed',
    when: 'state is lost',
    plant: redirected((target) => target.searchParams.delete('state')),
    missing: /token request/,
  },
  {
    fault: 'redirect-uri-changed',
    when: 'the response is sent to another host',
    plant: redirected((target) => {
      target.hostname = 'localhost'
    }),
    missing: /token request/,
  },
  {
    fault: 'token-request-refused',
    when: 'the token endpoint requires a secret',
    plant: at('/token', 401, { error: 'invalid_client' }),
    missing: /token request/,
  },
  {
    fault: 'token-response-invalid',
    when: 'the token has a line break',
    plant: changed('/token', (body) => ({ ...body, access_token: 'a\r\nb' })),
    missing: /request with the token/,
  },
  {
    fault: 'token-expiry-invalid',
    when: 'expires_in is a date',
    plant: changed('/token', (body) => ({ ...body, expires_in: '2030-01-01' })),
    missing: /request with the token/,
  },
  {
    fault: 'token-without-expiry',
    when: 'expires_in is missing',
    plant: changed('/token', ({ expires_in: _, ...rest }) => rest),
  },
  {
    fault: 'token-short-lived',
    when: 'the token lives an hour',
    server: { auth: { limits: { accessTtlMs: 3_600_000 } } },
  },
  {
    fault: 'token-without-refresh',
    when: 'there is no refresh token',
    plant: changed('/token', ({ refresh_token: _, ...rest }) => rest),
  },
  {
    fault: 'token-refused',
    when: 'a proxy drops the Authorization header',
    client: { losesToken: true },
    missing: /request with the token/,
  },
  {
    fault: 'token-audience-mismatch',
    when: 'the server refuses the token because it is for another URL',
    plant: changed('/token', (body) => ({
      ...body,
      access_token: tokenFor('https://internal.example/mcp'),
    })),
    missing: /request with the token/,
  },
  {
    fault: 'rate-limited',
    when: 'the first requests are refused',
    server: { app: { rateLimits: { classes: { principal: { limit: 1 } } } } },
    missing: /list/,
  },
  {
    fault: 'origin-refused',
    when: 'a browser client has an origin that is not allowed',
    client: { headers: { origin: 'http://inspector.example' } },
    missing: /401 or with a result/,
  },
  {
    fault: 'endpoint-not-found',
    when: 'the URL was pasted without its path',
    client: { pasted: 'http://localhost:8787/' },
    missing: /401 or with a result/,
  },
]

function tokenFor(audience: string): string {
  return ['{"alg":"ES256","typ":"at+jwt"}', JSON.stringify({ aud: audience }), 'signature']
    .map((part) => btoa(part).replaceAll('=', ''))
    .join('.')
}

/** Longer than a client waits with its next step. */
const LATER_MS = 30_000

describe('the timeline of a server with one fault', () => {
  it.each(ROWS)('names $fault when $when', async ({ fault, plant, server, client, missing }) => {
    const recorded = openRecorded({ plant, ...server })
    await new StrictClient(recorded, client).connect()
    advance(LATER_MS)
    const { verdict } = await recorded.connection()
    expect(verdict.findings.map(({ code }) => code)).toContain(fault)
    const finding = verdict.findings.find(({ code }) => code === fault)
    expect(finding?.answer).toMatch(/[^.\s]$/)
    const text = await recorded.control.text()
    expect(text).toContain(`\n    ${finding?.answer}.\n    docs/reference/faults.md#${fault}\n`)
    if (missing === undefined) {
      expect(verdict).toMatchObject({ state: 'connected', checked: [] })
      return
    }
    expect(verdict.state).toBe('stopped')
    expect(verdict.missing).toMatch(missing)
    expect(verdict.summary).toContain(fault)
  })

  it('names no fault of a correct server, and the client connects', async () => {
    const recorded = openRecorded()
    const walk = await new StrictClient(recorded).connect()
    expect(walk.stopped).toBeUndefined()
    advance(LATER_MS)
    const { verdict, client, steps } = await recorded.connection()
    expect(verdict).toEqual({
      state: 'connected',
      summary: 'The client connected and called.',
      findings: [],
      checked: [],
    })
    expect(client.name).toBe('strict-client')
    expect(steps.map(({ title, status }) => `${title} ${status}`)).toEqual([
      'POST 401',
      'protected resource metadata 200',
      'authorization server metadata 200',
      'registration 201',
      'authorization request 200',
      'decision of the person 303',
      'token (authorization_code) 200',
      'initialize 200',
      'notifications/initialized 202',
      'tools/list 200',
      'tools/call 200',
    ])
  })

  it('names the causes that it has checked when a client gets a token and sends nothing afterwards', async () => {
    const recorded = openRecorded()
    await new StrictClient(recorded, { stopsBefore: 'use' }).connect()
    const soon = await recorded.connection()
    expect(soon.verdict).toMatchObject({
      state: 'in-progress',
      missing: 'a request with the token',
    })
    advance(LATER_MS)
    const { verdict } = await recorded.connection()
    expect(verdict.findings).toEqual([])
    expect(verdict.summary).toContain('got a token, and a request with the token did not come')
    expect(verdict.summary).toContain('npx edgeway doctor URL')
    const checked = new Map(verdict.checked.map((cause) => [cause.code, cause]))
    expect(checked.get('resource-mismatch')).toEqual({
      code: 'resource-mismatch',
      result: 'passed',
      answer:
        'The resource is "http://localhost:8787/mcp", and the pasted URL is "http://localhost:8787/mcp"',
    })
    expect(checked.get('token-expiry-invalid')).toMatchObject({
      result: 'passed',
      answer: 'expires_in was 86400',
    })
    expect(verdict.checked.filter(({ result }) => result === 'failed')).toEqual([])
  })
})
