/** Which web pages may use the endpoint of a server with each kind of authorization. */

import { createExecutionContext } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { fromContext, verifier } from '../../src/auth/index.ts'
import { openDeployment, RESOURCE } from '../auth/server/support/deployment.ts'
import { createFullEdgeway, type FullOptions } from '../support/full-app.ts'
import { FullServer } from '../support/full-server.ts'
import { modernRequest } from '../support/test-app.ts'

const ORIGIN = 'https://mcp.example.com'
const FOREIGN = 'https://evil.example'

const FORGED = ['https://evil.example', 'null', 'http://localhost:8787', `${ORIGIN}.evil.example`]

const SUBJECT = () => ({ subject: 'ada' })

const KINDS: Readonly<Record<string, FullOptions>> = {
  'no authorization': {},
  'verifier() with a header': { auth: verifier(SUBJECT) },
  'verifier() with another header': {
    auth: verifier(SUBJECT, { credentials: { header: 'Cf-Access-Jwt-Assertion' } }),
  },
  'verifier() with a cookie': { auth: verifier(SUBJECT, { credentials: { cookie: 'sid' } }) },
  'fromContext()': { auth: fromContext() },
  'fromContext() with anonymous callers': { auth: fromContext({ anonymous: true }) },
}

function open(kind: string, options: FullOptions = {}) {
  const server = new FullServer({ name: 's', version: '1' }).registerTool('run', {}, () => 'ran')
  const edgeway = createFullEdgeway(server, {
    telemetry: () => undefined,
    ...KINDS[kind],
    ...options,
  })
  return async (headers: Record<string, string | null>, front: object = {}) => {
    const { body, headers: own } = modernRequest('tools/call', { name: 'run' })
    const sent = new Headers()
    const all = {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...own,
      authorization: 'Bearer token',
      'cf-access-jwt-assertion': 'token',
      cookie: 'sid=token',
      ...headers,
    }
    for (const [name, value] of Object.entries(all)) if (value !== null) sent.set(name, value)
    // Bytes have no type of their own.
    const bytes = new TextEncoder().encode(JSON.stringify(body))
    const request = new Request(`${ORIGIN}/mcp`, { method: 'POST', headers: sent, body: bytes })
    const ctx = Object.assign(Object.create(createExecutionContext()), front)
    return edgeway.fetch(request, {}, ctx)
  }
}

const ADA = { props: { login: 'ada' }, auth: { userId: 'ada' } }

describe('a web page of another origin', () => {
  it.each(['no authorization', 'verifier() with a cookie', 'fromContext() with anonymous callers'])(
    'may not use the endpoint with %s',
    async (kind) => {
      const send = open(kind)
      for (const origin of FORGED) {
        for (const front of [{}, ADA]) {
          const response = await send({ origin }, front)
          expect([origin, response.status]).toEqual([origin, 403])
          expect(response.headers.get('access-control-allow-origin')).toBeNull()
        }
      }
      expect((await send({ origin: ORIGIN }, ADA)).status).toBe(200)
      expect((await send({}, ADA)).status).toBe(200)
    },
  )

  it.each(['no authorization', 'verifier() with a cookie', 'fromContext() with anonymous callers'])(
    'may use the endpoint with %s if it is listed',
    async (kind) => {
      const send = open(kind, { allowedOrigins: [FOREIGN] })
      const response = await send({ origin: FOREIGN }, ADA)
      expect(response.status).toBe(200)
      expect(response.headers.get('access-control-allow-origin')).toBe(FOREIGN)
      expect((await send({ origin: 'https://other.example' }, ADA)).status).toBe(403)
    },
  )

  it.each(['verifier() with a header', 'verifier() with another header', 'fromContext()'])(
    'may use the endpoint with %s, for which it needs a token',
    async (kind) => {
      const response = await open(kind)({ origin: FOREIGN }, ADA)
      expect(response.status).toBe(200)
      expect(response.headers.get('access-control-allow-credentials')).toBeNull()
    },
  )

  it('may use the endpoint with embedded(), for which it needs a token', async () => {
    const headers = { origin: FOREIGN, 'content-type': 'application/json' }
    const server = openDeployment()
    const response = await server.fetch(RESOURCE, { method: 'POST', headers, body: '{}' })
    expect(response.status).toBe(401)
    expect(response.headers.get('access-control-allow-origin')).toBe(FOREIGN)
  })

  // Access and other proxies turn a cookie into a header, so the request of a page may have it.
  it.each([
    'verifier() with another header',
    'verifier() with a cookie',
    'fromContext()',
    'fromContext() with anonymous callers',
  ])('cannot send a POST without asking first to %s', async (kind) => {
    const send = open(kind)
    for (const type of [null, 'text/plain', 'application/x-www-form-urlencoded']) {
      const response = await send({ origin: ORIGIN, 'content-type': type }, ADA)
      expect([type, response.status]).toEqual([type, 415])
    }
    const site = { 'sec-fetch-site': 'cross-site' }
    expect((await send(site, ADA)).status).toBe(403)
  })
})

/** What a page may send after its preflight, as a browser decides it. */
async function allowedHeaders(
  options: FullOptions,
  requested: string,
): Promise<readonly string[] | undefined> {
  const server = new FullServer({ name: 's', version: '1' })
  const edgeway = createFullEdgeway(server, { telemetry: () => undefined, ...options })
  const headers = {
    origin: ORIGIN,
    'access-control-request-method': 'POST',
    'access-control-request-headers': requested,
  }
  const request = new Request(`${ORIGIN}/mcp`, { method: 'OPTIONS', headers })
  const response = await edgeway.fetch(request, {}, createExecutionContext())
  if (response.status !== 204) return undefined
  return response.headers.get('access-control-allow-headers')?.split(', ')
}

const OF_THE_PROTOCOL = [
  ...['authorization', 'dpop', 'content-type', 'accept', 'mcp-protocol-version', 'mcp-session-id'],
  ...['mcp-method', 'mcp-name', 'last-event-id'],
]

describe('the preflight of an allowed page', () => {
  const KEY = { auth: verifier(SUBJECT, { credentials: { header: 'X-Api-Key' } }) }
  const COOKIE = { auth: verifier(SUBJECT, { credentials: { cookie: 'sid' } }) }
  const ASKED = 'traceparent, X-Custom,mcp-param-region'
  const ECHOED = ['traceparent', 'x-custom', 'mcp-param-region']

  it.each<[string, FullOptions, string, readonly string[]]>([
    ['nothing but the protocol', {}, '', []],
    ['the header of a verifier(), unasked', KEY, '', ['x-api-key']],
    ['the header of a verifier() once', KEY, 'x-api-key', ['x-api-key']],
    ['what it asks for without authorization', {}, ASKED, ECHOED],
    ['what it asks for with a verifier()', KEY, ASKED, ['x-api-key', ...ECHOED]],
    ['what it asks for with fromContext()', { auth: fromContext() }, ASKED, ECHOED],
    ['headers of parameters only, where cookies are sent', COOKIE, ASKED, ['mcp-param-region']],
    ['each character of a name', {}, "a!#$%&'*+-.^_`|~0", ["a!#$%&'*+-.^_`|~0"]],
    ['never all headers', {}, '*, x-a', ['x-a']],
    ['no text that is not a name', {}, 'x a, x:b, b@d, "x", , x-a', ['x-a']],
    ['no name longer than 128 characters', {}, `x${'a'.repeat(128)}, x-a`, ['x-a']],
  ])('allows %s', async (_, options, requested, more) => {
    const allowed = await allowedHeaders(options, requested)
    expect(allowed).toEqual([...OF_THE_PROTOCOL, ...more])
  })

  it('allows at most 100 requested headers', async () => {
    const names = Array.from({ length: 150 }, (_, index) => `x-${index}`)
    const allowed = await allowedHeaders({}, names.join(','))
    expect(allowed).toEqual([...OF_THE_PROTOCOL, ...names.slice(0, 100)])
  })
})
