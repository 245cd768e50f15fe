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
import { bodyOf, messageOf, refusalOf } from './support/answers.ts'
import { Browser, type Fields, fieldOf } from './support/browser.ts'
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
import { authorize, DIRECT, expectRefusal, issue, type Steps } from './support/flow.ts'
import { IdentityProvider, PROVIDER } from './support/identity-provider.ts'
import { createToken, sendTokenForm, shownToken } from './support/personal-tokens.ts'
import { basic, JWT_BEARER, MACHINE, SECRET } from './support/static-clients.ts'

const WANTED = { resource: ADMIN, scope: 'operate', redirect_uri: LOOPBACK }
const WARNING = 'This gives control over the whole server'
const GRANTS = { operation: 'grants', subject: 'x' }
const EDITOR = 'cursor://anysphere.cursor-mcp/oauth/callback'

/** A server with the admin API, and an operator's program that registers itself. */
const ADMINISTERED: Steps = {
  scopes: SCOPES,
  app: { admin: admin(OWNERS) },
  metadata: OPERATOR,
}
const ask = (changes: Fields, metadata: object = OPERATOR) =>
  authorize({ ...ADMINISTERED, metadata, authorize: { redirect_uri: LOOPBACK, ...changes } })

/** A configured client at a server with the admin API, and a browser that is signed in. */
async function openMachine() {
  const server = open(OWNERS, { clients: [MACHINE] })
  const browser = new Browser(server)
  await browser.signIn()
  return { server, browser, machine: new AuthClient(server, 'machine', SECRET) }
}

/** A server before it had the admin API, and the same one afterwards. */
function openBefore(options = {}) {
  const all = { scopes: SCOPES, ...options }
  const before = openDeployment(all, { app: { otherPaths: ['/admin'] } })
  const app = { admin: admin(OWNERS) }
  return { before, after: () => openDeployment(all, { bindings: before.bindings, app }) }
}

describe('the consent page of the admin API', () => {
  it('warns that the app administers the server, and names only the scope of the admin API', async () => {
    const { html } = (await ask(WANTED)).page
    for (const text of ['wants to administer', WARNING, 'Operate the server', '>operate<']) {
      expect(html).toContain(text)
    }
    expect(html).not.toContain('Read notes')
    const endpoint = (await ask({})).page.html
    expect(endpoint).toContain('wants to connect to')
    expect(endpoint).not.toMatch(new RegExp(`${WARNING}|operate`))
  })

  it.each([
    ['no scope', undefined],
    ['offline_access alone', 'offline_access'],
    ['the scopes of the endpoint too', 'read operate write'],
  ])('grants its own scope alone to a client that requests %s', async (_, scope) => {
    const token = { resource: ADMIN, redirect_uri: LOOPBACK }
    const { text } = await issue({ ...ADMINISTERED, authorize: { ...WANTED, scope }, token })
    expect(text).toBe('200 Bearer operate')
  })

  it('asks a signed-in person to tick a box, also for a configured client', async () => {
    const { browser, machine } = await openMachine()
    const page = await machine.authorize(browser, { resource: ADMIN })
    expect(page.html).toContain('I trust this app to administer the server')
    const refused = await browser.decide(page, 'approve', { confirmed: undefined })
    expect(refused.status).toBe(400)
    const endpoint = await machine.authorize(browser)
    expect(fieldOf(endpoint.html, 'confirmed')).toBeUndefined()
  })

  it('is shown at each connection: a consent for the admin API is not remembered', async () => {
    const { browser, machine } = await openMachine()
    const again = async (resource: string) => {
      const path = machine.authorizePath({ resource })
      await browser.decide(await browser.get(path, DIRECT), 'approve')
      return (await browser.get(path, DIRECT)).status
    }
    expect([await again(RESOURCE), await again(ADMIN)]).toEqual([303, 200])
  })

  it('does not use a consent that was remembered before the path was that of the admin API', async () => {
    const { before, after } = openBefore({ clients: [MACHINE] })
    const browser = new Browser(before)
    await browser.signIn()
    const machine = new AuthClient(before, 'machine', SECRET)
    const path = machine.authorizePath({ resource: ADMIN, scope: 'operate' })
    await browser.decide(await browser.get(path, DIRECT), 'approve')
    expect((await browser.get(path, DIRECT)).status).toBe(303)
    expect((await browser.at(after()).get(path, DIRECT)).status).toBe(200)
  })
})

describe('a client that asks for the admin API', () => {
  const own = (redirect_uri: string) => ({ redirect_uris: [redirect_uri] })
  it.each<[string, string, Fields, object?]>([
    ['a scope of the endpoint alone', 'redirect invalid_scope', { ...WANTED, scope: 'read write' }],
    [
      ...(['a web site that registered itself', 'link unauthorized_client'] as const),
      { resource: ADMIN, redirect_uri: REDIRECT_URI },
      own(REDIRECT_URI),
    ],
    [
      ...(['an app with a scheme of its own', 'link unauthorized_client'] as const),
      { resource: ADMIN, redirect_uri: EDITOR },
      own(EDITOR),
    ],
    [
      ...(['its web site beside a loopback address', 'link unauthorized_client'] as const),
      { resource: ADMIN, redirect_uri: REDIRECT_URI },
      { redirect_uris: [REDIRECT_URI, LOOPBACK] },
    ],
    [
      ...(['its loopback address beside a web site', 'question'] as const),
      WANTED,
      { redirect_uris: [REDIRECT_URI, LOOPBACK] },
    ],
    ...[`${ADMIN}/`, 'HTTPS://MCP.example.com/admin'].map(
      (resource): [string, string, Fields, object] => [
        `the spelling ${resource}`,
        'link unauthorized_client',
        { resource, scope: 'operate', redirect_uri: REDIRECT_URI },
        own(REDIRECT_URI),
      ],
    ),
    ['the scope of the admin API for the endpoint', 'redirect invalid_scope', { scope: 'operate' }],
  ])('with %s is answered with: %s', async (_, text, changes, metadata) => {
    const { page, text: answered } = await ask(changes, metadata)
    expect(answered).toBe(text)
    expect(page.html.includes('name="decision"')).toBe(text === 'question')
  })

  it('is admitted with a web site when the operator has configured it', async () => {
    const { server, machine } = await openMachine()
    const code = await machine.code({ resource: ADMIN })
    const { access } = await tokensOf(await machine.redeem(code, { resource: ADMIN }))
    expect(await operate(server, access, GRANTS)).toEqual({ grants: [] })
  })

  it('cannot be approved on a page that was shown before the path was that of the admin API', async () => {
    const { before, after } = openBefore()
    const browser = new Browser(before)
    const client = await AuthClient.register(before)
    const page = await client.authorize(browser, { resource: ADMIN, scope: 'operate' })
    expect(page.status).toBe(200)
    const decided = await browser.at(after()).decide(page, 'approve', { passphrase: PASSPHRASE })
    expect(messageOf(decided)).toBe(400)
  })

  it.each([undefined, ORIGIN, `${ORIGIN}/`])(
    'receives the endpoint with the resource %s',
    async (resource) => {
      const { html } = (await ask({ resource })).page
      expect(html).toContain(RESOURCE)
      expect(html).not.toContain(WARNING)
    },
  )
})

describe('the scope of the admin API', () => {
  it.each([
    ['is left out of a consent for the endpoint', 'read operate'],
    ['is no scope of the endpoint by default', undefined],
  ])('%s', async (_, scope) => {
    expect((await (await AuthClient.register(open())).tokens({ scope })).scope).toBe('read')
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
    expect([await challengeAt(ADMIN), await challengeAt(RESOURCE)]).toEqual(['operate', 'read'])
    const scopes = [await scopesAt('/admin'), await scopesAt('/mcp'), await scopesAt('')]
    expect(scopes).toEqual([['operate'], ['read'], ['read']])
  })

  it('is in no metadata at the root of a server whose endpoint has only paths with params', async () => {
    const factory = () => new FullServer({ name: 'notes', version: '1.0.0' })
    const app = { path: '/{org}/mcp', httpSse: false, admin: admin(OWNERS) } as const
    const server = openDeployment({ scopes: SCOPES }, { factory, app })
    const statusAt = async (path: string) =>
      (await server.fetch(`${ORIGIN}/.well-known/oauth-protected-resource${path}`)).status
    expect([await statusAt(''), await statusAt('/admin')]).toEqual([404, 200])
  })

  it('cannot be added to a grant of the endpoint by its code or by a refresh', async () => {
    const server = open()
    const client = await AuthClient.register(server, OPERATOR)
    const code = await client.code({ redirect_uri: LOOPBACK })
    const redeemed = await client.redeem(code, { redirect_uri: LOOPBACK, resource: ADMIN })
    expect((await refusalOf(redeemed)).status).toBe(400)
    const { refresh } = await tokensOf(await client.redeem(code, { redirect_uri: LOOPBACK }))
    await expectRefusal(client.refresh(refresh, { resource: ADMIN }), 'invalid_target')
    await expectRefusal(client.refresh(refresh, { scope: 'read operate' }), 'invalid_scope')
    const refreshed = await tokensOf(await client.refresh(refresh))
    expect((await send(server, { operation: 'health' }, refreshed.access)).status).toBe(401)
  })

  it('is held by a token that is bound to a DPoP key only with its proof', async () => {
    const server = open()
    const key = await DpopKey.create()
    const client = await AuthClient.register(server, OPERATOR)
    const code = await client.code({ ...WANTED, dpop_jkt: key.jkt })
    const fields = { resource: ADMIN, redirect_uri: LOOPBACK }
    const { access } = await tokensOf(await client.redeem(code, fields, await key.proof()))
    expect((await send(server, { operation: 'health' }, access)).status).toBe(401)
  })

  it('is not in the table of scopes on the landing page', async () => {
    const response = await open().fetch(`${ORIGIN}/`, { headers: { accept: 'application/json' } })
    const body = await response.json<{ authorization: { scopes: { name: string }[] } }>()
    expect(body.authorization.scopes.map(({ name }) => name)).toEqual(['read'])
  })
})

describe('a token for the admin API without a person', () => {
  const CREDENTIALS = { grant_type: 'client_credentials', resource: ADMIN, scope: 'operate' }
  const OWNED = { scope: 'operate', owners: ['client:machine'] }

  it('is issued to a configured client alone whose configuration names the scope', async () => {
    const unnamed = open(OWNED, { clients: [MACHINE] })
    const refused = postForm(unnamed, '/token', CREDENTIALS, basic('machine'))
    await expectRefusal(refused, 'invalid_scope')
    const server = open(OWNED, { clients: [{ ...MACHINE, scopes: ['operate'] }] })
    const body = await bodyOf(await postForm(server, '/token', CREDENTIALS, basic('machine')))
    expect(body).toMatchObject({ scope: 'operate' })
    expect(await operate(server, String(body.access_token), GRANTS)).toEqual({ grants: [] })
  })

  async function openTrusting() {
    const provider = await IdentityProvider.start()
    const trusted = { issuer: PROVIDER, jwksUri: `${PROVIDER}/keys`, subject: () => 'owner' }
    const server = open(OWNERS, { clients: [MACHINE], features: featuresWith([trusted]) })
    const machine = new AuthClient(server, 'machine', SECRET)
    const exchange = async (claims: Readonly<Record<string, unknown>>, fields: Fields = {}) => {
      const assertion = await provider.sign({ claims })
      return machine.token({ grant_type: JWT_BEARER, assertion, ...fields })
    }
    return { server, exchange }
  }

  const BOTH = { resource: ADMIN, scope: 'operate' }
  it.each<[string, string, object, Fields]>([
    ['that the request names', 'invalid_target', {}, BOTH],
    ['that the assertion names', 'invalid_grant', BOTH, {}],
    ['that both name', 'invalid_grant', BOTH, BOTH],
    [
      ...(['that the assertion names beside the endpoint', 'invalid_target'] as const),
      { resource: [ADMIN, RESOURCE] },
      { resource: ADMIN },
    ],
  ])('is refused for an assertion and a resource %s: %s', async (_, error, claims, fields) => {
    const { exchange } = await openTrusting()
    await expectRefusal(exchange({ ...claims }, fields), error)
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
    const { before, after } = openBefore()
    const token = await tokenFor(before, { scope: 'read' })
    expect((await send(after(), { operation: 'health' }, token)).status).toBe(403)
  })
})

describe('a personal access token for the admin API', () => {
  const FIELDS = { resource: ADMIN, 'scope read': undefined, 'scope operate': 'yes' }

  async function openSignedIn(passphrase = PASSPHRASE) {
    const server = open(OWNERS, { features: [personalAccessTokens()] })
    const browser = new Browser(server)
    await browser.signIn(passphrase)
    return { server, browser }
  }

  it('is offered with a label that says what it is for, and is marked in the list', async () => {
    const { server, browser } = await openSignedIn()
    const label = `${ADMIN} (administers the server for everyone)`
    expect((await browser.get('/account')).html).toContain(label)
    const token = await createToken(browser, FIELDS)
    expect(await operate(server, token, GRANTS)).toEqual({ grants: [] })
    const mark = 'This token can administer the server for everyone'
    expect((await browser.get('/account')).html).toContain(mark)
  })

  it.each([
    ['with a scope of the endpoint', { 'scope read': 'yes', 'scope operate': undefined }],
    ['with scopes of both', { 'scope read': 'yes' }],
    ['without a scope', { 'scope operate': undefined }],
    ['for the endpoint', { resource: RESOURCE }],
    ['for no address, which is the endpoint', { resource: undefined }],
  ])('is not created %s', async (_, changes) => {
    const { browser } = await openSignedIn()
    const page = await sendTokenForm(browser, { ...FIELDS, ...changes })
    expect([page.status, shownToken(page)]).toEqual([400, undefined])
  })

  it('is refused when its person is no owner', async () => {
    const { server, browser } = await openSignedIn(GUEST_PASSPHRASE)
    const token = await createToken(browser, { ...FIELDS, passphrase: GUEST_PASSPHRASE })
    expect((await send(server, { operation: 'health' }, token)).status).toBe(403)
  })
})
