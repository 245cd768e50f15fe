/** Who may come in, and with which scopes: at the sign-in, at the consent, at a refresh and at a call. */
import { describe, expect, it } from 'vitest'
import type { EmbeddedOptions, ScopesOf } from '../../../src/auth/index.ts'
import type { TelemetryEvent } from '../../../src/telemetry/index.ts'
import { FullServer } from '../../support/full-server.ts'
import { reasonsOf, redirectOf, refusalOf, refusalWith } from './support/answers.ts'
import { Browser, formOf, type Page } from './support/browser.ts'
import { AuthClient, codeOf, statusWith, tokensOf } from './support/client.ts'
import {
  advance,
  type Deployment,
  openDeployment,
  PASSPHRASE,
  RESOURCE,
} from './support/deployment.ts'
import { OpenIdProvider } from './support/provider.ts'

const LOGIN = '__Host-edgeway-login'
const NOT_ALLOWED = 'may not use this server'

const signInRefusals = (events: readonly TelemetryEvent[]) =>
  events.flatMap((event) => (event.type === 'sign-in-refused' ? [event.reason] : []))

/** A server with an OpenID provider whose people come from `claims`. */
async function open(options: Partial<EmbeddedOptions>, claims: OpenIdProvider['claims'] = {}) {
  const provider = await OpenIdProvider.start()
  provider.claims = claims
  const server = openDeployment({ login: provider.login(), ...options })
  const client = await AuthClient.register(server)
  return { provider, server, client, browser: new Browser(server) }
}

type Opened = Awaited<ReturnType<typeof open>>

/** Approves, and signs in at the provider. */
async function connect({ provider, client, browser }: Opened, scope?: string): Promise<Page> {
  const { location } = await browser.decide(await client.authorize(browser, { scope }), 'approve')
  return browser.get(provider.visit(location).callback)
}

const COLLEAGUES = { allow: { emailDomains: ['acme.com'] } }
const ANN = { email: 'ann@acme.com', email_verified: true }

describe('a person on an allow-list', () => {
  it('connects an app', async () => {
    const opened = await open(COLLEAGUES, ANN)
    const { access } = await tokensOf(await opened.client.redeem(codeOf(await connect(opened))))
    expect(await statusWith(opened.server, access)).toBe(200)
  })

  it('does not see the stored attributes among the props', async () => {
    const seen: unknown[] = []
    const hooks: EmbeddedOptions['hooks'] = {
      onIssue: ({ props }) => {
        seen.push(Object.keys(props ?? {}))
        return { props: { own: true } }
      },
      onRefresh: ({ props }) => {
        seen.push(props)
        return {}
      },
    }
    const opened = await open({ ...COLLEAGUES, hooks }, ANN)
    const { client, server } = opened
    const tokens = await tokensOf(await client.redeem(codeOf(await connect(opened))))
    // The hook has replaced the props; the person stays known.
    expect(await statusWith(server, tokens.access)).toBe(200)
    expect((await client.refresh(tokens.refresh)).status).toBe(200)
    expect(seen).toEqual([['upstream', 'claims'], { own: true }])
  })
})

describe('a person who is on no allow-list', () => {
  it.each<[string, OpenIdProvider['claims']]>([
    ['of another domain', { email: 'eve@acme.com.evil.com', email_verified: true }],
    ['whose address is not verified', { email: 'ann@acme.com', email_verified: false }],
    ['whose address is not said to be verified', { email: 'ann@acme.com' }],
    ['whose address is a list', { email: [['ann@acme.com']], email_verified: true }],
    ['without an address', { email_verified: true }],
  ])('%s sees a page that says so, and the client receives nothing', async (_, claims) => {
    const opened = await open(COLLEAGUES, claims)
    const page = await connect(opened)
    expect([page.status, page.location]).toEqual([403, null])
    expect(page.html).toContain(NOT_ALLOWED)
    expect(page.html).toContain('Sign in with another account')
    expect(opened.browser.cookies.has(LOGIN)).toBe(false)
    expect(signInRefusals(opened.server.events)).toEqual(['person-not-allowed'])
    expect(JSON.stringify(opened.server.events)).not.toContain('Ada')
  })

  it('can sign in with another account, which the provider is asked to offer', async () => {
    const opened = await open(COLLEAGUES, { email: 'eve@evil.com', email_verified: true })
    const { browser, provider, client } = opened
    const page = await connect(opened)
    const { location } = await browser.decide(page, 'approve')
    expect(new URL(location ?? '').searchParams.get('prompt')).toBe('select_account')
    provider.claims = ANN
    const back = await browser.get(provider.visit(location).callback)
    expect((await client.redeem(codeOf(back))).status).toBe(200)
  })

  it('sends access_denied to the client by denying', async () => {
    const opened = await open(COLLEAGUES, { email: 'eve@evil.com', email_verified: true })
    const page = await connect(opened)
    expect(redirectOf(await opened.browser.decide(page, 'deny'))).toMatchObject({
      error: 'access_denied',
      state: 'the-state',
    })
  })

  it('is refused at the account page, and may sign in with another account', async () => {
    const { browser, provider } = await open(COLLEAGUES, { email: 'eve@evil.com' })
    const { csrf } = formOf(await browser.get('/account'))
    const sent = await browser.post('/login', { csrf })
    const page = await browser.get(provider.visit(sent.location).callback)
    expect([page.status, page.actions]).toEqual([403, ['/login']])
    expect(page.html).toContain(NOT_ALLOWED)
    expect(browser.cookies.has(LOGIN)).toBe(false)
    const again = await browser.post('/login', { ...formOf(page), 'select-account': 'yes' })
    expect(new URL(again.location ?? '').searchParams.get('prompt')).toBe('select_account')
  })

  it('is refused by `admit` of a login with the same page', async () => {
    const provider = await OpenIdProvider.start()
    const login = provider.login({ admit: () => false })
    const server = openDeployment({ login })
    const client = await AuthClient.register(server)
    const browser = new Browser(server)
    const page = await connect({ provider, server, client, browser })
    expect(page.status).toBe(403)
    expect(page.html).toContain('This account may not sign in here.')
    expect(signInRefusals(server.events)).toEqual(['person-not-allowed'])
  })

  it('is refused with the right passphrase, and is not signed in', async () => {
    const server = openDeployment({ allow: { ids: ['guest'] } })
    const client = await AuthClient.register(server)
    const browser = new Browser(server)
    const page = await browser.decide(await client.authorize(browser), 'approve', {
      passphrase: PASSPHRASE,
    })
    expect(page.status).toBe(403)
    expect(page.html).toContain(`owner ${NOT_ALLOWED}`)
    expect((await browser.signIn()).status).toBe(403)
    expect(browser.cookies.has(LOGIN)).toBe(false)
  })
})

describe('groups', () => {
  it.each<[string, unknown, number]>([
    ['in a list', ['staff', 'admins'], 303],
    ['as one text, which is one group', 'admins', 303],
    ['as one text that contains the name', 'superadmins', 403],
    ['as one text with separators', 'staff,admins', 403],
    ['as objects', [{ name: 'admins' }], 403],
    ['as an object', { admins: true }, 403],
    ['without the claim', undefined, 403],
  ])('%s', async (_, groups, status) => {
    const opened = await open({ allow: { groups: ['admins'] } }, { groups })
    expect((await connect(opened)).status).toBe(status)
  })

  it('come from another claim where the login says so', async () => {
    const provider = await OpenIdProvider.start()
    provider.claims = { roles: ['admins'] }
    const login = provider.login({ attributes: ({ roles }) => ({ groups: roles }) })
    const server = openDeployment({ login, allow: { groups: ['admins'] } })
    const client = await AuthClient.register(server)
    const opened = { provider, server, client, browser: new Browser(server) }
    expect((await connect(opened)).status).toBe(303)
  })
})

const ROLES: ScopesOf = ({ groups }) => {
  if (groups.includes('admins')) return ['read', 'write']
  return groups.includes('staff') ? ['read'] : undefined
}

describe('scopesOf', () => {
  it.each<[string, readonly string[], string | undefined, string]>([
    ['everything that the role has', ['admins'], 'read write', 'read write'],
    ['what remains of the request', ['staff'], 'read write', 'read'],
    ['what remains of the defaults', ['staff'], undefined, 'read'],
    ['no more than was requested', ['admins'], 'read', 'read'],
  ])('grants %s', async (_, groups, requested, granted) => {
    const opened = await open({ scopesOf: ROLES }, { groups })
    const page = await connect(opened, requested)
    expect((await tokensOf(await opened.client.redeem(codeOf(page)))).scope).toBe(granted)
  })

  it('grants the included scopes of a scope that the person may not have', async () => {
    const scopes = { read: 'Read', write: { description: 'Write', includes: ['read'] } }
    const opened = await open({ scopes, scopesOf: ROLES }, { groups: ['staff'] })
    const page = await connect(opened, 'write')
    expect((await tokensOf(await opened.client.redeem(codeOf(page)))).scope).toBe('read')
  })

  it('returns undefined for a person who may not come in', async () => {
    const opened = await open({ scopesOf: ROLES }, { groups: ['others'] })
    const page = await connect(opened)
    expect(page.status).toBe(403)
    expect(page.html).toContain(NOT_ALLOWED)
  })

  it('refuses a person who has none of the requested scopes', async () => {
    const opened = await open({ scopesOf: ROLES }, { groups: ['staff'] })
    const page = await connect(opened, 'write')
    expect(page.status).toBe(403)
    expect(page.html).toContain('none of the permissions that this app requests')
  })

  it('is asked only about people on an allow-list', async () => {
    const asked: string[] = []
    const scopesOf: ScopesOf = ({ subject }) => {
      asked.push(subject)
      return ['read']
    }
    const opened = await open({ ...COLLEAGUES, scopesOf }, { email: 'eve@evil.com' })
    expect((await connect(opened)).status).toBe(403)
    expect(asked).toEqual([])
  })

  it.each<[string, ScopesOf]>([
    [
      'throws',
      () => {
        throw new Error('the database is down')
      },
    ],
    ['rejects', async () => Promise.reject(new Error('the database is down'))],
    ['returns a scope that does not exist', () => ['admin']],
    ['returns a text', () => 'read' as unknown as string[]],
    ['returns null', () => null as unknown as undefined],
  ])('that %s answers 503 and lets no one in', async (_, scopesOf) => {
    const opened = await open({ scopesOf }, ANN)
    const page = await connect(opened)
    expect([page.status, page.location]).toEqual([503, null])
    expect(page.html).not.toContain('database')
    expect(opened.browser.cookies.has(LOGIN)).toBe(false)
    expect(opened.server.events).toContainEqual({
      type: 'internal-error',
      error: expect.any(Error),
    })
  })

  it('limits what the consent page offers to a person who is signed in', async () => {
    const scopesOf: ScopesOf = ({ subject }) => (subject === 'owner' ? ['read'] : ['write'])
    const server = openDeployment({ scopesOf })
    const client = await AuthClient.register(server)
    const browser = new Browser(server)
    const anonymous = await client.authorize(browser)
    expect(anonymous.html).toContain('only what your account may do')
    await browser.signIn()
    const page = await client.authorize(browser)
    expect(page.html).toContain('Read notes')
    expect(page.html).not.toContain('Change notes')
    expect(page.html).not.toContain('only what your account may do')
    const code = codeOf(await browser.decide(page, 'approve'))
    expect((await tokensOf(await client.redeem(code))).scope).toBe('read')
  })

  it('grants no scope that the page has not shown, when the role grows before the answer', async () => {
    let scopes = ['read']
    const server = openDeployment({ scopesOf: () => scopes })
    const client = await AuthClient.register(server)
    const browser = new Browser(server)
    await browser.signIn()
    const page = await client.authorize(browser)
    scopes = ['read', 'write']
    const code = codeOf(await browser.decide(page, 'approve'))
    expect((await tokensOf(await client.redeem(code))).scope).toBe('read')
  })
})

describe('a role that was removed', () => {
  /** A grant of both scopes, for a person with a role that the test changes. */
  async function openRole() {
    const role: { scopes: string[] | undefined; fails?: boolean } = { scopes: ['read', 'write'] }
    const scopesOf: ScopesOf = () => {
      if (role.fails) throw new Error('the database is down')
      return role.scopes
    }
    const notes = new FullServer({ name: 'notes', version: '1.0.0' })
    notes.registerTool('write', { scopes: ['write'] }, () => 'written')
    const server = openDeployment({ scopesOf }, { server: notes })
    const client = await AuthClient.register(server)
    return { role, server, client, tokens: await client.tokens() }
  }

  /** The status of a call of a tool that needs the scope `write`. */
  async function statusOfWrite(server: Deployment, token: string): Promise<number> {
    const params = { name: 'write', arguments: {} }
    const { status } = await server.fetch(RESOURCE, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${token}`,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    })
    return status
  }

  it('lets the token pass with fewer scopes after 30 seconds', async () => {
    const { role, server, tokens } = await openRole()
    expect(await statusOfWrite(server, tokens.access)).toBe(200)
    role.scopes = ['read']
    advance(30_000)
    expect(await statusWith(server, tokens.access)).toBe(200)
    expect(await statusOfWrite(server, tokens.access)).toBe(403)
  })

  it('of a person who may not come in any more refuses the token after 30 seconds', async () => {
    const { role, server, tokens } = await openRole()
    expect(await statusWith(server, tokens.access)).toBe(200)
    role.scopes = undefined
    advance(30_000)
    expect(await statusWith(server, tokens.access)).toBe(401)
  })

  it('limits the tokens of a refresh, and is back when the person has it again', async () => {
    const { role, client, tokens } = await openRole()
    role.scopes = ['read']
    const next = await tokensOf(await client.refresh(tokens.refresh))
    expect(next.scope).toBe('read')
    role.scopes = ['read', 'write']
    expect((await tokensOf(await client.refresh(next.refresh))).scope).toBe('read write')
  })

  it('of a person who may not come in any more refuses the refresh, and keeps the grant', async () => {
    const { role, client, server, tokens } = await openRole()
    role.scopes = undefined
    expect(await refusalOf(await client.refresh(tokens.refresh))).toEqual(
      refusalWith('invalid_grant'),
    )
    expect(reasonsOf(server)).toEqual(['person-not-allowed'])
    role.scopes = ['write']
    expect((await tokensOf(await client.refresh(tokens.refresh))).scope).toBe('write')
  })

  it('cannot be determined: the refresh and the call are answered with 503', async () => {
    const { role, client, server, tokens } = await openRole()
    role.fails = true
    expect(await refusalOf(await client.refresh(tokens.refresh))).toEqual(
      refusalWith('temporarily_unavailable', 503),
    )
    advance(30_000)
    expect(await statusWith(server, tokens.access)).toBe(503)
    role.fails = false
    expect((await client.refresh(tokens.refresh)).status).toBe(200)
  })
})

describe('a person whose attributes change', () => {
  it('is refused at the refresh after the provider has reported the change', async () => {
    const opened = await open({ allow: { groups: ['staff'] } }, { groups: ['staff'] })
    const { client, server, provider } = opened
    const tokens = await tokensOf(await client.redeem(codeOf(await connect(opened))))
    advance(60 * 60_000)
    provider.claims = { groups: ['former-staff'] }
    provider.tokens = { id_token: await provider.idToken() }
    expect((await refusalOf(await client.refresh(tokens.refresh))).error).toBe('invalid_grant')
    expect(reasonsOf(server)).toEqual(['person-not-allowed'])
  })

  it('keeps the attributes of the sign-in when the id token of a renewal is of another person', async () => {
    const opened = await open({ allow: { groups: ['staff'] } }, { groups: ['staff'] })
    const { client, provider } = opened
    const tokens = await tokensOf(await client.redeem(codeOf(await connect(opened))))
    advance(60 * 60_000)
    provider.claims = { sub: 'eve', groups: ['others'] }
    provider.tokens = { id_token: await provider.idToken() }
    expect((await client.refresh(tokens.refresh)).status).toBe(200)
  })

  it('is refused at the next call when the allow-list of a deployment does not have them', async () => {
    const opened = await open(COLLEAGUES, ANN)
    const { client, server, provider } = opened
    const tokens = await tokensOf(await client.redeem(codeOf(await connect(opened))))
    const options = { login: provider.login(), allow: { emails: ['bob@acme.com'] } }
    const next = openDeployment(options, { bindings: server.bindings })
    expect(await statusWith(next, tokens.access)).toBe(401)
    expect(await statusWith(server, tokens.access)).toBe(200)
  })
})
