/** `prompt` and `max_age` of an authorization request: which page is shown, and which error replaces it. */
import { describe, expect, it } from 'vitest'
import { errorWith, linkedErrorOf, messageOf, redirectOf } from './support/answers.ts'
import { Browser, type Fields, type Page } from './support/browser.ts'
import { AuthClient, codeOf, REDIRECT_URI } from './support/client.ts'
import { advance, NOW, openDeployment } from './support/deployment.ts'
import { OpenIdProvider } from './support/provider.ts'
import { MACHINE, SECRET } from './support/static-clients.ts'

const DIRECT = { 'sec-fetch-site': 'none' }
const ELSEWHERE = { 'sec-fetch-site': 'cross-site' }
const LOOPBACK = 'http://127.0.0.1:8976/callback'

/** A browser that is signed in, and a configured client with a secret. */
async function open() {
  const server = openDeployment({ clients: [MACHINE] })
  const browser = new Browser(server)
  const client = new AuthClient(server, 'machine', SECRET)
  await browser.signIn()
  const ask = (changes: Fields = {}, headers: Readonly<Record<string, string>> = DIRECT) =>
    browser.get(client.authorizePath(changes), headers)
  const remember = async () => codeOf(await browser.decide(await ask(), 'approve'))
  return { server, browser, client, ask, remember }
}

const asksForPassphrase = ({ status, html }: Page) =>
  status === 200 && html.includes('name="passphrase"')

const asksForConsent = ({ status, html }: Page) =>
  status === 200 && html.includes('name="decision"') && !html.includes('name="passphrase"')

describe('prompt=consent', () => {
  it('shows the page although the consent is remembered, and asks for no sign-in', async () => {
    const { ask, remember } = await open()
    await remember()
    expect((await ask()).status).toBe(303)
    expect(asksForConsent(await ask({ prompt: 'consent' }))).toBe(true)
  })

  it('works at the first try of a program on the computer, which sends it always', async () => {
    const server = openDeployment()
    const client = await AuthClient.register(server, { redirect_uris: [LOOPBACK] })
    const code = await client.code({ prompt: 'consent', redirect_uri: LOOPBACK })
    expect((await client.redeem(code, { redirect_uri: LOOPBACK })).status).toBe(200)
  })
})

describe('prompt=login', () => {
  it('asks a signed-in person for the passphrase again', async () => {
    const { ask, remember } = await open()
    await remember()
    expect(asksForPassphrase(await ask({ prompt: 'login' }))).toBe(true)
  })

  it('issues no code without the passphrase, and one with it', async () => {
    const { browser, ask } = await open()
    const page = await ask({ prompt: 'login' })
    expect((await browser.decide(page, 'approve')).status).toBe(400)
    expect((await browser.decide(page, 'approve', { passphrase: 'wrong' })).status).toBe(401)
    const passphrase = 'correct horse battery staple'
    expect(codeOf(await browser.decide(page, 'approve', { passphrase }))).toBeTruthy()
  })

  it.each(['login consent', 'consent login', ' login  consent ', 'login login', 'select_account'])(
    'has the same effect in %j',
    async (prompt) => {
      const { ask, remember } = await open()
      await remember()
      expect(asksForPassphrase(await ask({ prompt }))).toBe(true)
    },
  )

  it.each(['create', 'LOGIN', 'CONSENT', 'None', 'nonesuch', ''])(
    'is none of the unknown value %j, which is ignored',
    async (prompt) => {
      const { ask, remember } = await open()
      await remember()
      expect((await ask({ prompt })).status).toBe(303)
    },
  )
})

describe('prompt=none', () => {
  const NONE = { prompt: 'none' }
  it('receives a code without a page when the consent is remembered', async () => {
    const { ask, remember } = await open()
    await remember()
    expect(codeOf(await ask(NONE))).toBeTruthy()
  })

  it('is answered with login_required when the browser is not signed in', async () => {
    const { server, client } = await open()
    const page = await new Browser(server).get(client.authorizePath(NONE), DIRECT)
    expect(redirectOf(page)).toEqual(errorWith('login_required'))
  })

  it('is answered with consent_required when no consent is remembered', async () => {
    const { ask } = await open()
    expect(redirectOf(await ask(NONE))).toEqual(errorWith('consent_required'))
  })

  it('is answered with consent_required for a scope beyond the remembered ones', async () => {
    const { browser, client, ask } = await open()
    const path = client.authorizePath({ scope: 'read' })
    codeOf(await browser.decide(await browser.get(path, DIRECT), 'approve'))
    expect(redirectOf(await ask({ ...NONE, scope: 'read write' }))).toEqual(
      errorWith('consent_required'),
    )
  })

  it('is answered with interaction_required when another site has sent the browser', async () => {
    const { ask, remember } = await open()
    await remember()
    expect(redirectOf(await ask(NONE, ELSEWHERE))).toEqual(errorWith('interaction_required'))
  })

  it('is answered with interaction_required when the person may not come in any more', async () => {
    const before = await open()
    await before.remember()
    const { bindings } = before.server
    const server = openDeployment({ clients: [MACHINE], allow: { ids: ['guest'] } }, { bindings })
    const page = await before.browser.at(server).get(before.client.authorizePath(NONE), DIRECT)
    expect(redirectOf(page)).toEqual(errorWith('interaction_required'))
  })

  it('is answered with login_required where each grant needs a sign-in at the provider', async () => {
    const provider = await OpenIdProvider.start()
    const server = openDeployment({ clients: [MACHINE], login: provider.login() })
    const client = new AuthClient(server, 'machine', SECRET)
    await provider.code(client)
    expect(redirectOf(await client.authorize(undefined, NONE))).toEqual(errorWith('login_required'))
  })

  it.each(['none login', 'none consent', 'login none', 'none create', 'none select_account'])(
    'is answered with invalid_request in %j',
    async (prompt) => {
      const { ask, remember } = await open()
      await remember()
      expect(redirectOf(await ask({ prompt }))).toEqual(errorWith('invalid_request'))
    },
  )

  it('is none alone also when it is repeated in the value, and an error as two parameters', async () => {
    const { browser, client, ask } = await open()
    expect(redirectOf(await ask({ prompt: 'none none' }))).toEqual(errorWith('consent_required'))
    const twice = await browser.get(`${client.authorizePath(NONE)}&prompt=login`, DIRECT)
    expect(redirectOf(twice)).toEqual(errorWith('invalid_request'))
  })

  it.each([
    ['that is not signed in', false, 'login_required'],
    ['that is signed in', true, 'consent_required'],
  ])(
    'does not redirect a browser %s to a web site that registered itself',
    async (_, isSignedIn, code) => {
      const server = openDeployment()
      const client = await AuthClient.register(server, { redirect_uris: ['https://evil.example/'] })
      const browser = new Browser(server)
      if (isSignedIn) await browser.signIn()
      const redirect_uri = 'https://evil.example/'
      const page = await client.authorize(browser, { ...NONE, redirect_uri })
      expect(messageOf(page)).toBe(400)
      expect(linkedErrorOf(page)).toMatchObject({ to: redirect_uri, error: code })
    },
  )

  it('redirects its error to a program on this computer', async () => {
    const server = openDeployment()
    const client = await AuthClient.register(server, { redirect_uris: [LOOPBACK] })
    const page = await client.authorize(undefined, { ...NONE, redirect_uri: LOOPBACK })
    expect(redirectOf(page)).toMatchObject({ to: LOOPBACK, error: 'login_required' })
  })

  it('opens no app without a click: the page links its error', async () => {
    const redirect_uri = 'cursor://anysphere.cursor-mcp/oauth/callback'
    const server = openDeployment()
    const client = await AuthClient.register(server, { redirect_uris: [redirect_uri] })
    const page = await client.authorize(undefined, { ...NONE, redirect_uri })
    expect(linkedErrorOf(page)).toMatchObject({ to: redirect_uri, error: 'login_required' })
  })

  it('is never answered with a code for a client that cannot prove its identity', async () => {
    const server = openDeployment()
    const client = await AuthClient.register(server, { redirect_uris: [LOOPBACK] })
    const browser = new Browser(server)
    await browser.signIn()
    const path = (changes: Fields) => client.authorizePath({ redirect_uri: LOOPBACK, ...changes })
    codeOf(await browser.decide(await browser.get(path({}), DIRECT), 'approve'))
    const page = await browser.get(path(NONE), DIRECT)
    expect(redirectOf(page)).toMatchObject({ error: 'consent_required' })
  })

  it('is reported as a refusal, with the status of the answer', async () => {
    const { server, ask } = await open()
    await ask(NONE)
    expect(server.events).toContainEqual(
      expect.objectContaining({ type: 'refusal', name: 'consent_required', status: 303 }),
    )
  })
})

describe('max_age', () => {
  it('of a minute asks for a sign-in a minute after the last one', async () => {
    const { ask, remember } = await open()
    await remember()
    advance(59_999)
    expect((await ask({ max_age: '60' })).status).toBe(303)
    advance(1)
    expect(asksForPassphrase(await ask({ max_age: '60' }))).toBe(true)
  })

  it('of 0 asks for a sign-in at once', async () => {
    const { ask, remember } = await open()
    await remember()
    expect(asksForPassphrase(await ask({ max_age: '0' }))).toBe(true)
  })

  it('is answered with login_required for prompt=none when the sign-in is older', async () => {
    const { ask, remember } = await open()
    await remember()
    expect(redirectOf(await ask({ prompt: 'none', max_age: '0' }))).toMatchObject({
      error: 'login_required',
    })
    expect(codeOf(await ask({ prompt: 'none', max_age: '60' }))).toBeTruthy()
  })

  it.each(['43200', '9007199254740993', '9'.repeat(400), '', '007'])(
    'of %s accepts a sign-in of this moment',
    async (max_age) => {
      const { ask, remember } = await open()
      await remember()
      expect((await ask({ max_age })).status).toBe(303)
    },
  )

  it.each(['-1', '1.5', '1e3', '0x10', ' 60', '+60', 'sixty', 'NaN', 'Infinity', '٣'])(
    'of %j is answered with invalid_request',
    async (max_age) => {
      const { ask, remember } = await open()
      await remember()
      expect(redirectOf(await ask({ max_age }))).toMatchObject({ error: 'invalid_request' })
    },
  )

  it('measures from the sign-in when the lifetime of sign-ins has become shorter since', async () => {
    const { server, browser, client, remember } = await open()
    await remember()
    advance(3_600_000)
    const { bindings } = server
    const limits = { loginTtlMs: 3_600_000 }
    const later = openDeployment({ clients: [MACHINE], limits }, { bindings })
    const page = await browser.at(later).get(client.authorizePath({ max_age: '1800' }), DIRECT)
    expect(asksForPassphrase(page)).toBe(true)
    expect(Date.now()).toBe(NOW + 3_600_000)
  })
})

describe('a sign-in at a provider', () => {
  it.each<[string, Fields, Readonly<Record<string, string | null>>]>([
    ['without prompt and max_age', {}, { prompt: null, max_age: null }],
    ['with prompt=login', { prompt: 'login' }, { prompt: 'login', max_age: '0' }],
    ['with max_age=0', { max_age: '0' }, { prompt: 'login', max_age: '0' }],
    ['with max_age=600', { max_age: '600' }, { prompt: null, max_age: '600' }],
    [
      'with a max_age of 400 digits',
      { max_age: '9'.repeat(400) },
      { prompt: null, max_age: '9007199254740991' },
    ],
    ['with prompt=consent', { prompt: 'consent' }, { prompt: null, max_age: null }],
    [
      'with prompt=select_account',
      { prompt: 'select_account' },
      { prompt: 'select_account', max_age: null },
    ],
  ])('%s asks the provider for the same', async (_, changes, expected) => {
    const provider = await OpenIdProvider.start()
    const server = openDeployment({ login: provider.login() })
    const client = await AuthClient.register(server)
    const browser = new Browser(server)
    const { location } = await browser.decide(await client.authorize(browser, changes), 'approve')
    const { searchParams } = new URL(location ?? '')
    const sent = { prompt: searchParams.get('prompt'), max_age: searchParams.get('max_age') }
    expect(sent).toEqual(expected)
  })

  it.each([
    ['prompt=login', { prompt: 'login' }, 0],
    ['max_age=600', { max_age: '600' }, 600],
  ])('that is older than %s allows issues no code', async (_, changes, seconds) => {
    const provider = await OpenIdProvider.start()
    const server = openDeployment({ login: provider.login() })
    const client = await AuthClient.register(server)
    const browser = new Browser(server)
    const signInAt = async (auth_time: number) => {
      const { location } = await browser.decide(await client.authorize(browser, changes), 'approve')
      const { callback } = provider.visit(location)
      provider.claims = { auth_time }
      // The person takes five minutes at the provider.
      advance(300_000)
      return browser.get(callback)
    }
    const answer = await signInAt(Date.now() / 1000 - seconds - 61)
    expect(redirectOf(answer)).toMatchObject({ to: REDIRECT_URI, error: 'access_denied' })
    expect(codeOf(await signInAt(Date.now() / 1000 - seconds))).toBeTruthy()
  })

  it('keeps the prompt that the author has configured, beside the one that the client needs', async () => {
    const provider = await OpenIdProvider.start()
    const server = openDeployment({ login: provider.login({ prompt: 'consent' }) })
    const client = await AuthClient.register(server)
    const browser = new Browser(server)
    const page = await client.authorize(browser, { prompt: 'login' })
    const { location } = await browser.decide(page, 'approve')
    expect(new URL(location ?? '').searchParams.get('prompt')).toBe('login consent')
  })
})
