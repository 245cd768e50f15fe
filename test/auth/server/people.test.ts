/** Who may come in, and with which scopes: at the sign-in, at the consent, at a refresh and at a call. */
import { describe, expect, it } from 'vitest'
import {
  type EmbeddedOptions,
  ownLogin,
  type Person,
  type ScopesOf,
} from '../../../src/auth/index.ts'
import { reasonsOf } from './support/answers.ts'
import {
  ADA_KEY,
  ADA_NEW_KEY,
  callTool,
  openWithKeys,
  propsServer,
  replaceKey,
  signInWithKey,
  tokensWithKey,
} from './support/api-keys.ts'
import { Browser, formOf, type Page } from './support/browser.ts'
import { AuthClient, codeOf, statusWith, tokensOf } from './support/client.ts'
import { advance, type Deployment, openDeployment } from './support/deployment.ts'
import {
  authorize,
  decide,
  expectRefusal,
  issue,
  LOGIN,
  open as openFlow,
  pageText,
} from './support/flow.ts'
import { OpenIdProvider } from './support/provider.ts'

const HOUR_MS = 3_600_000
const NOT_ALLOWED = 'may not use this server'

const signInRefusals = ({ events }: Deployment) =>
  events.flatMap((event) => (event.type === 'sign-in-refused' ? [event.reason] : []))

/** A server with an OpenID provider whose people come from `claims`. */
async function open(
  options: Partial<EmbeddedOptions>,
  claims: OpenIdProvider['claims'] = {},
  loginOptions: Parameters<OpenIdProvider['login']>[0] = {},
) {
  const provider = await OpenIdProvider.start()
  provider.claims = claims
  const opened = await openFlow({ login: provider.login(loginOptions), ...options })
  return { provider, ...opened }
}

type Opened = Awaited<ReturnType<typeof open>>

/** Approves, and signs in at the provider. */
async function connect({ provider, client, browser }: Opened, scope?: string): Promise<Page> {
  const { location } = await browser.decide(await client.authorize(browser, { scope }), 'approve')
  return browser.get(provider.visit(location).callback)
}

const tokensIn = async (opened: Opened, scope?: string) =>
  tokensOf(await opened.client.redeem(codeOf(await connect(opened, scope))))

const COLLEAGUES = { allow: { emailDomains: ['acme.com'] } }
const ANN = { email: 'ann@acme.com', email_verified: true }
const EVE = { email: 'eve@evil.com', email_verified: true }

describe('a person on an allow-list', () => {
  it('connects an app, and does not see the stored attributes among the props', async () => {
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
    const tokens = await tokensIn(opened)
    // The hook has replaced the props; the person stays known.
    expect(await statusWith(opened.server, tokens.access)).toBe(200)
    expect((await opened.client.refresh(tokens.refresh)).status).toBe(200)
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
    expect(signInRefusals(opened.server)).toEqual(['person-not-allowed'])
    expect(JSON.stringify(opened.server.events)).not.toContain('Ada')
  })

  it('can sign in with another account, which the provider is asked to offer', async () => {
    const opened = await open(COLLEAGUES, EVE)
    const { browser, provider, client } = opened
    const page = await connect(opened)
    const { location } = await browser.decide(page, 'approve')
    expect(new URL(location ?? '').searchParams.get('prompt')).toBe('select_account')
    provider.claims = ANN
    const back = await browser.get(provider.visit(location).callback)
    expect((await client.redeem(codeOf(back))).status).toBe(200)
  })

  it('sends access_denied to the client by denying', async () => {
    const opened = await open(COLLEAGUES, EVE)
    const denied = await opened.browser.decide(await connect(opened), 'deny')
    expect(pageText(denied)).toBe('redirect access_denied')
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
    const opened = await open({}, {}, { admit: () => false })
    const page = await connect(opened)
    expect(page.status).toBe(403)
    expect(page.html).toContain('This account may not sign in here.')
    expect(signInRefusals(opened.server)).toEqual(['person-not-allowed'])
  })

  it('is refused with the right passphrase, and is not signed in', async () => {
    const { page, browser } = await decide({ allow: { ids: ['guest'] } })
    expect(page.status).toBe(403)
    expect(page.html).toContain(`owner ${NOT_ALLOWED}`)
    expect((await browser.signIn()).status).toBe(403)
    expect(browser.cookies.has(LOGIN)).toBe(false)
  })
})

describe('groups', () => {
  it.each<[string, number, OpenIdProvider['claims'], boolean?]>([
    ['in a list', 303, { groups: ['staff', 'admins'] }],
    ['as one text, which is one group', 303, { groups: 'admins' }],
    ['as one text that contains the name', 403, { groups: 'superadmins' }],
    ['as one text with separators', 403, { groups: 'staff,admins' }],
    ['as objects', 403, { groups: [{ name: 'admins' }] }],
    ['as an object', 403, { groups: { admins: true } }],
    ['without the claim', 403, {}],
    ['in another claim, which the login names', 303, { roles: ['admins'] }, true],
  ])('%s are answered with %i', async (_, status, claims, isOther) => {
    const attributes: OpenIdProvider['claims'] = isOther
      ? { attributes: ({ roles }: { roles: unknown }) => ({ groups: roles }) }
      : {}
    const opened = await open({ allow: { groups: ['admins'] } }, claims, attributes)
    expect((await connect(opened)).status).toBe(status)
  })

  const finishWith = async (person: object) => {
    const login = ownLogin({
      name: 'Elsewhere',
      begin: async ({ state }) => new URL(`https://elsewhere.example/?state=${state}`),
      finish: async () => ({ subject: 'ada', name: 'Ada', props: undefined, ...person }) as Person,
    })
    const { browser, page } = await authorize({ login, allow: { groups: ['admins'] } })
    const { location } = await browser.decide(page, 'approve')
    return browser.get(`/authorize/callback${new URL(location ?? '').search}`)
  }

  it.each([
    ['a group of the list', 303, { groups: ['admins'] }],
    ['another group', 403, { groups: ['staff'] }],
    ['no groups', 403, {}],
    ['one text in place of a list', 500, { groups: 'admins' }],
  ])('of a login of the author that returns %s are answered with %i', async (_, status, person) => {
    expect((await finishWith(person)).status).toBe(status)
  })

  it('of the owner of an API key are compared, and stay when the key is replaced', async () => {
    const { service, server } = openWithKeys({ allow: { groups: ['staff'] } })
    const client = await AuthClient.register(server)
    const browser = new Browser(server)
    const page = await client.authorize(browser)
    expect((await browser.decide(page, 'approve', { api_key: ADA_KEY })).status).toBe(403)
    service.owners.set(ADA_KEY, { subject: 'ada', groups: ['staff'] })
    service.owners.set(ADA_NEW_KEY, { subject: 'ada', groups: ['staff'], props: { plan: 'new' } })
    const { access } = await tokensWithKey(client, ADA_KEY)
    await replaceKey(await signInWithKey(server, ADA_KEY), ADA_NEW_KEY)
    advance(30_000)
    expect(await statusWith(server, access)).toBe(200)
  })
})

const ROLES: ScopesOf = ({ groups }) => {
  if (groups.includes('admins')) return ['read', 'write']
  return groups.includes('staff') ? ['read'] : undefined
}

describe('scopesOf', () => {
  const scopes = { read: 'Read', write: { description: 'Write', includes: ['read'] } }

  it.each<[string, readonly string[], string | undefined, string, object?]>([
    ['everything that the role has', ['admins'], 'read write', 'read write'],
    ['what remains of the request', ['staff'], 'read write', 'read'],
    ['what remains of the defaults', ['staff'], undefined, 'read'],
    ['no more than was requested', ['admins'], 'read', 'read'],
    ['the included scopes of one that is not allowed', ['staff'], 'write', 'read', { scopes }],
  ])('grants %s', async (_, groups, requested, granted, options) => {
    const opened = await open({ scopesOf: ROLES, ...options }, { groups })
    expect((await tokensIn(opened, requested)).scope).toBe(granted)
  })

  it.each<[string, readonly string[], string | undefined, string]>([
    ['may not come in', ['others'], undefined, NOT_ALLOWED],
    ['has none', ['staff'], 'write', 'none of the permissions that this app requests'],
  ])('refuses a person who %s of the requested scopes', async (_, groups, requested, text) => {
    const page = await connect(await open({ scopesOf: ROLES }, { groups }), requested)
    expect(page.status).toBe(403)
    expect(page.html).toContain(text)
  })

  it('is asked only about people on an allow-list', async () => {
    const asked: string[] = []
    const scopesOf: ScopesOf = ({ subject }) => {
      asked.push(subject)
      return ['read']
    }
    expect((await connect(await open({ ...COLLEAGUES, scopesOf }, EVE))).status).toBe(403)
    expect(asked).toEqual([])
  })

  it.each<[string, () => unknown]>([
    ['rejects', async () => Promise.reject(new Error('the database is down'))],
    ['returns a scope that does not exist', () => ['admin']],
    ['returns a text', () => 'read'],
    ['returns null', () => null],
  ])('that %s answers 503 and lets no one in', async (_, scopesOf) => {
    const opened = await open({ scopesOf: scopesOf as ScopesOf }, ANN)
    const page = await connect(opened)
    expect([page.status, page.location]).toEqual([503, null])
    expect(page.html).not.toContain('database')
    expect(opened.browser.cookies.has(LOGIN)).toBe(false)
    const event = { type: 'internal-error', error: expect.any(Error) }
    expect(opened.server.events).toContainEqual(event)
  })

  it('limits what the consent page offers to a person who is signed in', async () => {
    const scopesOf: ScopesOf = ({ subject }) => (subject === 'owner' ? ['read'] : ['write'])
    const anonymous = await authorize({ scopesOf })
    expect(anonymous.page.html).toContain('only what your account may do')
    const { page } = await authorize({ scopesOf, signedIn: true })
    expect(page.html).toContain('Read notes')
    expect(page.html).not.toMatch(/Change notes|only what your account may do/)
    expect((await issue({ scopesOf, signedIn: true })).text).toBe('200 Bearer read')
  })

  it('grants no scope that the page has not shown, when the role grows before the answer', async () => {
    let scopes = ['read']
    const { client, browser, page } = await authorize({ scopesOf: () => scopes, signedIn: true })
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
    const server = openDeployment({ scopesOf }, { server: propsServer() })
    const client = await AuthClient.register(server)
    return { role, server, client, tokens: await client.tokens() }
  }

  it('lets the token pass with fewer scopes, or refuses it, after 30 seconds', async () => {
    const { role, server, tokens } = await openRole()
    const change = async () => (await callTool(server, tokens.access, 'change')).status
    expect(await change()).toBe(200)
    role.scopes = ['read']
    advance(30_000)
    expect([await statusWith(server, tokens.access), await change()]).toEqual([200, 403])
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
    await expectRefusal(client.refresh(tokens.refresh), 'invalid_grant')
    expect(reasonsOf(server)).toEqual(['person-not-allowed'])
    role.scopes = ['write']
    expect((await tokensOf(await client.refresh(tokens.refresh))).scope).toBe('write')
  })

  it('cannot be determined: the refresh and the call are answered with 503', async () => {
    const { role, client, server, tokens } = await openRole()
    role.fails = true
    await expectRefusal(client.refresh(tokens.refresh), 'temporarily_unavailable', 503)
    advance(30_000)
    expect(await statusWith(server, tokens.access)).toBe(503)
    role.fails = false
    expect((await client.refresh(tokens.refresh)).status).toBe(200)
  })
})

describe('a person whose attributes change', () => {
  it.each([
    ['is refused', 'the person has changed', 400, { groups: ['former-staff'] }],
    ['is answered', 'the id token is of another person', 200, { sub: 'eve', groups: ['others'] }],
  ])('%s at the refresh when %s', async (_, __, status, claims) => {
    const opened = await open({ allow: { groups: ['staff'] } }, { groups: ['staff'] })
    const { client, server, provider } = opened
    const tokens = await tokensIn(opened)
    advance(HOUR_MS)
    provider.claims = claims
    provider.tokens = { id_token: await provider.idToken() }
    expect((await client.refresh(tokens.refresh)).status).toBe(status)
    expect(reasonsOf(server)).toEqual(status === 400 ? ['person-not-allowed'] : [])
  })

  it('is refused at the next call when the allow-list of a deployment does not have them', async () => {
    const opened = await open(COLLEAGUES, ANN)
    const { server, provider } = opened
    const { access } = await tokensIn(opened)
    const options = { login: provider.login(), allow: { emails: ['bob@acme.com'] } }
    const next = openDeployment(options, { bindings: server.bindings })
    expect(await statusWith(next, access)).toBe(401)
    expect(await statusWith(server, access)).toBe(200)
  })
})
