/** One Worker with several host names: each is an issuer and a resource of its own. */
// features: sessions

import { createExecutionContext } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { admin } from '../../../packages/inspector/src/admin/index.ts'
import { type EmbeddedOptions, embedded, external, passphrase } from '../../../src/auth/index.ts'
import { createFullEdgeway, type FullOptions } from '../../support/full-app.ts'
import { FullServer } from '../../support/full-server.ts'
import { openObjectsOf } from '../../support/opened-objects.ts'
import {
  LOOPBACK,
  OPERATOR,
  OWNERS,
  send,
  tokenFor,
  SCOPES as WITH_OPERATE,
} from './support/admin.ts'
import { messageOf } from './support/answers.ts'
import { Browser, formOf } from './support/browser.ts'
import { AuthClient, statusWith, tokensOf } from './support/client.ts'
import {
  AUDIENCE,
  type Bindings,
  createBindings,
  type Deployment,
  ORIGIN,
  openDeployment,
  PASSPHRASE,
} from './support/deployment.ts'
import { expectRefusal } from './support/flow.ts'

const OTHER = 'https://mcp.other.example'
const UNLISTED = 'https://notes.team.workers.dev'
const SCOPES = { read: 'Read notes' }
const LOGIN = passphrase({ people: { owner: PASSPHRASE } })

type Options = Partial<
  Pick<EmbeddedOptions, 'origins' | 'accountsPerOrigin' | 'aliases' | 'scopes'>
>

const createServer = () => new FullServer({ name: 'notes', version: '1.0.0' })

/** An app as requests reach it, and as a client of each of its origins does. */
function openApp(auth: FullOptions['auth'], bindings: Bindings, app: FullOptions = {}) {
  const settings = { ...(auth && { auth }), telemetry: () => {}, audience: AUDIENCE, ...app }
  const edgeway = openObjectsOf(createFullEdgeway(createServer(), settings))
  const fetch = async (url: string, init?: RequestInit) =>
    edgeway.fetch(new Request(url, init), bindings as never, createExecutionContext())
  const [first, second] = [at(fetch, ORIGIN, bindings), at(fetch, OTHER, bindings)]
  const tokens = async (of = first) => (await AuthClient.register(of)).tokens()
  const statusAt = (token: string, origin: string) =>
    statusWith({ ...first, fetch }, token, `${origin}/mcp`)
  return { fetch, first, second, tokens, statusAt }
}

function open(
  { origins = [ORIGIN, OTHER], ...options }: Options = {},
  bindings: Bindings = createBindings(),
  app: FullOptions = {},
) {
  const auth = embedded({ origins, scopes: SCOPES, login: LOGIN, ...options })
  return openApp(auth, bindings, app)
}

/** The app as a client of one origin reaches it: what is sent to the first origin goes to that one. */
function at(fetch: Deployment['fetch'], origin: string, bindings: Bindings): Deployment {
  return {
    bindings,
    events: [],
    fetch(url, init = {}) {
      const headers = new Headers(init.headers)
      if (headers.get('origin') === ORIGIN) headers.set('origin', origin)
      return fetch(url.replace(ORIGIN, origin), { ...init, headers })
    },
  }
}

const AS = '/.well-known/oauth-authorization-server'
const PR = '/.well-known/oauth-protected-resource/mcp'

async function issuerAt({ fetch }: Pick<Deployment, 'fetch'>, url: string, init?: RequestInit) {
  return (await (await fetch(`${url}${AS}`, init)).json<{ issuer: string }>()).issuer
}

describe('the metadata of an origin', () => {
  it.each([ORIGIN, OTHER])('of %s names itself', async (origin) => {
    const server = open()
    expect(await (await server.fetch(`${origin}${AS}`)).json()).toMatchObject({
      issuer: origin,
      token_endpoint: `${origin}/token`,
      jwks_uri: `${origin}/.well-known/jwks.json`,
    })
    expect(await (await server.fetch(`${origin}${PR}`)).json()).toMatchObject({
      resource: `${origin}/mcp`,
      authorization_servers: [origin],
    })
    const { headers } = await server.fetch(`${origin}/mcp`, { method: 'POST' })
    expect(headers.get('www-authenticate')).toContain(`resource_metadata="${origin}${PR}"`)
  })

  it.each([UNLISTED, 'https://mcp.other.example.evil.com', 'https://mcp.other.example:8443'])(
    'of the unlisted %s is that of the first origin',
    async (origin) => {
      expect(await issuerAt(open(), origin)).toBe(ORIGIN)
    },
  )

  it.each([
    ['x-forwarded-host', 'mcp.other.example'],
    ['forwarded', 'host=mcp.other.example'],
    ['x-original-host', 'mcp.other.example'],
    ['host', 'mcp.other.example'],
  ])('does not depend on the header %s beside the URL', async (name, value) => {
    expect(await issuerAt(open(), ORIGIN, { headers: { [name]: value } })).toBe(ORIGIN)
  })

  it('is found by the host behind a proxy that ends TLS', async () => {
    const allowedHosts = ['mcp.example.com', 'mcp.other.example']
    const server = open({}, createBindings(), { allowedHosts })
    expect(await issuerAt(server, 'http://mcp.other.example')).toBe(OTHER)
    expect((await open().fetch(`http://mcp.other.example${AS}`)).status).toBe(403)
  })

  it('follows a list in EDGEWAY_ORIGIN', async () => {
    const bindings = createBindings({ EDGEWAY_ORIGIN: `${ORIGIN}, ${OTHER}` })
    const app = openApp(embedded({ scopes: SCOPES, login: LOGIN }), bindings)
    expect([await issuerAt(app, OTHER), await issuerAt(app, UNLISTED)]).toEqual([OTHER, ORIGIN])
  })

  it('of a server with external issuers names the resource of the host', async () => {
    const issuers = [{ issuer: 'https://login.example' }]
    const app = openApp(external({ origins: [ORIGIN, OTHER], issuers, scopes: SCOPES }), {})
    const response = await app.fetch(`${OTHER}${PR}`)
    expect(await response.json()).toMatchObject({ resource: `${OTHER}/mcp` })
  })
})

describe('a credential of one origin', () => {
  it('that is an access token is refused at the other one', async () => {
    const { second, tokens, statusAt } = open()
    const [one, other] = [(await tokens()).access, (await tokens(second)).access]
    expect([await statusAt(one, ORIGIN), await statusAt(one, OTHER)]).toEqual([200, 401])
    expect([await statusAt(other, ORIGIN), await statusAt(other, OTHER)]).toEqual([401, 200])
  })

  it('that is a client id, a code or a refresh token is refused at the other one', async () => {
    const { first, second } = open()
    const client = await AuthClient.register(first)
    const foreign = await AuthClient.register(second)
    const { refresh } = await client.tokens()
    expect((await client.at(second).authorize(new Browser(second))).status).toBe(400)
    await expectRefusal(client.at(second).refresh(refresh), 'invalid_client', 401)
    await expectRefusal(foreign.refresh(refresh), 'invalid_grant')
    await expectRefusal(foreign.redeem(await client.code()), 'invalid_grant')
    // None of this has used up or revoked anything.
    expect((await client.refresh(refresh)).status).toBe(200)
  })

  it('cannot be requested for a resource of the other one', async () => {
    const { first } = open()
    const client = await AuthClient.register(first)
    const page = await client.authorize(new Browser(first), { resource: `${OTHER}/mcp` })
    expect(page.html + page.location).toContain('resource is not served here')
  })

  it('that is a sign-in cookie is none at the other one', async () => {
    const { first, second } = open()
    const browser = new Browser(first)
    await browser.signIn()
    expect((await browser.get('/account')).html).toContain('Signed in as')
    expect((await browser.at(second).get('/account')).html).not.toContain('Signed in as')
  })

  it('that is a session id is not found at the other one', async () => {
    const { fetch, second, tokens } = open()
    const [one, other] = [(await tokens()).access, (await tokens(second)).access]
    const post = (origin: string, token: string, session?: string | null) =>
      fetch(`${origin}/mcp`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          authorization: `Bearer ${token}`,
          ...(session && { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }),
        },
        body: JSON.stringify(session ? PING : INITIALIZE),
      })
    const session = (await post(ORIGIN, one)).headers.get('mcp-session-id')
    expect(session).toMatch(/./)
    expect((await post(OTHER, other, session)).status).toBe(404)
    expect((await post(OTHER, one, session)).status).toBe(401)
  })

  it('that a page of the other one sends with a form is refused', async () => {
    const { fetch, first } = open()
    const browser = new Browser({ ...first, fetch }, ORIGIN)
    await browser.get('/account')
    const page = await browser.post('/login', { passphrase: PASSPHRASE }, { origin: OTHER })
    expect(page.status).toBe(403)
  })
})

const PING = { jsonrpc: '2.0', id: 2, method: 'ping' }
const INITIALIZE = {
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  },
}

describe('the accounts of several origins', () => {
  async function appsAt(server: Deployment): Promise<string> {
    const browser = new Browser(server)
    await browser.signIn()
    return (await browser.get('/account')).html
  }

  it('are shared by default: the account page shows the apps of both, and ends their access', async () => {
    const { first, second, statusAt } = open()
    const client = await AuthClient.register(second)
    const { access } = await client.tokens()
    expect(await appsAt(first)).toContain(`${OTHER}/mcp`)
    expect(await statusAt(access, OTHER)).toBe(200)
    const browser = new Browser(first)
    await browser.signIn()
    const { csrf } = formOf(await browser.get('/account'))
    await browser.post('/account/disconnect', { csrf, client: client.id })
    expect(await statusAt(access, OTHER)).toBe(401)
  })

  it('are apart with accountsPerOrigin', async () => {
    const { first, second, statusAt } = open({ accountsPerOrigin: true })
    const client = await AuthClient.register(second)
    const tokens = await client.tokens()
    expect(await appsAt(first)).toContain('No app is connected')
    expect(await appsAt(second)).toContain(`${OTHER}/mcp`)
    expect((await tokensOf(await client.refresh(tokens.refresh))).scope).toBe('read')
    expect(await statusAt(tokens.access, OTHER)).toBe(200)
  })

  it('keep those of a server with one origin, as the first one of several', async () => {
    const bindings = createBindings()
    const before = openDeployment({ scopes: SCOPES, login: LOGIN }, { bindings })
    const client = await AuthClient.register(before)
    const tokens = await client.tokens()
    const { first } = open({ accountsPerOrigin: true }, bindings)
    expect((await client.at(first).refresh(tokens.refresh)).status).toBe(200)
  })
})

it('an alias belongs to the first origin', async () => {
  const alias = 'https://old.example/mcp'
  const { first, statusAt } = open({ aliases: [alias] })
  const { access } = await (await AuthClient.register(first)).tokens({ resource: alias })
  expect([await statusAt(access, ORIGIN), await statusAt(access, OTHER)]).toEqual([200, 401])
})

it.each<[string, object]>([
  ['an empty list', { origins: [] }],
  ['one host with two schemes', { origins: ['https://a.example', 'http://a.example'] }],
  ['the same origin twice', { origins: [ORIGIN, ORIGIN] }],
  ['a path', { origins: [ORIGIN, `${OTHER}/mcp`] }],
  ['a slash at the end', { origins: [`${OTHER}/`] }],
  ['capitals', { origins: ['https://MCP.example.com'] }],
  ['a wildcard', { origins: ['https://*.example.com/'] }],
  ['both options', { origin: ORIGIN, origins: [OTHER] }],
])('origins are refused with %s', (_, options) => {
  const create = () =>
    createFullEdgeway(createServer(), { auth: embedded({ scopes: SCOPES, ...options }) })
  expect(create).toThrow(TypeError)
})

describe('the admin API of an origin', () => {
  const both = () => open({ scopes: WITH_OPERATE }, createBindings(), { admin: admin(OWNERS) })

  it('refuses a token for the admin API of another origin', async () => {
    const { first, second } = both()
    const token = await tokenFor(first)
    const body = { operation: 'grants', subject: 'x' }
    expect((await send(first, body, token)).status).toBe(200)
    expect((await send(second, body, token)).status).toBe(401)
  })

  it('is not approved with the page, the sign-in and the device of another origin', async () => {
    const { first, second } = both()
    const browser = new Browser(first)
    await browser.signIn()
    const client = await AuthClient.register(first, OPERATOR)
    const wanted = { resource: `${ORIGIN}/admin`, redirect_uri: LOOPBACK }
    const page = await client.authorize(browser, wanted)
    expect(page.html).toContain('name="decision"')
    expect(messageOf(await browser.at(second).decide(page, 'approve'))).toBe(400)
    const other = await AuthClient.register(second, OPERATOR)
    const resource = `${OTHER}/admin`
    const elsewhere = await other.authorize(browser.at(second), { ...wanted, resource })
    expect(elsewhere.html).toContain('name="passphrase"')
  })
})
