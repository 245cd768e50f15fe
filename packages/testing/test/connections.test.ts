/** Accounts at other services in tests: those that `connect` connects, and the service that a test plays. */
// features: connections
import { describe, expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import { connections, oauth, signInWith } from '../../../src/features/connections/index.ts'
import { createServer } from '../../../src/index.ts'
import {
  type AccountService,
  type AccountServiceOptions,
  accept,
  connect,
  createAccountService,
  createClock,
  decline,
  type TestConnections,
} from '../src/index.ts'

function play(options?: AccountServiceOptions): AccountService {
  const service = createAccountService(options).listen()
  onTestFinished(() => service.close())
  return service
}

/** A server whose tool acts at the service. */
function createTracker(service: AccountService) {
  const slack = oauth({ name: 'Slack', ...service.oauth, scopes: ['read'] })
  const uses = [connections({ slack })] as const
  const server = createServer({ name: 'x', version: '1', uses })
  server.registerTool('me', { connection: 'slack' }, async (ctx) => {
    const { account, fetch } = await ctx.connect('slack')
    return `${account.id} ${(await fetch(`${service.url}/me`)).status}`
  })
  server.registerTool(
    'write',
    { connection: 'slack', inputSchema: z.object({ text: z.string() }) },
    async (_, ctx) => (await ctx.connect('slack', { scopes: ['write'] })).account.id,
  )
  return server
}

describe('connect with connections', () => {
  it('connects an account, with which a tool acts at once', async () => {
    const service = play()
    const client = await connect(createTracker(service), {
      connections: { slack: service.connected() },
    })
    expect((await client.callTool('me')).text).toBe('ada 200\nAccount used: Slack: ada')
    expect(service.requests.map(({ part, token }) => [part, token])).toEqual([
      ['api', expect.stringContaining('access-ada-')],
    ])
  })

  const WORK = { id: 'u1', label: 'work' }
  const HOME = { id: 'u2', label: 'home' }

  it.each<[what: string, accounts: TestConnections, args: object, text: string]>([
    ['one account', { slack: { label: 'work' } }, {}, 'work'],
    ['the one that an argument names', { slack: [WORK, HOME] }, { account: 'home' }, 'u2'],
    ['the one that the person prefers', { slack: [WORK, { ...HOME, isDefault: true }] }, {}, 'u2'],
    ['none of several', { slack: [WORK, HOME] }, {}, 'several Slack accounts: "work", "home"'],
    ['none of an unknown label', { slack: WORK }, { account: 'eve' }, 'no such Slack account'],
    [
      'none of two with one label',
      { slack: [WORK, { label: 'work' }] },
      { account: 'work' },
      'Two',
    ],
  ])('uses %s', async (_, accounts, args, text) => {
    const client = await connect(createTracker(play()), { connections: accounts, capabilities: {} })
    expect((await client.callTool('write', { text: '', ...args })).text).toContain(text)
  })

  it('serves a server whose people sign in by a login of their own, and a factory', async () => {
    const service = play()
    const slack = oauth({ name: 'Slack', ...service.oauth })
    const feature = connections({ slack }, { signIn: signInWith({ login: slack }) })
    const factory = () => {
      const server = createServer({ name: 'x', version: '1', uses: [feature] })
      return server.registerTool('me', {}, async (ctx) => (await ctx.connect('slack')).account.id)
    }
    const accounts = { slack: service.connected() }
    const client = await connect(factory, { features: [feature], connections: accounts })
    expect((await client.callTool('me')).text).toContain('ada')
  })

  it('lists the labels of a caller with several accounts', async () => {
    const client = await connect(createTracker(play()), { connections: { slack: [WORK, HOME] } })
    expect(JSON.stringify(await client.listTools())).toContain('one of \\"work\\", \\"home\\"')
  })

  it.each([
    ['for none', {}, 'me', decline, 'has not connected Slack'],
    [
      'for further scopes',
      { slack: { label: 'a', scopes: ['read'] } },
      'write',
      decline,
      'has not',
    ],
    ['for an account that the page does not connect', {}, 'me', accept(), 'not connected in time'],
  ] as const)('asks %s', async (_, accounts, tool, answer, text) => {
    const client = await connect(createTracker(play()), { connections: accounts, elicit: [answer] })
    expect((await client.callTool(tool, { text: '' })).text).toContain(text)
    expect(client.asks).toHaveLength(1)
  })

  it('refuses connections for an app, which has its own', async () => {
    const app = { fetch: () => new Response() }
    // @ts-expect-error an app takes no connections
    await expect(connect(app, { connections: {} })).rejects.toThrow(
      'connections and options belong',
    )
  })
})

describe('a played service', () => {
  function codeOf(service: AccountService): URL {
    const query = {
      redirect_uri: 'https://mcp.example.com/callback',
      state: 'state-1',
      // Of the verifier `verifier`.
      code_challenge: 'iMnq5o6zALKXGivsnlom_0F5_WYda32GHkxlV7mq7hQ',
      scope: 'read',
    }
    const url = `${service.oauth.endpoints.authorization}?${new URLSearchParams(query)}`
    return new URL(service.visit(url))
  }

  const exchange = async (service: AccountService, fields: Record<string, string>) => {
    const body = new URLSearchParams(fields)
    const response = await fetch(service.oauth.endpoints.token, { method: 'POST', body })
    return { status: response.status, body: (await response.json()) as Record<string, string> }
  }

  const redeem = async (service: AccountService, changes: Record<string, string> = {}) => {
    const code = codeOf(service).searchParams.get('code') ?? ''
    return exchange(service, {
      grant_type: 'authorization_code',
      code,
      code_verifier: 'verifier',
      redirect_uri: 'https://mcp.example.com/callback',
      ...changes,
    })
  }

  const renew = (service: AccountService, refreshToken = '') =>
    exchange(service, { grant_type: 'refresh_token', refresh_token: refreshToken })

  const me = async (service: AccountService, token = '') => {
    const headers = { authorization: `Bearer ${token}` }
    return (await fetch(`${service.url}/me`, { headers })).status
  }

  it('returns with state and issuer, and with access_denied when it refuses', async () => {
    const service = play()
    service.answer('authorization', 'accept', 'refuse')
    const { searchParams } = codeOf(service)
    expect([searchParams.get('state'), searchParams.get('iss')]).toEqual(['state-1', service.url])
    expect(codeOf(service).searchParams.get('error')).toBe('access_denied')
  })

  it.each([
    ['another verifier', { code_verifier: 'other' }],
    ['another redirect URI', { redirect_uri: 'https://evil.example.org/' }],
    ['another code', { code: 'code-2' }],
  ])('redeems no code with %s', async (_, changes) => {
    expect((await redeem(play(), changes)).status).toBe(400)
  })

  it.each([
    ['rotates refresh tokens', {}, 400],
    ['accepts an earlier refresh token for a time', { graceSeconds: 30 }, 200],
    ['keeps a refresh token where it does not rotate', { rotates: false }, 200],
  ])('%s', async (_, rules, status) => {
    const service = play(rules)
    const { body } = await redeem(service)
    const renewed = await renew(service, body.refresh_token)
    expect(await me(service, renewed.body.access_token)).toBe(200)
    expect((await renew(service, body.refresh_token)).status).toBe(status)
  })

  it('ends tokens after their time, and those of an account that has ended', async () => {
    const clock = createClock()
    onTestFinished(() => clock.restore())
    const service = play({ expiresInSeconds: 60, accounts: ['ada', { id: 'u2', label: 'bob' }] })
    const { body } = await redeem(service)
    clock.advance(61_000)
    expect(await me(service, body.access_token)).toBe(401)
    service.account = 'bob'
    const bob = await redeem(service)
    expect(await me(service, bob.body.access_token)).toBe(200)
    service.end('bob')
    expect(await me(service, bob.body.access_token)).toBe(401)
    expect((await renew(service, body.refresh_token)).status).toBe(200)
  })

  it('fails as it is instructed, one answer for each request', async () => {
    const service = play()
    service.answer('token', { status: 503, body: '{}' }, 'refuse', { members: { scope: 'less' } })
    expect((await redeem(service)).status).toBe(503)
    expect((await redeem(service)).body).toEqual({ error: 'invalid_grant' })
    expect((await redeem(service)).body.scope).toBe('less')
    service.answer('api', 'unreachable', { afterMs: 1 })
    const token = service.connected().token
    await expect(me(service, token)).rejects.toThrow('cannot be reached')
    expect(await me(service, token)).toBe(200)
    service.answer('api', 'hang')
    const hanging = me(service, token)
    service.close()
    await expect(hanging).rejects.toThrow('does not answer')
  })

  it('has metadata, and a page at which a browser chooses an account', async () => {
    const service = play({ url: 'https://a.example/tracker', accounts: ['ada', 'bob'] })
    const metadata = await fetch('https://a.example/.well-known/oauth-authorization-server/tracker')
    expect(await metadata.json()).toMatchObject({ issuer: service.url })
    const url = `${service.oauth.endpoints.authorization}?redirect_uri=https%3A%2F%2Fa.example%2F`
    const page = await (await fetch(url)).text()
    const [, bob = ''] = /<a href="([^"]*)">Continue as bob/.exec(page) ?? []
    const sent = await fetch(new URL(bob.replaceAll('&amp;', '&'), url), { redirect: 'manual' })
    expect(sent.headers.get('location')).toMatch(/^https:\/\/a\.example\/\?code=/)
  })
})
