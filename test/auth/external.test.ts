/** The subjects of `external()`, as a handler sees them. */
// features: sessions

import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ExternalOptions, external } from '../../src/auth/index.ts'
import type { TelemetryEvent } from '../../src/telemetry/index.ts'
import { createFullEdgeway } from '../support/full-app.ts'
import { FullServer } from '../support/full-server.ts'
import { createPair, type SigningPair, sign } from './resource/issuer.ts'
import { interceptOutbound } from './server/support/outbound.ts'

type Issuer = ExternalOptions['issuers'][number]

const ORIGIN = 'https://mcp.example.com'
const ONE = 'https://one.example'
const TWO = 'https://two.example/tenant'

let pair: SigningPair
beforeAll(async () => {
  pair = await createPair('key-1')
})

function open(...issuers: readonly Issuer[]) {
  interceptOutbound(() => Response.json({ keys: [pair.jwk] }))
  const events: TelemetryEvent[] = []
  const server = new FullServer({ name: 'notes', version: '1.0.0' })
  server.registerTool('whoami', {}, ({ auth }) => auth?.subject ?? '')
  const { fetch } = createFullEdgeway(server, {
    telemetry: (event) => events.push(event),
    auth: external({
      origin: ORIGIN,
      scopes: {},
      issuers: issuers.map((issuer) => ({ jwksUri: `${issuer.issuer}/keys`, ...issuer })),
    }),
  })
  const call = async (iss: string, sub: string) => {
    const seconds = Math.floor(Date.now() / 1000)
    const claims = { iss, sub, aud: `${ORIGIN}/mcp`, client_id: 'c', iat: seconds }
    const token = await sign(pair, { ...claims, exp: seconds + 300, email: `${sub}@x.example` })
    const request = new Request(`${ORIGIN}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami"}}',
    })
    return fetch(request, {}, createExecutionContext())
  }
  const subject = async (iss: string, sub: string) => {
    const { result } = await (await call(iss, sub)).json<{
      result: { content: { text: string }[] }
    }>()
    return result.content[0]?.text
  }
  return { call, subject, events }
}

describe('the subject of an external token', () => {
  it('is sub where one issuer is configured', async () => {
    expect(await open({ issuer: ONE }).subject(ONE, '1001')).toBe('1001')
  })

  it('names the issuer where several are configured, so that the same sub is two people', async () => {
    const { subject } = open({ issuer: ONE }, { issuer: TWO })
    expect(await subject(ONE, '1001')).toBe('https://one.example#1001')
    expect(await subject(TWO, '1001')).toBe('https://two.example/tenant#1001')
    // The first # ends the issuer also where the subject contains one.
    expect(await subject(ONE, `1#${TWO}#1001`)).toBe(`https://one.example#1#${TWO}#1001`)
  })

  it('is what the author makes of the claims of that issuer', async () => {
    const { subject } = open({ issuer: ONE, subject: ({ email }) => `${email}` }, { issuer: TWO })
    expect(await subject(ONE, '1001')).toBe('1001@x.example')
    expect(await subject(TWO, '1001')).toBe('https://two.example/tenant#1001')
  })

  it.each([
    ['nothing', () => undefined],
    ['an empty text', () => ''],
    ['a number', () => 1001],
    ['a promise', async () => '1001'],
    ['a text of 256 characters', () => 'x'.repeat(256)],
  ])('makes the answer 503 when the author returns %s', async (_, subject) => {
    const { call, events } = open({ issuer: ONE, subject: subject as unknown as () => string })
    expect((await call(ONE, '1001')).status).toBe(503)
    expect(events).toEqual([{ type: 'internal-error', error: expect.any(TypeError) }])
  })
})

describe('the transport of 2024-11-05 on a server whose paths all have params', () => {
  it.each([
    ['/sse/acme', 'GET', '/sse/acme'],
    ['/sse/a@b', 'GET', '/sse/a@b'],
    ['/messages/a@b?sessionId=x', 'POST', '/sse/a@b'],
  ])('is a resource at %s', async (path, method, resource) => {
    const { fetch } = createFullEdgeway(() => new FullServer({ name: 'x', version: '1' }), {
      info: { name: 'notes', version: '1.0.0' },
      path: '/mcp/{org}',
      telemetry: () => undefined,
      auth: external({
        origin: ORIGIN,
        scopes: {},
        issuers: [{ issuer: ONE, jwksUri: `${ONE}/keys` }],
      }),
    })
    const bindings = { MCP_OBJECTS: env.MCP_OBJECTS }
    const request = (url: string) => new Request(`${ORIGIN}${url}`, { method })
    const response = await fetch(request(path), bindings, createExecutionContext())
    expect(response.status).toBe(401)
    const metadata = `${ORIGIN}/.well-known/oauth-protected-resource${resource}`
    expect(response.headers.get('www-authenticate')).toContain(`"${metadata}"`)
    const document = await fetch(new Request(metadata), bindings, createExecutionContext())
    expect(await document.json()).toMatchObject({ resource: `${ORIGIN}${resource}` })
  })
})
