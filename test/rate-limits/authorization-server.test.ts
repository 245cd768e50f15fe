import { describe, expect, it } from 'vitest'
import { type EmbeddedOptions, oidc } from '../../src/auth/index.ts'
import type { RateLimitOptions } from '../../src/features/rate-limits/index.ts'
import { expectPageHeaders, refusalOf } from '../auth/server/support/answers.ts'
import { Browser, formOf, type Page } from '../auth/server/support/browser.ts'
import { AuthClient, postForm } from '../auth/server/support/client.ts'
import {
  advance,
  type Bindings,
  createBindings,
  type Deployment,
  ORIGIN,
  openDeployment,
  PASSPHRASE,
} from '../auth/server/support/deployment.ts'
import { interceptOutbound } from '../auth/server/support/outbound.ts'
import { answerCalls } from '../auth/server/support/scoped-objects.ts'
import { from, limitClassesOf } from './limited-server.ts'

const HERE = '192.0.2.1'
const ELSEWHERE = '192.0.2.2'
const OVER = { status: 429, error: 'temporarily_unavailable' }

interface Options {
  readonly auth?: Partial<EmbeddedOptions>
  readonly bindings?: Bindings
}

function open(
  classes: RateLimitOptions['classes'],
  { auth, bindings = createBindings() }: Options = {},
): Deployment {
  return openDeployment(auth, { app: { rateLimits: { classes } }, bindings })
}

function register(server: Deployment, address: string, metadata: object = {}): Promise<Response> {
  return server.fetch(`${ORIGIN}/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...from(address) },
    body: JSON.stringify({
      client_name: 'A client',
      redirect_uris: ['https://client.example/callback'],
      token_endpoint_auth_method: 'none',
      ...metadata,
    }),
  })
}

async function statuses(send: () => Promise<{ readonly status: number }>, count: number) {
  const all: number[] = []
  for (let time = 0; time < count; time += 1) all.push((await send()).status)
  return all
}

function expectTooManyPage(page: Page, seconds = '60'): void {
  expect([page.status, page.location]).toEqual([429, null])
  expect(page.headers.get('retry-after')).toBe(seconds)
  expectPageHeaders(page)
  expect(page.html).toContain(`Try again in ${seconds} seconds`)
}

describe('/register', () => {
  it('refuses an app above the limit with an OAuth error, Retry-After and an event', async () => {
    const server = open({ register: { limit: 2, periodSeconds: 10 } })
    expect(await statuses(() => register(server, HERE), 2)).toEqual([201, 201])
    const response = await register(server, HERE)
    // The limit allows one each five seconds.
    expect(response.headers.get('retry-after')).toBe('5')
    expect(await refusalOf(response)).toEqual(OVER)
    expect(server.events).toEqual([
      {
        type: 'refusal',
        name: 'temporarily_unavailable',
        status: 429,
        limitClass: 'register',
        message: 'Too many requests came from your network. Try again in 5 seconds',
      },
    ])
    advance(10_000)
    expect((await register(server, HERE)).status).toBe(201)
  })

  it('allows other apps of the network, and the app in other networks', async () => {
    const server = open({ register: { limit: 1 } })
    expect(await statuses(() => register(server, HERE), 2)).toEqual([201, 429])
    const others = [
      { client_name: 'Another client' },
      { redirect_uris: ['https://other.example/callback'] },
      { redirect_uris: ['http://localhost/callback'] },
      { redirect_uris: ['cursor://anysphere.cursor-mcp/oauth/callback'] },
    ]
    for (const metadata of others) {
      expect((await register(server, HERE, metadata)).status).toBe(201)
    }
    expect((await register(server, ELSEWHERE)).status).toBe(201)
  })

  it('counts the port of a loopback redirect URI as the same app', async () => {
    const server = open({ register: { limit: 1 } })
    const at = (port: number) => ({ redirect_uris: [`http://127.0.0.1:${port}/callback`] })
    expect((await register(server, HERE, at(5000))).status).toBe(201)
    expect((await register(server, HERE, at(5001))).status).toBe(429)
  })

  it('bounds all apps of a network together', async () => {
    const server = open({ network: { limit: 3 } })
    const found: number[] = []
    for (let app = 0; app < 4; app += 1) {
      found.push((await register(server, HERE, { client_name: `App ${app}` })).status)
    }
    expect(found).toEqual([201, 201, 201, 429])
    expect(limitClassesOf(server)).toEqual(['network'])
  })

  it.each([
    ['no JSON object', '[]'],
    ['an empty object', '{}'],
    ['redirect URIs that are no list', '{"redirect_uris":"https://a.example"}'],
    ['a redirect URI that is no URL', '{"redirect_uris":["a b"]}'],
    ['a redirect URI that is no text', '{"redirect_uris":[{}],"client_name":5}'],
  ])('counts %s, which it refuses', async (_, body) => {
    const server = open({ register: { limit: 1 } })
    const headers = { 'content-type': 'application/json', ...from(HERE) }
    const send = () => server.fetch(`${ORIGIN}/register`, { method: 'POST', headers, body })
    expect(await statuses(send, 2)).toEqual([400, 429])
  })

  it('counts the registrations of a hosted network in the class of hosted networks', async () => {
    const server = open({ register: { limit: 1 }, 'hosted-network': { limit: 4 } })
    const found = await statuses(() => register(server, '160.79.104.9'), 3)
    expect(found).toEqual([201, 201, 429])
    expect(limitClassesOf(server)).toEqual(['hosted-network'])
  })

  it('has no limit for a client on this computer', async () => {
    const server = open({ register: { limit: 1 }, network: { limit: 1 } })
    expect(await statuses(() => register(server, '127.0.0.1'), 3)).toEqual([201, 201, 201])
  })
})

describe('/token', () => {
  it('shares its limit with /revoke and /introspect, and refuses with an OAuth error', async () => {
    const server = open({ token: { limit: 3 } })
    const client = await AuthClient.register(server)
    const { refresh } = await client.tokens()
    const headers = from(HERE)
    expect((await client.refresh('made-up', {}, headers)).status).toBe(400)
    expect((await client.post('/revoke', { token: 'made-up' }, headers)).status).toBe(200)
    expect((await client.post('/introspect', { token: 'made-up' }, headers)).status).toBe(401)
    for (const path of ['/token', '/revoke', '/introspect']) {
      const response = await postForm(server, path, {}, headers)
      expect(response.headers.get('retry-after')).toBe('20')
      expect(await refusalOf(response)).toEqual(OVER)
    }
    expect((await client.refresh(refresh, {}, headers)).status).toBe(429)
    expect((await client.refresh(refresh, {}, from(ELSEWHERE))).status).toBe(200)
    expect(limitClassesOf(server)).toEqual(['token', 'token', 'token', 'token'])
  })

  it('neither redeems the refresh token nor the code of a request above the limit', async () => {
    const server = open({ token: { limit: 1 } })
    const client = await AuthClient.register(server)
    const code = await client.code()
    await client.refresh('made-up', {}, from(HERE))
    expect((await client.redeem(code, {}, from(HERE))).status).toBe(429)
    expect((await client.redeem(code)).status).toBe(200)
  })
})

describe('/authorize', () => {
  it('shows a page without a redirect above the limit, which its forms and the account share', async () => {
    const server = open({ authorize: { limit: 3 } })
    const client = await AuthClient.register(server)
    const browser = new Browser(server)
    const consent = await browser.get(client.authorizePath(), from(HERE))
    expect(consent.status).toBe(200)
    expect((await browser.get('/account', from(HERE))).status).toBe(200)
    expect((await browser.post('/authorize/decision', {}, from(HERE))).status).toBe(403)
    const paths = ['/authorize/decision', '/account/disconnect', '/login', '/logout']
    for (const path of paths) expectTooManyPage(await browser.post(path, {}, from(HERE)), '20')
    for (const path of ['/account', '/authorize/callback', client.authorizePath()]) {
      expectTooManyPage(await browser.get(path, from(HERE)), '20')
    }
    expect(limitClassesOf(server)).toEqual(Array(7).fill('authorize'))
    const page = await browser.decide(consent, 'approve', { passphrase: PASSPHRASE })
    expect(page.status).toBe(303)
  })
})

describe('signing in', () => {
  const enter = async (server: Deployment, passphrase: string, address: string) => {
    const browser = new Browser(server)
    const { csrf } = formOf(await browser.get('/account'))
    return browser.post('/login', { csrf, passphrase }, from(address))
  }

  it('is refused above the limit of the network, also with the right passphrase', async () => {
    const server = open({ 'sign-in': { limit: 2, periodSeconds: 10 } })
    expect((await enter(server, 'wrong', HERE)).status).toBe(401)
    expect((await enter(server, PASSPHRASE, HERE)).status).toBe(303)
    expectTooManyPage(await enter(server, PASSPHRASE, HERE), '5')
    expect((await enter(server, PASSPHRASE, ELSEWHERE)).status).toBe(303)
    advance(10_000)
    expect((await enter(server, PASSPHRASE, HERE)).status).toBe(303)
    expect(limitClassesOf(server)).toEqual(['sign-in'])
  })

  it('is refused on the consent page too', async () => {
    const server = open({ 'sign-in': { limit: 1 } })
    const client = await AuthClient.register(server)
    await enter(server, 'wrong', HERE)
    const browser = new Browser(server)
    const page = await client.authorize(browser)
    const fields = {
      ...formOf(page),
      decision: 'approve',
      confirmed: 'yes',
      passphrase: PASSPHRASE,
    }
    expectTooManyPage(await browser.post('/authorize/decision', fields, from(HERE)))
  })

  it('above the limit does not reach the object that counts wrong passphrases', async () => {
    const bindings = createBindings()
    let calls = 0
    const counted = answerCalls(bindings, ({ kind }, next) => {
      if (kind === 'account' || kind === 'throttle') calls += 1
      return next()
    })
    const server = open({ 'sign-in': { limit: 1 } }, { bindings: counted })
    await enter(server, 'wrong', HERE)
    const before = calls
    for (let time = 0; time < 5; time += 1) {
      expect((await enter(server, 'wrong', HERE)).status).toBe(429)
    }
    expect(calls).toBe(before)
  })

  it('at a provider is refused above the limit, before the provider is asked', async () => {
    const asked = interceptOutbound(() =>
      Response.json({
        issuer: 'https://login.example',
        authorization_endpoint: 'https://login.example/authorize',
        token_endpoint: 'https://login.example/token',
        jwks_uri: 'https://login.example/jwks',
      }),
    )
    const login = oidc({ issuer: 'https://login.example', clientId: 'id', clientSecret: 'secret' })
    const server = open({ 'sign-in': { limit: 1 } }, { auth: { login } })
    expect((await enter(server, '', HERE)).status).toBe(303)
    const requests = asked.length
    expectTooManyPage(await enter(server, '', HERE))
    expect(asked.length).toBe(requests)
  })
})

describe('client documents', () => {
  const idOf = (name: string) => `https://${name}.example/client.json`

  function publish() {
    return interceptOutbound((url) =>
      Response.json({
        client_id: url,
        client_name: 'A client',
        redirect_uris: ['https://client.example/callback'],
        token_endpoint_auth_method: 'none',
      }),
    )
  }

  it('are not fetched above the limit of a network, and known ones are used', async () => {
    const asked = publish()
    const server = open({ 'client-documents': { limit: 2 } })
    const connect = (name: string, address = HERE) =>
      new Browser(server).get(new AuthClient(server, idOf(name)).authorizePath(), from(address))
    expect((await connect('a')).status).toBe(200)
    expect((await connect('b')).status).toBe(200)
    expectTooManyPage(await connect('c'), '30')
    expect((await connect('a')).status).toBe(200)
    expect(asked).toEqual([idOf('a'), idOf('b')])
    expect((await connect('c', ELSEWHERE)).status).toBe(200)
    expect((await connect('c')).status).toBe(200)
    expect(limitClassesOf(server)).toEqual(['client-documents'])
  })

  it('are not fetched for the token endpoint above the limit', async () => {
    const asked = publish()
    const server = open({ 'client-documents': { limit: 1 } })
    const redeem = (name: string) =>
      new AuthClient(server, idOf(name)).redeem('made-up', {}, from(HERE))
    expect((await redeem('a')).status).toBe(400)
    expect(await refusalOf(await redeem('b'))).toEqual(OVER)
    expect(asked).toEqual([idOf('a')])
  })
})

describe('metadata, key sets and preflights', () => {
  it('are served above every limit', async () => {
    const one = { limit: 1 }
    const server = open({ network: one, token: one, register: one, authorize: one })
    for (let time = 0; time < 3; time += 1) {
      for (const path of [
        '/.well-known/oauth-protected-resource',
        '/.well-known/oauth-authorization-server',
        '/.well-known/openid-configuration',
        '/.well-known/jwks.json',
      ]) {
        const response = await server.fetch(`${ORIGIN}${path}`, { headers: from(HERE) })
        expect([path, response.status]).toEqual([path, 200])
      }
      for (const path of ['/token', '/register']) {
        const init = { method: 'OPTIONS', headers: from(HERE) }
        expect((await server.fetch(`${ORIGIN}${path}`, init)).status).toBe(204)
      }
    }
  })
})
