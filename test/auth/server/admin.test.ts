/** The admin API over HTTP and from code: who may use it, what it does, and that it may be repeated. */
// features: sessions, health

import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { type AdminOptions, admin } from '../../../packages/inspector/src/admin/index.ts'
import { embedded, external, fromContext, passphrase, verifier } from '../../../src/auth/index.ts'
import { createFullEdgeway } from '../../support/full-app.ts'
import { FullServer } from '../../support/full-server.ts'
import { ADMIN, OWNERS, open, operate, SCOPES, send, tokenFor } from './support/admin.ts'
import { AuthClient, statusWith } from './support/client.ts'
import { GUEST_PASSPHRASE, ORIGIN, openDeployment, PASSPHRASE } from './support/deployment.ts'

describe('the admin API over HTTP', () => {
  it('is not served by a server without the feature', async () => {
    const server = openDeployment()
    expect((await send(server, { operation: 'health' })).status).toBe(404)
  })

  it('serves an owner with the scope', async () => {
    const server = open()
    const token = await tokenFor(server)
    expect(await operate(server, token, { operation: 'grants', subject: 'owner' })).toEqual({
      grants: [expect.objectContaining({ resource: ADMIN, scopes: ['operate'] })],
    })
  })

  it.each([
    { operation: 'timeline' },
    { operation: 'timeline', connection: 'a' },
    { operation: 'timeline-on', minutes: '5' },
    { operation: 'timeline-off' },
  ])('answers %j with the missing option on a server without a timeline', async (body) => {
    const server = open()
    const response = await send(server, body, await tokenFor(server))
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('pass timeline() in features')
  })

  it('sends no caches a result', async () => {
    const server = open()
    const body = { operation: 'grants', subject: 'x' }
    const response = await send(server, body, await tokenFor(server))
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  it('refuses no token, an invented one, and one for the endpoint, which refuses one for it', async () => {
    const server = open()
    expect((await send(server, { operation: 'health' })).status).toBe(401)
    expect((await send(server, { operation: 'health' }, 'invented')).status).toBe(401)
    const token = await tokenFor(server, { resource: 'https://mcp.example.com/mcp', scope: 'read' })
    expect((await send(server, { operation: 'health' }, token)).status).toBe(401)
    expect(await statusWith(server, token)).toBe(200)
    expect(await statusWith(server, await tokenFor(server))).toBe(401)
  })

  it('names the scope to an owner whose token has the scope of an earlier configuration', async () => {
    const scopes = { ...SCOPES, manage: 'Manage the server' }
    const before = open({ owners: ['owner'], scope: 'manage' }, { scopes })
    const token = await tokenFor(before, { scope: 'manage' })
    const { bindings } = before
    const server = openDeployment({ scopes }, { bindings, app: { admin: admin(OWNERS) } })
    const response = await send(server, { operation: 'health' }, token)
    expect(response.status).toBe(403)
    expect(response.headers.get('www-authenticate')).toContain('scope="operate"')
  })

  it('refuses a person who is no owner and has consented to the scope', async () => {
    const server = open()
    const token = await tokenFor(server, {}, GUEST_PASSPHRASE)
    const response = await send(server, { operation: 'revoke-everyone' }, token)
    expect(response.status).toBe(403)
    expect(server.events).toContainEqual(
      expect.objectContaining({ type: 'refusal', name: 'administrator-required' }),
    )
  })

  const ORIGINS = [
    'https://mcp.example.com',
    'https://evil.example',
    'null',
    'http://localhost:3000',
  ]
  it('refuses the request of a page of any origin, and every method but POST', async () => {
    const server = open()
    const token = await tokenFor(server)
    for (const origin of ORIGINS) {
      expect((await send(server, { operation: 'health' }, token, { origin })).status).toBe(403)
    }
    const headers = { authorization: `Bearer ${token}` }
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH']) {
      expect((await server.fetch(ADMIN, { method, headers })).status).toBe(405)
    }
    const text = { 'content-type': 'text/plain' }
    expect((await send(server, { operation: 'health' }, token, text)).status).toBe(415)
  })

  it.each([
    ['no JSON', '{'],
    ['a list', '[]'],
    ['null', 'null'],
    ['no operation', '{}'],
    ['an unknown operation', '{"operation":"drop"}'],
    ['a member of the prototype', '{"operation":"toString"}'],
    ['__proto__', '{"operation":"__proto__"}'],
    ['a missing parameter', '{"operation":"revoke-person"}'],
    ['a parameter that is no text', '{"operation":"revoke-person","subject":1}'],
    ['an empty parameter', '{"operation":"revoke-person","subject":""}'],
    ['an unknown parameter', '{"operation":"health","subject":"a"}'],
    ['a flag that is no boolean', '{"operation":"rotate-keys","discard":"true"}'],
    ['a repeated key', '{"operation":"health","operation":"revoke-everyone"}'],
    ['a long parameter', `{"operation":"grants","subject":"${'a'.repeat(9000)}"}`],
  ])('refuses %s with status 400', async (_, body) => {
    const server = open()
    expect((await send(server, body, await tokenFor(server))).status).toBe(400)
  })

  it.each(['../owner', 'owner/../guest', '%2e%2e', 'owner\u0000', '__proto__'])(
    'finds nothing under the invented subject %j',
    async (subject) => {
      const server = open()
      const token = await tokenFor(server)
      expect(await operate(server, token, { operation: 'grants', subject })).toEqual({ grants: [] })
      const revoke = { operation: 'revoke-grant', subject, grant: '../../x' }
      expect(await operate(server, token, revoke)).toEqual({ revoked: false })
    },
  )

  it('refuses the grant of one person under the name of another', async () => {
    const server = open()
    const token = await tokenFor(server)
    await (await AuthClient.register(server)).tokens({ scope: 'read' }, GUEST_PASSPHRASE)
    const listed = (await operate(server, token, { operation: 'grants', subject: 'guest' })) as {
      grants: { grantId: string }[]
    }
    const grant = listed.grants[0]?.grantId ?? ''
    const wrong = { operation: 'revoke-grant', subject: 'owner', grant }
    expect(await operate(server, token, wrong)).toEqual({ revoked: false })
  })
})

const ISSUER = { issuer: 'https://idp.example.com', jwksUri: 'https://idp.example.com/keys' }

describe('createEdgeway with the feature admin()', () => {
  const scopes = { operate: 'Operate', other: 'Anything else' }
  const server = new FullServer({ name: 'notes', version: '1.0.0' })
  const login = passphrase({ people: { owner: PASSPHRASE } })
  const auth = embedded({ origin: ORIGIN, scopes, login })
  const tokensOfOthers = external({
    origin: ORIGIN,
    scopes,
    issuers: [ISSUER],
  })
  it.each([
    ['without auth', undefined, { owners: ['a'] }],
    ['beside anonymous callers', fromContext({ anonymous: true }), OWNERS],
    ['at a path without owners and scope', auth, { path: '/operate' }],
    ['with no owners', auth, { owners: [] }],
    ['with an empty owner', auth, { owners: [''] }],
    ['without a scope with embedded()', auth, { owners: ['a'] }],
    ['without a scope with external()', tokensOfOthers, { owners: ['a'] }],
    ['with a scope that no token can have', auth, { owners: ['a'], scope: 'unknown' }],
    ['with a scope that everyone can consent to', auth, { scope: 'operate' }],
    ['at the path of the endpoint', auth, { ...OWNERS, path: '/mcp' }],
    ['at a path of authorization', auth, { ...OWNERS, path: '/token' }],
    ['at the path of health', auth, { ...OWNERS, path: '/health' }],
    ['at a path with params', auth, { ...OWNERS, path: '/admin/{org}' }],
  ])('throws %s', (_, by, options: AdminOptions) => {
    const create = () =>
      createFullEdgeway(server, { ...(by && { auth: by }), admin: admin(options) })
    expect(create).toThrow(TypeError)
  })

  it('says what to write when the scope is missing', () => {
    expect(() => createFullEdgeway(server, { auth, admin: admin({ owners: ['owner'] }) })).toThrow(
      "admin needs a scope of its own, so that the consent for another one is never access to it: admin({ owners, scope: 'operate' }) and embedded({ scopes: { operate: 'Operate the server', … } })",
    )
  })

  it.each([
    ['includes another scope', { operate: { description: 'Operate', includes: ['read'] } }],
    ['is included by another scope', { all: { description: 'All', includes: ['operate'] } }],
    [
      'is included by another scope through a third one',
      {
        all: { description: 'All', includes: ['most'] },
        most: { description: 'Most', includes: ['operate'] },
      },
    ],
  ])('throws for a scope that %s, with embedded() and external()', (_, changes) => {
    const wrong = { read: 'Read', operate: 'Operate', ...changes }
    for (const by of [
      embedded({ origin: ORIGIN, scopes: wrong, login }),
      external({ origin: ORIGIN, scopes: wrong, issuers: [ISSUER] }),
    ]) {
      expect(() => createFullEdgeway(server, { auth: by, admin: admin(OWNERS) })).toThrow(
        'The scope "operate" is for its own resource alone',
      )
    }
  })

  it('throws for a scope that a tool needs too', () => {
    const shared = new FullServer({ name: 'notes', version: '1.0.0' })
    shared.registerTool('restart', { inputSchema: {}, scopes: ['operate'] }, async () => 'done')
    for (const by of [auth, tokensOfOthers]) {
      expect(() => createFullEdgeway(shared, { auth: by, admin: admin(OWNERS) })).toThrow(
        'Tool "restart" needs the scope "operate", which is that of the admin API alone',
      )
    }
  })

  it('throws for settings without the function that brings the code', () => {
    const settings = { owners: ['a'] } as never
    expect(() => createFullEdgeway(server, { auth, admin: settings })).toThrow(
      'features must be a list of values like sessions() and tasks()',
    )
  })

  it('serves nothing over HTTP without owners and scope', async () => {
    const edgeway = createFullEdgeway(server, { auth, admin: admin() })
    const request = new Request(ADMIN, { method: 'POST', body: '{"operation":"health"}' })
    expect((await edgeway.fetch(request, env, createExecutionContext())).status).toBe(404)
  })

  it('accepts a scope alone where scopesOf decides who may have it', () => {
    const admitted = embedded({ origin: ORIGIN, scopes, login, scopesOf: () => ['operate'] })
    expect(() =>
      createFullEdgeway(server, { auth: admitted, admin: admin({ scope: 'operate' }) }),
    ).not.toThrow()
  })

  it('makes no token for the admin API of a client that names no resource, at paths with params', async () => {
    const factory = () => server
    const only = openDeployment(
      { scopes: SCOPES },
      { factory, app: { path: '/{org}/mcp', httpSse: false, admin: admin(OWNERS) } },
    )
    const client = await AuthClient.register(only)
    expect((await client.authorize()).status).not.toBe(200)
  })

  it('serves the callers of a verifier', async () => {
    const edgeway = createFullEdgeway(server, {
      auth: verifier((request) => ({ subject: request.headers.get('authorization') ?? '' })),
      admin: admin({ owners: ['root'] }),
    })
    const status = async (authorization: string) => {
      const request = new Request(ADMIN, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization },
        body: '{"operation":"sessions","subject":"ada"}',
      })
      return (await edgeway.fetch(request, env, createExecutionContext())).status
    }
    expect(await status('root')).toBe(200)
    expect(await status('ada')).toBe(403)
  })
})

describe('edgeway.admin(env)', () => {
  const server = new FullServer({ name: 'plain', version: '1.0.0' })
  const plain = createFullEdgeway(server, { admin: admin() })

  it('cannot revoke on a server that issues no tokens, and says where to do it', async () => {
    await expect(plain.admin(env as never).revokeEveryone()).rejects.toThrow(
      'where they are issued',
    )
  })

  it.each(['', 1, undefined, null, {}])('rejects the subject %j', async (subject) => {
    await expect(plain.admin(env as never).deletePerson(subject as string)).rejects.toThrow(
      'subject must be a text',
    )
  })
})
