/** `prompt` and `max_age` of an authorization request: which page is shown, and which error replaces it. */
import { describe, expect, it } from 'vitest'
import { Browser, type Fields } from './support/browser.ts'
import { codeOf } from './support/client.ts'
import { advance, NOW, openDeployment, PASSPHRASE } from './support/deployment.ts'
import { authorize, DIRECT, issue, open as openFlow, pageText, type Steps } from './support/flow.ts'
import { OpenIdProvider } from './support/provider.ts'
import { MACHINE } from './support/static-clients.ts'

const ELSEWHERE = { 'sec-fetch-site': 'cross-site' }
const LOOPBACK = 'http://127.0.0.1:8976/callback'
const EVIL = 'https://evil.example/'
const EDITOR = 'cursor://anysphere.cursor-mcp/oauth/callback'
const NONE = { prompt: 'none' }

/** A browser that is signed in, and a configured client with a secret, whose consent may be remembered. */
async function open(isRemembered: boolean) {
  const opened = await openFlow({ kind: 'static', signedIn: true })
  const { browser, client } = opened
  const ask = async (changes: Fields = {}, headers: Steps['headers'] = DIRECT) => {
    const page = await browser.get(client.authorizePath(changes), headers)
    const asks = page.html.includes('name="passphrase"') ? 'passphrase' : pageText(page)
    return { page, asks }
  }
  const remember = async (changes: Fields = {}) =>
    codeOf(await browser.decide((await ask(changes)).page, 'approve'))
  if (isRemembered) await remember()
  return { ...opened, ask, remember }
}

describe('a request whose consent is remembered', () => {
  it.each<[string, string, Fields, Steps['headers']?]>([
    ['nothing', 'code', {}],
    ['prompt=consent', 'signed-in question', { prompt: 'consent' }],
    ...['login', 'login consent', 'consent login', ' login  consent ', 'login login'].map(
      (prompt): [string, string, Fields] => [`prompt=${prompt}`, 'passphrase', { prompt }],
    ),
    ['prompt=select_account', 'passphrase', { prompt: 'select_account' }],
    ...['create', 'LOGIN', 'CONSENT', 'None', 'nonesuch', ''].map(
      (prompt): [string, string, Fields] => [`the unknown prompt=${prompt}`, 'code', { prompt }],
    ),
    ['prompt=none', 'code', NONE],
    ['prompt=none from another site', 'redirect interaction_required', NONE, ELSEWHERE],
    ...['none login', 'none consent', 'login none', 'none create', 'none select_account'].map(
      (prompt): [string, string, Fields] => [
        `prompt=${prompt}`,
        'redirect invalid_request',
        { prompt },
      ],
    ),
    ['max_age=0', 'passphrase', { max_age: '0' }],
    ['prompt=none and max_age=0', 'redirect login_required', { ...NONE, max_age: '0' }],
    ['prompt=none and max_age=60', 'code', { ...NONE, max_age: '60' }],
    ...['43200', '9007199254740993', '9'.repeat(400), '', '007'].map(
      (max_age): [string, string, Fields] => [`max_age=${max_age}`, 'code', { max_age }],
    ),
    ...['-1', '1.5', '1e3', '0x10', ' 60', '+60', 'sixty', 'NaN', 'Infinity', '٣'].map(
      (max_age): [string, string, Fields] => [
        `max_age=${max_age}`,
        'redirect invalid_request',
        { max_age },
      ],
    ),
  ])('with %s is answered with: %s', async (_, answer, changes, headers) => {
    const { ask } = await open(true)
    expect((await ask(changes, headers)).asks).toBe(answer)
  })

  it('asks for a sign-in when the last one is as old as max_age', async () => {
    const { ask } = await open(true)
    advance(59_999)
    expect((await ask({ max_age: '60' })).asks).toBe('code')
    advance(1)
    expect((await ask({ max_age: '60' })).asks).toBe('passphrase')
  })

  it('measures max_age from the sign-in when the lifetime of sign-ins has become shorter since', async () => {
    const { server, browser, client } = await open(true)
    advance(3_600_000)
    const options = { clients: [MACHINE], limits: { loginTtlMs: 3_600_000 } }
    const later = openDeployment(options, { bindings: server.bindings })
    const page = await browser.at(later).get(client.authorizePath({ max_age: '1800' }), DIRECT)
    expect(page.html).toContain('name="passphrase"')
    expect(Date.now()).toBe(NOW + 3_600_000)
  })
})

describe('prompt=consent', () => {
  it('works at the first try of a program on the computer, which sends it always', async () => {
    const { text } = await issue({
      metadata: { redirect_uris: [LOOPBACK] },
      authorize: { prompt: 'consent', redirect_uri: LOOPBACK },
      token: { redirect_uri: LOOPBACK },
    })
    expect(text).toBe('200 Bearer read write')
  })
})

describe('prompt=login', () => {
  it('issues no code without the passphrase, and one with it', async () => {
    const { browser, ask } = await open(false)
    const { page } = await ask({ prompt: 'login' })
    expect((await browser.decide(page, 'approve')).status).toBe(400)
    expect((await browser.decide(page, 'approve', { passphrase: 'wrong' })).status).toBe(401)
    const approved = await browser.decide(page, 'approve', { passphrase: PASSPHRASE })
    expect(pageText(approved)).toBe('code')
  })
})

describe('prompt=none', () => {
  const none = (redirect_uri: string, how: Steps = {}): Steps => ({
    ...how,
    metadata: { redirect_uris: [redirect_uri] },
    authorize: { ...NONE, redirect_uri },
  })
  const CONFIGURED: Steps = { kind: 'static', headers: DIRECT, authorize: NONE }

  it.each<[string, string, Steps]>([
    ['a browser that is not signed in', 'redirect login_required', CONFIGURED],
    ['no remembered consent', 'redirect consent_required', { ...CONFIGURED, signedIn: true }],
    [
      ...(['its value twice', 'redirect consent_required'] as const),
      { ...CONFIGURED, signedIn: true, authorize: { prompt: 'none none' } },
    ],
    ['a web site that registered itself', 'link login_required', none(EVIL)],
    ['that and a signed-in person', 'link consent_required', none(EVIL, { signedIn: true })],
    ['a program on this computer', 'redirect login_required', none(LOOPBACK)],
    ['an app, which no redirect opens', 'link login_required', none(EDITOR)],
  ])('with %s is answered with: %s', async (_, answer, steps) => {
    expect((await authorize(steps)).text).toBe(answer)
  })

  it('is answered with invalid_request as one of two parameters', async () => {
    const steps = { ...CONFIGURED, signedIn: true, query: '&prompt=login' }
    expect((await authorize(steps)).text).toBe('redirect invalid_request')
  })

  it('is answered with consent_required for a scope beyond the remembered ones', async () => {
    const { ask, remember, server } = await open(false)
    await remember({ scope: 'read' })
    const { asks } = await ask({ ...NONE, scope: 'read write' })
    expect(asks).toBe('redirect consent_required')
    expect(server.events).toContainEqual(
      expect.objectContaining({ type: 'refusal', name: 'consent_required', status: 303 }),
    )
  })

  it('is answered with interaction_required when the person may not come in any more', async () => {
    const { server, browser, client } = await open(true)
    const options = { clients: [MACHINE], allow: { ids: ['guest'] } }
    const later = openDeployment(options, { bindings: server.bindings })
    const page = await browser.at(later).get(client.authorizePath(NONE), DIRECT)
    expect(pageText(page)).toBe('redirect interaction_required')
  })

  it('is answered with login_required where each grant needs a sign-in at the provider', async () => {
    const provider = await OpenIdProvider.start()
    const { client } = await openFlow({ kind: 'static', login: provider.login() })
    await provider.code(client)
    expect(pageText(await client.authorize(undefined, NONE))).toBe('redirect login_required')
  })

  it('is never answered with a code for a client that cannot prove its identity', async () => {
    const metadata = { redirect_uris: [LOOPBACK] }
    const { client, browser } = await openFlow({ signedIn: true, metadata })
    const path = (changes: Fields) => client.authorizePath({ redirect_uri: LOOPBACK, ...changes })
    codeOf(await browser.decide(await browser.get(path({}), DIRECT), 'approve'))
    const page = await browser.get(path(NONE), DIRECT)
    expect(pageText(page, { redirect_uri: LOOPBACK })).toBe('redirect consent_required')
  })
})

describe('a sign-in at a provider', () => {
  async function openElsewhere(changes: Fields, options = {}) {
    const provider = await OpenIdProvider.start()
    const { client, server } = await openFlow({ login: provider.login(options) })
    const browser = new Browser(server)
    const send = async () =>
      (await browser.decide(await client.authorize(browser, changes), 'approve')).location
    return { provider, browser, send }
  }

  it.each<[string, Fields, string | null, string | null]>([
    ['without prompt and max_age', {}, null, null],
    ['with prompt=login', { prompt: 'login' }, 'login', '0'],
    ['with max_age=0', { max_age: '0' }, 'login', '0'],
    ['with max_age=600', { max_age: '600' }, null, '600'],
    ['with a max_age of 400 digits', { max_age: '9'.repeat(400) }, null, '9007199254740991'],
    ['with prompt=consent', { prompt: 'consent' }, null, null],
    ['with prompt=select_account', { prompt: 'select_account' }, 'select_account', null],
  ])('%s asks the provider for the same', async (_, changes, prompt, maxAge) => {
    const { send } = await openElsewhere(changes)
    const { searchParams } = new URL((await send()) ?? '')
    expect([searchParams.get('prompt'), searchParams.get('max_age')]).toEqual([prompt, maxAge])
  })

  it.each([
    ['prompt=login', { prompt: 'login' }, 0],
    ['max_age=600', { max_age: '600' }, 600],
  ])('that is older than %s allows issues no code', async (_, changes, seconds) => {
    const { provider, browser, send } = await openElsewhere(changes)
    const signInAt = async (auth_time: number) => {
      const { callback } = provider.visit(await send())
      provider.claims = { auth_time }
      // The person takes five minutes at the provider.
      advance(300_000)
      return pageText(await browser.get(callback))
    }
    const tooOld = Date.now() / 1000 - seconds - 61
    expect(await signInAt(tooOld)).toBe('redirect access_denied')
    expect(await signInAt(Date.now() / 1000 - seconds)).toBe('code')
  })

  it('keeps the prompt that the author has configured, beside the one that the client needs', async () => {
    const { send } = await openElsewhere({ prompt: 'login' }, { prompt: 'consent' })
    expect(new URL((await send()) ?? '').searchParams.get('prompt')).toBe('login consent')
  })
})
