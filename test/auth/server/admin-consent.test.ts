/** The consent for the admin API: which clients may ask for it, what the page says, and that no other way leads to its scope. */
// features: landing-page
import { describe, expect, it } from 'vitest'
import { admin } from '../../../packages/inspector/src/admin/index.ts'
import { personalAccessTokens } from '../../../src/auth/index.ts'
import { FullServer } from '../../support/full-server.ts'
import {
  ADMIN,
  LOOPBACK,
  OPERATOR,
  OWNERS,
  open,
  operate,
  SCOPES,
  send,
  tokenFor,
} from './support/admin.ts'
import {
  bodyOf,
  linkedErrorOf,
  messageOf,
  redirectOf,
  refusalOf,
  refusalWith,
} from './support/answers.ts'
import { Browser, fieldOf } from './support/browser.ts'
import { AuthClient, postForm, REDIRECT_URI, statusWith, tokensOf } from './support/client.ts'
import {
  featuresWith,
  GUEST_PASSPHRASE,
  ORIGIN,
  openDeployment,
  PASSPHRASE,
  RESOURCE,
} from './support/deployment.ts'
import { DpopKey } from './support/dpop.ts'
import { IdentityProvider, PROVIDER } from './support/identity-provider.ts'
import { createToken, sendTokenForm, shownToken } from './support/personal-tokens.ts'
import { basic, JWT_BEARER, MACHINE, SECRET } from './support/static-clients.ts'

const DIRECT = { 'sec-fetch-site': 'none' }
const WANTED = { resource: ADMIN, scope: 'operate', redirect_uri: LOOPBACK }
const WARNING = 'This gives control over the whole server'

describe('the consent page of the admin API', () => {
  it('warns that the app administers the server, and names only the scope of the admin API', async () => {
    const client = await AuthClient.register(open(), OPERATOR)
    const { html } = await client.authorize(undefined, WANTED)
    expect(html).toContain('wants to administer')
    expect(html).toContain(WARNING)
    expect(html).toContain('Operate the server')
    expect(html).toContain('>operate<')
    expect(html).not.toContain('Read notes')
  })

  it('is not the consent page of the endpoint', async () => {
    const client = await AuthClient.register(open(), OPERATOR)
    const { html } = await client.authorize(undefined, { redirect_uri: LOOPBACK })
    expect(html).toContain('wants to connect to')
    expect(html).not.toContain(WARNING)
    expect(html).not.toContain('operate')
  })

  it.each([
    ['no scope', undefined],
    ['offline_access alone', 'offline_access'],
    ['the scopes of the endpoint too', 'read operate write'],
  ])('grants its own scope alone to a client that requests %s', async (_, scope) => {
    const server = open()
    const client = await AuthClient.register(server, OPERATOR)
    const code = await client.code({ ...WANTED, scope })
    const { scope: granted } = await tokensOf(
      await client.redeem(code, { resource: ADMIN, redirect_uri: LOOPBACK }),
    )
    expect(granted).toBe('operate')
  })

  it('is not shown to a client that requests scopes of the endpoint alone', async () => {
    const client = await AuthClient.register(open(), OPERATOR)
    const page = await client.authorize(undefined, { ...WANTED, scope: 'read write' })
    expect(redirectOf(page)).toMatchObject({ to: LOOPBACK, error: 'invalid_scope' })
  })

  it('asks a signed-in person to tick a box, also for a configured client', async () => {
    const server = open(OWNERS, { clients: [MACHINE] })
    const browser = new Browser(server)
    await browser.signIn()
    const machine = new AuthClient(server, 'machine', SECRET)
    const page = await machine.authorize(browser, { resource: ADMIN })
    expect(page.html).toContain('I trust this app to administer the server')
    const refused = await browser.decide(page, 'approve', { confirmed: undefined })
    expect(refused.status).toBe(400)
    const endpoint = await machine.authorize(browser)
    expect(fieldOf(endpoint.html, 'confirmed')).toBeUndefined()
  })

  it('is shown at each connection: a consent for the admin API is not remembered', async () => {
    const server = open(OWNERS, { clients: [MACHINE] })
    const browser = new Browser(server)
    await browser.signIn()
    const machine = new AuthClient(server, 'machine', SECRET)
    const again = async (resource: string) => {
      const path = machine.authorizePath({ resource })
      await browser.decide(await browser.get(path, DIRECT), 'approve')
      return (await browser.get(path, DIRECT)).status
    }
    expect(await again(RESOURCE)).toBe(303)
    expect(await again(ADMIN)).toBe(200)
  })

  it('does not use a consent that was remembered before the path was that of the admin API', async () => {
    const options = { scopes: SCOPES, clients: [MACHINE] }
    const before = openDeployment(options, { app: { otherPaths: ['/admin'] } })
    const browser = new Browser(before)
    await browser.signIn()
    const machine = new AuthClient(before, 'machine', SECRET)
    const path = machine.authorizePath({ resource: ADMIN, scope: 'operate' })
    await browser.decide(await browser.get(path, DIRECT), 'approve')
    expect((await browser.get(path, DIRECT)).status).toBe(303)
    const { bindings } = before
    const server = openDeployment(options, { bindings, app: { admin: admin(OWNERS) } })
    expect((await browser.at(server).get(path, DIRECT)).status).toBe(200)
  })
})

describe('a client that asks for the admin API', () => {
  it.each([
    ['a web site that registered itself', REDIRECT_URI],
    ['an app with a scheme of its own', 'cursor://anysphere.cursor-mcp/oauth/callback'],
  ])('is refused when it is %s, before a person sees the consent', async (_, redirectUri) => {
    const client = await AuthClient.register(open(), { redirect_uris: [redirectUri] })
    const page = await client.authorize(undefined, { resource: ADMIN, redirect_uri: redirectUri })
    const error = page.status === 303 ? redirectOf(page) : linkedErrorOf(page)
    expect(error).toMatchObject({ to: redirectUri, error: 'unauthorized_client' })
    expect(page.html).not.toContain('name="decision"')
  })

  it('is refused with its web site also when it has a loopback redirect URI too', async () => {
    const redirect_uris = [REDIRECT_URI, LOOPBACK]
    const client = await AuthClient.register(open(), { redirect_uris })
    const refused = await client.authorize(undefined, { resource: ADMIN })
    expect(linkedErrorOf(refused)).toMatchObject({ error: 'unauthorized_client' })
    expect((await client.authorize(undefined, WANTED)).status).toBe(200)
  })

  it.each([`${ADMIN}/`, 'HTTPS://MCP.example.com/admin'])(
    'is refused as well under the spelling %s of the resource',
    async (resource) => {
      const client = await AuthClient.register(open())
      const page = await client.authorize(undefined, { resource, scope: 'operate' })
      expect(linkedErrorOf(page)).toMatchObject({ error: 'unauthorized_client' })
    },
  )

  it('is admitted with a web site when the operator has configured it', async () => {
    const server = open(OWNERS, { clients: [MACHINE] })
    const machine = new AuthClient(server, 'machine', SECRET)
    const code = await machine.code({ resource: ADMIN })
    const { access } = await tokensOf(await machine.redeem(code, { resource: ADMIN }))
    expect(await operate(server, access, { operation: 'grants', subject: 'x' })).toEqual({
      grants: [],
    })
  })

  it('cannot be approved on a page that was shown before the path was that of the admin API', async () => {
    const before = openDeployment({ scopes: SCOPES }, { app: { otherPaths: ['/admin'] } })
    const browser = new Browser(before)
    const client = await AuthClient.register(before)
    const page = await client.authorize(browser, { resource: ADMIN, scope: 'operate' })
    expect(page.status).toBe(200)
    const { bindings } = before
    const server = openDeployment({ scopes: SCOPES }, { bindings, app: { admin: admin(OWNERS) } })
    const decided = await browser.at(server).decide(page, 'approve', { passphrase: PASSPHRASE })
    expect(messageOf(decided)).toBe(400)
  })

  it('receives the default resource, and not the admin API, when it names none or the origin', async () => {
    const server = open()
    const client = await AuthClient.register(server)
    for (const resource of [undefined, ORIGIN, `${ORIGIN}/`]) {
      const { html } = await client.authorize(undefined, { resource })
      expect(html).toContain(RESOURCE)
      expect(html).not.toContain(WARNING)
    }
  })
})

describe('the scope of the admin API', () => {
  it.each([
    ['is left out of a consent for the endpoint', 'read operate', 'read'],
    ['is no scope of the endpoint by default', undefined, 'read'],
  ])('%s', async (_, scope, granted) => {
    const tokens = await (await AuthClient.register(open())).tokens({ scope })
    expect(tokens.scope).toBe(granted)
  })

  it('alone is refused for the endpoint with invalid_scope', async () => {
    const page = await (await AuthClient.register(open())).authorize(undefined, {
      scope: 'operate',
    })
    expect(linkedErrorOf(page)).toMatchObject({ error: 'invalid_scope' })
  })

  it('is that of the challenge and the metadata of the admin path, and of no other path', async () => {
    const server = open(OWNERS, { scopes: { read: 'Read notes', operate: 'Operate the server' } })
    const challengeAt = async (url: string) => {
      const response = await server.fetch(url, { method: 'POST', body: '{}' })
      return /scope="([^"]*)"/.exec(response.headers.get('www-authenticate') ?? '')?.[1]
    }
    const scopesAt = async (path: string) => {
      const url = `${ORIGIN}/.well-known/oauth-protected-resource${path}`
      return (await (await server.fetch(url)).json<Record<string, unknown>>()).scopes_supported
    }
    expect(await challengeAt(ADMIN)).toBe('operate')
    expect(await challengeAt(RESOURCE)).toBe('read')
    expect(await scopesAt('/admin')).toEqual(['operate'])
    expect(await scopesAt('/mcp')).toEqual(['read'])
    expect(await scopesAt('')).toEqual(['read'])
  })

  it('is in no metadata at the root of a server whose endpoint has only paths with params', async () => {
    const factory = () => new FullServer({ name: 'notes', version: '1.0.0' })
    const app = { path: '/{org}/mcp', httpSse: false, admin: admin(OWNERS) } as const
    const server = openDeployment({ scopes: SCOPES }, { factory, app })
    const statusAt = async (path: string) =>
      (await server.fetch(`${ORIGIN}/.well-known/oauth-protected-resource${path}`)).status
    expect(await statusAt('')).toBe(404)
    expect(await statusAt('/admin')).toBe(200)
  })

  it('cannot be added to a grant of the endpoint by a refresh', async () => {
    const server = open()
    const client = await AuthClient.register(server, OPERATOR)
    const code = await client.code({ redirect_uri: LOOPBACK })
    const { refresh } = await tokensOf(await client.redeem(code, { redirect_uri: LOOPBACK }))
    expect(await refusalOf(await client.refresh(refresh, { resource: ADMIN }))).toEqual(
      refusalWith('invalid_target'),
    )
    expect(await refusalOf(await client.refresh(refresh, { scope: 'read operate' }))).toEqual(
      refusalWith('invalid_scope'),
    )
    const refreshed = await tokensOf(await client.refresh(refresh))
    expect((await send(server, { operation: 'health' }, refreshed.access)).status).toBe(401)
  })

  it('does not follow a code for the endpoint that is redeemed for the admin API', async () => {
    const client = await AuthClient.register(open(), OPERATOR)
    const code = await client.code({ redirect_uri: LOOPBACK })
    const redeemed = await client.redeem(code, { redirect_uri: LOOPBACK, resource: ADMIN })
    expect((await refusalOf(redeemed)).status).toBe(400)
  })

  it('is held by a token that is bound to a DPoP key only with its proof', async () => {
    const server = open()
    const key = await DpopKey.create()
    const client = await AuthClient.register(server, OPERATOR)
    const code = await client.code({ ...WANTED, dpop_jkt: key.jkt })
    const { access } = await tokensOf(
      await client.redeem(code, { resource: ADMIN, redirect_uri: LOOPBACK }, await key.proof()),
    )
    expect((await send(server, { operation: 'health' }, access)).status).toBe(401)
  })

  it('is not in the table of scopes on the landing page', async () => {
    const response = await open().fetch(`${ORIGIN}/`, { headers: { accept: 'application/json' } })
    const { authorization } = await response.json<{
      authorization: { scopes: { name: string }[] }
    }>()
    expect(authorization.scopes.map(({ name }) => name)).toEqual(['read'])
  })
})

describe('a token for the admin API without a person', () => {
  const CREDENTIALS = { grant_type: 'client_credentials', resource: ADMIN, scope: 'operate' }

  it('is refused to a configured client whose configuration names no scopes', async () => {
    const server = open({ scope: 'operate', owners: ['client:machine'] }, { clients: [MACHINE] })
    const refused = await postForm(server, '/token', CREDENTIALS, basic('machine'))
    expect(await refusalOf(refused)).toEqual(refusalWith('invalid_scope'))
  })

  it('is issued to a configured client whose configuration names the scope', async () => {
    const clients = [{ ...MACHINE, scopes: ['operate'] }]
    const server = open({ scope: 'operate', owners: ['client:machine'] }, { clients })
    const body = await bodyOf(await postForm(server, '/token', CREDENTIALS, basic('machine')))
    expect(body).toMatchObject({ scope: 'operate' })
    const token = String(body.access_token)
    expect(await operate(server, token, { operation: 'grants', subject: 'x' })).toEqual({
      grants: [],
    })
  })

  async function openTrusting() {
    const provider = await IdentityProvider.start()
    const trustedProviders = [{ issuer: PROVIDER, jwksUri: `${PROVIDER}/keys`, subject: ownerOf }]
    const features = featuresWith(trustedProviders)
    const server = open(OWNERS, { clients: [MACHINE], features })
    const machine = new AuthClient(server, 'machine', SECRET)
    const exchange = async (claims: Readonly<Record<string, unknown>>, fields = {}) => {
      const assertion = await provider.sign({ claims })
      return machine.token({ grant_type: JWT_BEARER, assertion, ...fields })
    }
    return { server, exchange }
  }

  const ownerOf = () => 'owner'

  it.each([
    ['that the request names', {}, { resource: ADMIN, scope: 'operate' }, 'invalid_target'],
    ['that the assertion names', { resource: ADMIN, scope: 'operate' }, {}, 'invalid_grant'],
    [
      'that both name',
      { resource: ADMIN, scope: 'operate' },
      { resource: ADMIN, scope: 'operate' },
      'invalid_grant',
    ],
    [
      'that the assertion names beside the endpoint',
      { resource: [ADMIN, RESOURCE] },
      { resource: ADMIN },
      'invalid_target',
    ],
  ])('is refused for an identity assertion and a resource %s', async (_, claims, fields, error) => {
    const { exchange } = await openTrusting()
    expect(await refusalOf(await exchange(claims, fields))).toEqual(refusalWith(error))
  })

  it('leaves an assertion for both resources valid for the endpoint', async () => {
    const { server, exchange } = await openTrusting()
    const body = await bodyOf(await exchange({ resource: [ADMIN, RESOURCE] }))
    expect(body).toMatchObject({ scope: 'read' })
    expect(await statusWith(server, String(body.access_token))).toBe(200)
  })
})

describe('a grant of the admin API', () => {
  it('is marked on the page of connected apps, apart from the endpoint of the same app', async () => {
    const server = open()
    await tokenFor(server)
    const browser = new Browser(server)
    await browser.signIn()
    const mark = 'This app can administer the server for everyone'
    expect((await browser.get('/account')).html).toContain(mark)
    await (await AuthClient.register(server)).tokens()
    expect((await browser.get('/account')).html.split(mark)).toHaveLength(2)
  })

  it('of an earlier configuration without the scope is refused by the admin API', async () => {
    const before = openDeployment({ scopes: SCOPES }, { app: { otherPaths: ['/admin'] } })
    const token = await tokenFor(before, { scope: 'read' })
    const { bindings } = before
    const server = openDeployment({ scopes: SCOPES }, { bindings, app: { admin: admin(OWNERS) } })
    expect((await send(server, { operation: 'health' }, token)).status).toBe(403)
  })
})

describe('a personal access token for the admin API', () => {
  const personal = () => open(OWNERS, { features: [personalAccessTokens()] })
  const FIELDS = { resource: ADMIN, 'scope read': undefined, 'scope operate': 'yes' }

  async function signedIn(server = personal()) {
    const browser = new Browser(server)
    await browser.signIn()
    return { server, browser }
  }

  it('is offered with a label that says what it is for, and is marked in the list', async () => {
    const { server, browser } = await signedIn()
    expect((await browser.get('/account')).html).toContain(
      `${ADMIN} (administers the server for everyone)`,
    )
    const token = await createToken(browser, FIELDS)
    expect(await operate(server, token, { operation: 'grants', subject: 'x' })).toEqual({
      grants: [],
    })
    expect((await browser.get('/account')).html).toContain(
      'This token can administer the server for everyone',
    )
  })

  it.each([
    ['with a scope of the endpoint', { 'scope read': 'yes', 'scope operate': undefined }],
    ['with scopes of both', { 'scope read': 'yes' }],
    ['without a scope', { 'scope operate': undefined }],
    ['for the endpoint', { resource: RESOURCE }],
    ['for no address, which is the endpoint', { resource: undefined }],
  ])('is not created %s', async (_, changes) => {
    const { browser } = await signedIn()
    const page = await sendTokenForm(browser, { ...FIELDS, ...changes })
    expect(page.status).toBe(400)
    expect(shownToken(page)).toBeUndefined()
  })

  it('is refused when its person is no owner', async () => {
    const server = personal()
    const browser = new Browser(server)
    await browser.signIn(GUEST_PASSPHRASE)
    const token = await createToken(browser, { ...FIELDS, passphrase: GUEST_PASSPHRASE })
    expect((await send(server, { operation: 'health' }, token)).status).toBe(403)
  })
})
