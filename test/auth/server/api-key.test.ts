/** Sign-in with an API key: on the consent page, at the account page, and its replacement there. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { LoginError } from '../../../src/auth/index.ts'
import { expectPageHeaders, reasonsOf } from './support/answers.ts'
import {
  ADA_KEY,
  ADA_NEW_KEY,
  BOB_KEY,
  callerOf,
  openWithKeys,
  propsServer,
  replaceKey,
  signInWithKey,
  tokensWithKey,
} from './support/api-keys.ts'
import { Browser, formOf } from './support/browser.ts'
import { AuthClient, codeOf, statusWith, tokensOf } from './support/client.ts'
import { advance, type Deployment, openDeployment } from './support/deployment.ts'
import { expectRefusal, LOGIN, pageText } from './support/flow.ts'

const DOWN = () => {
  throw new Error('the service is down')
}

async function open(options: Parameters<typeof openWithKeys>[0] = {}) {
  const { service, server } = openWithKeys(options)
  const client = await AuthClient.register(server)
  const browser = new Browser(server)
  const decide = async (api_key: string | undefined, by = browser) =>
    by.decide(await client.authorize(by), 'approve', { api_key })
  return { service, server, client, browser, decide }
}

const refusalsOf = ({ events }: Deployment) =>
  events.flatMap((event) => (event.type === 'sign-in-refused' ? [event.reason] : []))

afterEach(() => {
  vi.restoreAllMocks()
})

describe('the consent page with API keys', () => {
  it('has a field with the label of the key, which the browser does not fill in', async () => {
    const { client, browser } = await open()
    const page = await client.authorize(browser)
    expectPageHeaders(page)
    expect(page.html).toContain('<label for="api_key">Service key</label>')
    expect(page.html).toMatch(
      /<input id="api_key"[^>]* type="password" required autocomplete="off"/,
    )
    expect(page.html).not.toContain('name="passphrase"')
  })

  it('issues tokens whose props hold the key and the props of its owner', async () => {
    const { service, server, client, decide } = await open()
    const approved = await decide(` \t${ADA_KEY}\r\n`)
    expect(service.verified).toEqual([ADA_KEY])
    const { access } = await tokensOf(await client.redeem(codeOf(approved)))
    const props = { plan: 'pro', apiKey: ADA_KEY }
    expect(await callerOf(server, access)).toMatchObject({ subject: 'ada', props })
  })

  it('asks for the key at each consent, also of a signed-in person', async () => {
    const { client, browser, decide } = await open()
    await decide(ADA_KEY)
    const page = await client.authorize(browser)
    expect(page.html).toContain('name="api_key"')
    expect(page.html).not.toContain('Ada Lovelace')
  })

  it.each([
    ['a wrong key', 401, 'wrong', ['api-key-wrong']],
    ['a key of 4,097 characters', 401, 'k'.repeat(4097), ['api-key-wrong']],
    ['a key with a line break', 401, 'one\r\ntwo', ['api-key-wrong']],
    ['a key that was withdrawn', 401, 'withdrawn', ['api-key-wrong']],
    ['no key', 400, undefined, []],
    ['white space', 400, '  ', []],
    ['a failure of the service', 503, 'failing', ['api-key-unchecked']],
    ['a LoginError with the reason unavailable', 503, 'later', ['api-key-unchecked']],
    ['a subject of 256 characters', 503, 'too-long', ['api-key-unchecked']],
    ['an empty subject', 503, 'empty', ['api-key-unchecked']],
    ['the subject of a client', 503, 'client', ['api-key-unchecked']],
    ['an owner without a subject', 503, 'none', ['api-key-unchecked']],
    ['props that are a list', 503, 'list', ['api-key-unchecked']],
  ])('after %s is shown again with status %i', async (_, status, key, reasons) => {
    const { service, server, browser, decide } = await open()
    service.owners
      .set('withdrawn', null)
      .set('too-long', { subject: 'x'.repeat(256) })
      .set('empty', { subject: '' })
      .set('client', { subject: 'client:1' })
      .set('none', {} as never)
      .set('list', { subject: 'ada', props: [] as never })
      .set('failing', DOWN)
      .set('later', () => {
        throw new LoginError('The service is down.', { reason: 'unavailable' })
      })
    const again = await decide(key)
    expect([again.status, again.actions]).toEqual([status, ['/authorize/decision']])
    expectPageHeaders(again)
    expect(again.html).toContain('role="alert"')
    expect(again.html).not.toContain('service is down')
    expect(browser.cookies.has(LOGIN)).toBe(false)
    expect(refusalsOf(server)).toEqual(reasons)
  })

  it('shows the message of a LoginError', async () => {
    const { service, server, decide } = await open()
    service.owners.set('read-only', () => {
      throw new LoginError('This key may only read.')
    })
    const again = await decide('read-only')
    expect(again.status).toBe(401)
    expect(again.html).toContain('This key may only read.')
    expect(JSON.stringify(server.events)).not.toContain('may only read')
  })

  it('verifies no key of a denial', async () => {
    const { service, client, browser } = await open()
    const page = await client.authorize(browser)
    const denied = await browser.decide(page, 'deny', { api_key: ADA_KEY })
    expect([pageText(denied), service.verified]).toEqual(['redirect access_denied', []])
  })

  it('throttles wrong keys without verifying further ones, right ones included', async () => {
    const { service, server, decide } = await open()
    for (let count = 0; count <= 10; count += 1) await decide(`wrong-${count}`)
    const calls = service.verified.length
    const again = await decide(ADA_KEY)
    expect([again.status, again.headers.get('retry-after')]).toEqual([429, '15'])
    expect(service.verified).toHaveLength(calls)
    expect(refusalsOf(server).at(-1)).toBe('api-key-throttled')
    advance(60_000)
    expect(pageText(await decide(ADA_KEY))).toBe('code')
  })

  it('verifies keys on a known device while other people of its network wait', async () => {
    const { server, decide } = await open()
    await decide(ADA_KEY)
    const stranger = new Browser(server)
    for (let count = 0; count <= 10; count += 1) await decide('wrong', stranger)
    expect(pageText(await decide(ADA_KEY))).toBe('code')
    expect((await decide(BOB_KEY)).status).toBe(401)
  })

  it('does not count a failure of the service as a wrong key', async () => {
    const { service, decide } = await open()
    service.owners.set('failing', DOWN)
    for (let count = 0; count <= 10; count += 1) expect((await decide('failing')).status).toBe(503)
    expect(pageText(await decide(ADA_KEY))).toBe('code')
  })
})

describe('an API key', () => {
  const canary = 'canary_2f61c0_e5'
  const thrown: readonly unknown[] = [
    new Error(`401 for https://api.example.com/me?key=${canary}`),
    new Error('request failed', { cause: new Error(canary) }),
    Object.assign(new TypeError(btoa(canary)), { key: canary }),
    canary,
    { message: canary },
    new LoginError(`The key ${canary} has expired.`),
  ]

  it('is in no page, address, event or console message, also when verify throws an error with the key', async () => {
    const written: unknown[] = []
    for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const) {
      vi.spyOn(console, method).mockImplementation((...values) => written.push(...values))
    }
    const { service, server, client, decide } = await open({ hooks: { onRefresh: () => ({}) } })
    const throwing = (error: unknown) => () => {
      throw error
    }
    const pages = []
    for (const error of thrown) {
      service.owners.set(canary, throwing(error))
      pages.push(await decide(canary))
    }
    service.owners.set(canary, null)
    pages.push(await decide(canary))
    service.owners.set(canary, { subject: 'ada' })
    const approved = await decide(canary)
    const { refresh } = await tokensOf(await client.redeem(codeOf(approved)))
    const browser = await signInWithKey(server, canary)
    pages.push(approved, await browser.get('/account'), await replaceKey(browser, canary))
    service.owners.set(canary, throwing(thrown[0]))
    const refused = await (await client.refresh(refresh)).text()
    pages.push(await replaceKey(browser, canary))
    const told = server.events.map((event) =>
      event.type === 'internal-error' && event.error instanceof Error
        ? [event.error.message, event.error.stack, event.error.cause, { ...event.error }]
        : event,
    )
    const everything = JSON.stringify([
      pages.map(({ html, location, headers }) => [html, location, [...headers]]),
      [refused, [...browser.cookies]],
      [told, written.map(String)],
    ])
    expect(everything).toContain('verify of apiKey()')
    expect(everything).not.toContain(canary)
    expect(everything).not.toContain(btoa(canary))
  })
})

describe('the refresh of a grant with an API key', () => {
  it('verifies the key again and stores the present props of its owner', async () => {
    const { service, server, client } = await open()
    const { refresh } = await tokensWithKey(client, ADA_KEY)
    service.owners.set(ADA_KEY, { subject: 'ada', props: { plan: 'free' } })
    const { access } = await tokensOf(await client.refresh(refresh))
    expect((await callerOf(server, access)).props).toEqual({ plan: 'free', apiKey: ADA_KEY })
  })

  it.each([
    ['is not valid any more', null],
    ['belongs to another subject', { subject: 'bob' }],
  ])('revokes the grant when the key %s', async (_, owner) => {
    const { service, server, client } = await open()
    const { access, refresh } = await tokensWithKey(client, ADA_KEY)
    service.owners.set(ADA_KEY, owner)
    await expectRefusal(client.refresh(refresh), 'invalid_grant')
    expect(reasonsOf(server)).toEqual(['upstream-sign-in-ended'])
    expect(await statusWith(server, access)).toBe(401)
  })

  it('is answered with 503 and changes nothing when the key cannot be checked', async () => {
    const { service, client } = await open()
    const { refresh } = await tokensWithKey(client, ADA_KEY)
    const owner = service.owners.get(ADA_KEY)
    service.owners.set(ADA_KEY, DOWN)
    expect((await client.refresh(refresh)).status).toBe(503)
    service.owners.set(ADA_KEY, owner)
    expect((await client.refresh(refresh)).status).toBe(200)
  })

  it('verifies nothing when a hook has removed the key from the props', async () => {
    const { service, client } = await open({ hooks: { onIssue: () => ({ props: { team: 1 } }) } })
    const { refresh } = await tokensWithKey(client, ADA_KEY)
    service.owners.set(ADA_KEY, null)
    expect((await client.refresh(refresh)).status).toBe(200)
  })
})

describe('replacing the API key on the account page', () => {
  it('gives all grants of the person the new key, for issued tokens too, and ends codes', async () => {
    const { service, server, client, decide } = await open()
    const other = await AuthClient.register(server)
    const [first, second, bob] = [
      await tokensWithKey(client, ADA_KEY),
      await tokensWithKey(other, ADA_KEY),
      await tokensWithKey(client, BOB_KEY),
    ]
    const code = codeOf(await decide(ADA_KEY))
    await callerOf(server, first.access)
    const browser = await signInWithKey(server, ADA_KEY)
    const replaced = await replaceKey(browser, ADA_NEW_KEY)
    expect(replaced.location).toBe('/account?key-replaced')
    expect((await browser.get('/account?key-replaced')).html).toContain('The key was replaced.')
    service.owners.set(ADA_KEY, null)
    const props = { plan: 'team', apiKey: ADA_NEW_KEY }
    for (const { access } of [first, second]) {
      expect((await callerOf(server, access)).props).toEqual(props)
    }
    const next = await tokensOf(await client.refresh(first.refresh))
    expect((await callerOf(server, next.access)).props).toEqual(props)
    expect((await callerOf(server, bob.access)).props).toEqual({ apiKey: BOB_KEY })
    await expectRefusal(client.redeem(code), 'invalid_grant')
  })

  it('reaches handlers in another isolate within 30 seconds', async () => {
    const { service, server, client } = await open()
    const options = { bindings: server.bindings, server: propsServer() }
    const elsewhere = openDeployment({ login: service.login }, options)
    const { access } = await tokensWithKey(client, ADA_KEY)
    await callerOf(elsewhere, access)
    await replaceKey(await signInWithKey(server, ADA_KEY), ADA_NEW_KEY)
    advance(30_000)
    expect((await callerOf(elsewhere, access)).props).toMatchObject({ apiKey: ADA_NEW_KEY })
  })

  it.each([
    ['the key of another subject', 403, [BOB_KEY], 'other-subject'],
    ['a wrong key', 401, ['wrong'], 'api-key-wrong'],
    ['no key', 400, [undefined], undefined],
    [
      ...(['ten wrong keys and the right one', 429] as const),
      [...Array.from({ length: 10 }, (_, count) => `wrong-${count}`), ADA_NEW_KEY],
      'api-key-throttled',
    ],
  ])('is refused for %s with status %i, and changes nothing', async (_, status, keys, reason) => {
    const { server, client } = await open()
    const { access } = await tokensWithKey(client, ADA_KEY)
    const browser = await signInWithKey(server, ADA_KEY)
    for (const key of keys.slice(0, -1)) await replaceKey(browser, key)
    const page = await replaceKey(browser, keys.at(-1))
    expectPageHeaders(page)
    const actions = ['/account/disconnect', '/account/key', '/logout']
    expect([page.status, page.actions]).toEqual([status, actions])
    expect(page.headers.get('retry-after')).toBe(status === 429 ? '15' : null)
    expect(page.html).toContain('role="alert"')
    expect(refusalsOf(server).at(-1)).toBe(reason)
    expect((await callerOf(server, access)).props).toMatchObject({ apiKey: ADA_KEY })
  })

  it('runs the hook onIssue for each grant, and revokes those that it refuses', async () => {
    let refused = ''
    const { server, client } = await open({
      hooks: {
        onIssue: ({ client, props }) => {
          if (client.id === refused) throw new Error('not this app')
          return { props: { ...props, team: 'blue' } }
        },
      },
    })
    const other = await AuthClient.register(server)
    const kept = await tokensWithKey(client, ADA_KEY)
    const ended = await tokensWithKey(other, ADA_KEY)
    refused = other.id
    await replaceKey(await signInWithKey(server, ADA_KEY), ADA_NEW_KEY)
    const props = { plan: 'team', team: 'blue', apiKey: ADA_NEW_KEY }
    expect((await callerOf(server, kept.access)).props).toEqual(props)
    expect(await statusWith(server, ended.access)).toBe(401)
  })

  it('needs the form of the page, a sign-in, and a server with API keys', async () => {
    const { server } = await open()
    const browser = await signInWithKey(server, ADA_KEY)
    const { csrf } = formOf(await browser.get('/account'))
    const fields = { csrf, api_key: ADA_NEW_KEY }
    const forged = await browser.post('/account/key', { api_key: ADA_NEW_KEY })
    const foreign = await browser.post('/account/key', fields, { origin: 'https://evil.example' })
    expect([forged.status, foreign.status]).toEqual([403, 403])
    browser.cookies.delete(LOGIN)
    expect((await browser.post('/account/key', fields)).location).toBe('/account')
  })
})
