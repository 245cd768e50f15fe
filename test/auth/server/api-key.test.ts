/** Sign-in with an API key: on the consent page, at the account page, and its replacement there. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { LoginError } from '../../../src/auth/index.ts'
import { expectPageHeaders, reasonsOf, refusalOf, refusalWith } from './support/answers.ts'
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

const HALF_MINUTE_MS = 30_000

async function open(options: Parameters<typeof openWithKeys>[0] = {}) {
  const { service, server } = openWithKeys(options)
  const client = await AuthClient.register(server)
  const browser = new Browser(server)
  const decide = async (key: string | undefined) =>
    browser.decide(await client.authorize(browser), 'approve', { api_key: key })
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
    const { server, client, decide } = await open()
    const { access } = await tokensOf(await client.redeem(codeOf(await decide(ADA_KEY))))
    expect(await callerOf(server, access)).toMatchObject({
      subject: 'ada',
      props: { plan: 'pro', apiKey: ADA_KEY },
    })
  })

  it('ignores white space around a pasted key', async () => {
    const { service, decide } = await open()
    expect(codeOf(await decide(` \t${ADA_KEY}\r\n`))).toMatch(/./)
    expect(service.verified).toEqual([ADA_KEY])
  })

  it('asks for the key at each consent, also of a signed-in person', async () => {
    const { client, browser, decide } = await open()
    await decide(ADA_KEY)
    const page = await client.authorize(browser)
    expect(page.html).toContain('name="api_key"')
    expect(page.html).not.toContain('Ada Lovelace')
  })

  it.each([
    ['401 after a wrong key', 401, 'wrong', ['api-key-wrong']],
    ['401 after a key of 4,097 characters', 401, 'k'.repeat(4097), ['api-key-wrong']],
    ['401 after a key with a line break', 401, 'one\r\ntwo', ['api-key-wrong']],
    ['401 after a key that was withdrawn', 401, 'withdrawn', ['api-key-wrong']],
    ['400 without a key', 400, undefined, []],
    ['400 after white space', 400, '  ', []],
    ['503 after a failure of the service', 503, 'failing', ['api-key-unchecked']],
    ['503 after a subject of 256 characters', 503, 'too-long', ['api-key-unchecked']],
    ['503 after an empty subject', 503, 'empty', ['api-key-unchecked']],
    ['503 after the subject of a client', 503, 'client', ['api-key-unchecked']],
    ['503 after an owner without a subject', 503, 'none', ['api-key-unchecked']],
    ['503 after props that are a list', 503, 'list', ['api-key-unchecked']],
  ])('is shown again with status %s', async (_, status, key, reasons) => {
    const { service, server, browser, decide } = await open()
    service.owners
      .set('withdrawn', null)
      .set('too-long', { subject: 'x'.repeat(256) })
      .set('empty', { subject: '' })
      .set('client', { subject: 'client:1' })
      .set('none', {} as never)
      .set('list', { subject: 'ada', props: [] as never })
      .set('failing', () => {
        throw new Error('the service is down')
      })
    const again = await decide(key)
    expect([again.status, again.actions]).toEqual([status, ['/authorize/decision']])
    expectPageHeaders(again)
    expect(again.html).toContain('role="alert"')
    expect(browser.cookies.has('__Host-edgeway-login')).toBe(false)
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

  it('says that a key cannot be checked after a LoginError with the reason unavailable', async () => {
    const { service, server, decide } = await open()
    service.owners.set('later', () => {
      throw new LoginError('The service is down.', { reason: 'unavailable' })
    })
    const again = await decide('later')
    expect(again.status).toBe(503)
    expect(again.html).not.toContain('The service is down.')
    expect(refusalsOf(server)).toEqual(['api-key-unchecked'])
  })

  it('verifies no key of a denial', async () => {
    const { service, client, browser } = await open()
    const page = await client.authorize(browser)
    const denied = await browser.decide(page, 'deny', { api_key: ADA_KEY })
    expect(denied.location).toContain('error=access_denied')
    expect(service.verified).toEqual([])
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
    expect(codeOf(await decide(ADA_KEY))).toMatch(/./)
  })

  it('verifies keys on a known device while other people of its network wait', async () => {
    const { server, client, browser, decide } = await open()
    await decide(ADA_KEY)
    const stranger = new Browser(server)
    for (let count = 0; count <= 10; count += 1) {
      await stranger.decide(await client.authorize(stranger), 'approve', { api_key: 'wrong' })
    }
    expect(codeOf(await decide(ADA_KEY))).toMatch(/./)
    const other = await browser.decide(await client.authorize(browser), 'approve', {
      api_key: BOB_KEY,
    })
    expect(other.status).toBe(401)
  })

  it('does not count a failure of the service as a wrong key', async () => {
    const { service, decide } = await open()
    service.owners.set('failing', () => {
      throw new Error('the service is down')
    })
    for (let count = 0; count <= 10; count += 1) expect((await decide('failing')).status).toBe(503)
    expect(codeOf(await decide(ADA_KEY))).toMatch(/./)
  })
})

describe('an API key', () => {
  it('is in no page, address, event or console message, also when verify throws an error with the key', async () => {
    const written: unknown[] = []
    for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const) {
      vi.spyOn(console, method).mockImplementation((...values) => written.push(...values))
    }
    const canary = 'canary_2f61c0_e5'
    const { service, server, client, decide } = await open({ hooks: { onRefresh: () => ({}) } })
    const throwers: (() => never)[] = [
      () => {
        throw new Error(`401 for https://api.example.com/me?key=${canary}`)
      },
      () => {
        throw new Error('request failed', { cause: new Error(canary) })
      },
      () => {
        throw Object.assign(new TypeError(btoa(canary)), { key: canary })
      },
      () => {
        throw canary
      },
      () => {
        throw { message: canary }
      },
      () => {
        throw new LoginError(`The key ${canary} has expired.`)
      },
    ]
    const pages = []
    for (const thrower of throwers) {
      service.owners.set(canary, thrower)
      pages.push(await decide(canary))
    }
    service.owners.set(canary, null)
    pages.push(await decide(canary))
    service.owners.set(canary, { subject: 'ada' })
    const approved = await decide(canary)
    const { refresh } = await tokensOf(await client.redeem(codeOf(approved)))
    const browser = await signInWithKey(server, canary)
    pages.push(approved, await browser.get('/account'), await replaceKey(browser, canary))
    service.owners.set(canary, throwers[0])
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
    expect((await client.refresh(refresh)).status).toBe(400)
    expect(reasonsOf(server)).toEqual(['upstream-sign-in-ended'])
    expect(await statusWith(server, access)).toBe(401)
  })

  it('is answered with 503 and changes nothing when the key cannot be checked', async () => {
    const { service, client } = await open()
    const { refresh } = await tokensWithKey(client, ADA_KEY)
    const owner = service.owners.get(ADA_KEY)
    service.owners.set(ADA_KEY, () => {
      throw new Error('the service is down')
    })
    expect((await client.refresh(refresh)).status).toBe(503)
    service.owners.set(ADA_KEY, owner)
    expect((await tokensOf(await client.refresh(refresh))).access).toMatch(/./)
  })

  it('verifies nothing when a hook has removed the key from the props', async () => {
    const { service, client } = await open({ hooks: { onIssue: () => ({ props: { team: 1 } }) } })
    const { refresh } = await tokensWithKey(client, ADA_KEY)
    service.owners.set(ADA_KEY, null)
    expect((await tokensOf(await client.refresh(refresh))).access).toMatch(/./)
  })
})

describe('replacing the API key on the account page', () => {
  it('gives all grants of the person the new key, for issued tokens too', async () => {
    const { service, server, client } = await open()
    const other = await AuthClient.register(server)
    const [first, second, bob] = [
      await tokensWithKey(client, ADA_KEY),
      await tokensWithKey(other, ADA_KEY),
      await tokensWithKey(client, BOB_KEY),
    ]
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
  })

  it('ends a grant whose code is not redeemed yet', async () => {
    const { server, client, decide } = await open()
    const code = codeOf(await decide(ADA_KEY))
    await replaceKey(await signInWithKey(server, ADA_KEY), ADA_NEW_KEY)
    expect(await refusalOf(await client.redeem(code))).toEqual(refusalWith('invalid_grant'))
  })

  it('reaches handlers in another isolate within 30 seconds', async () => {
    const { service, server, client } = await open()
    const elsewhere = openWithKeysAt(server, service)
    const { access } = await tokensWithKey(client, ADA_KEY)
    await callerOf(elsewhere, access)
    await replaceKey(await signInWithKey(server, ADA_KEY), ADA_NEW_KEY)
    advance(HALF_MINUTE_MS)
    expect((await callerOf(elsewhere, access)).props).toMatchObject({ apiKey: ADA_NEW_KEY })
  })

  it.each([
    ['the key of another subject', 403, BOB_KEY, 'other-subject'],
    ['a wrong key', 401, 'wrong', 'api-key-wrong'],
    ['no key', 400, undefined, undefined],
  ])('is refused for %s and changes nothing', async (_, status, key, reason) => {
    const { server, client } = await open()
    const { access } = await tokensWithKey(client, ADA_KEY)
    const browser = await signInWithKey(server, ADA_KEY)
    const page = await replaceKey(browser, key)
    expectPageHeaders(page)
    expect([page.status, page.actions]).toEqual([
      status,
      ['/account/disconnect', '/account/key', '/logout'],
    ])
    expect(page.html).toContain('role="alert"')
    expect(refusalsOf(server).at(-1)).toBe(reason)
    expect((await callerOf(server, access)).props).toMatchObject({ apiKey: ADA_KEY })
  })

  it('is refused with status 429 and Retry-After during the wait after ten wrong keys', async () => {
    const { server, client } = await open()
    const { access } = await tokensWithKey(client, ADA_KEY)
    const browser = await signInWithKey(server, ADA_KEY)
    for (let count = 0; count < 10; count += 1) await replaceKey(browser, `wrong-${count}`)
    const page = await replaceKey(browser, ADA_NEW_KEY)
    expect([page.status, page.headers.get('retry-after')]).toEqual([429, '15'])
    expect(page.html).toContain('Too many attempts. Please wait 1 minute.')
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
    expect((await callerOf(server, kept.access)).props).toEqual({
      plan: 'team',
      team: 'blue',
      apiKey: ADA_NEW_KEY,
    })
    expect(await statusWith(server, ended.access)).toBe(401)
  })

  it('needs the form of the page, a sign-in, and a server with API keys', async () => {
    const { server } = await open()
    const browser = await signInWithKey(server, ADA_KEY)
    const { csrf } = formOf(await browser.get('/account'))
    const forged = await browser.post('/account/key', { api_key: ADA_NEW_KEY })
    expect(forged.status).toBe(403)
    const foreign = { origin: 'https://evil.example' }
    const fields = { csrf, api_key: ADA_NEW_KEY }
    expect((await browser.post('/account/key', fields, foreign)).status).toBe(403)
    browser.cookies.delete('__Host-edgeway-login')
    expect((await browser.post('/account/key', fields)).location).toBe('/account')
  })
})

/** The same deployment in another isolate. */
function openWithKeysAt(server: Deployment, { login }: ReturnType<typeof openWithKeys>['service']) {
  return openDeployment({ login }, { bindings: server.bindings, server: propsServer() })
}
