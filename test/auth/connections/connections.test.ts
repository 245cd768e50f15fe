/** `ctx.connect`: accounts at a service in memory, connected by a browser that opens the pages. */
// features: connections
import { describe, expect, it } from 'vitest'
import { Browser, fieldsOf, formOf } from '../server/support/browser.ts'
import { advance, GUEST_PASSPHRASE } from '../server/support/deployment.ts'
import { ConnectedServer, pathIn, textOf, usedIn } from './connected-server.ts'
import { formsOf, returnFrom, SERVICE, tokensAt } from './service.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

/** A server whose person has connected `ada`. */
async function connected(max?: number) {
  const server = new ConnectedServer({ max })
  await server.connect()
  return server
}

describe('ctx.connect', () => {
  it('asks a person once, then uses the token and renews it', async () => {
    const server = new ConnectedServer()
    const asked = await server.call()
    expect(asked.result.isError).toBe(true)
    const done = await server.connect()
    expect(done.html).toContain('Example is connected')
    const used = await server.call()
    expect(usedIn(used)).toMatchObject({ account: { id: 'ada', label: 'ada' }, status: 200 })
    expect(used.result.content[1]?.text).toBe('Account used: Example: ada')
    expect(used.result._meta?.['dev.edgeway/accounts']).toEqual([
      { connection: 'example', label: 'ada' },
    ])
    advance(HOUR_MS)
    await server.call()
    const grants = formsOf(server.service).map(({ grant_type }) => grant_type)
    expect(grants).toEqual(['authorization_code', 'refresh_token'])
    expect(new Set(tokensAt(server.service)).size).toBe(2)
  })

  it('asks with PKCE, the scopes of the connection and a redirect URI of its own', async () => {
    const server = new ConnectedServer()
    const browser = await server.browser()
    const sent = await server.answer(browser, pathIn(await server.call()))
    const { searchParams } = new URL(sent.location ?? '')
    expect(Object.fromEntries(searchParams)).toMatchObject({
      response_type: 'code',
      client_id: 'test-client',
      scope: 'read',
      code_challenge_method: 'S256',
      redirect_uri: 'https://mcp.example.com/connect/callback/example',
    })
  })

  it('asks a client that opens addresses by an input request, and goes on by itself', async () => {
    const server = new ConnectedServer()
    const browser = await server.browser()
    const client = { capabilities: { elicitation: { url: {} } } }
    const asked = await server.send('tools/call', { name: 'act', arguments: {} }, client)
    expect(asked.result.resultType).toBe('input_required')
    const [[key = '', request] = []] = Object.entries(asked.result.inputRequests ?? {})
    const { pathname, search } = new URL(request?.params.url ?? '')
    const sent = await server.answer(browser, pathname + search)
    await browser.get(returnFrom(server.service, sent.location))
    const params = {
      name: 'act',
      arguments: {},
      requestState: asked.result.requestState,
      inputResponses: { [key]: { action: 'accept' } },
    }
    expect(usedIn(await server.send('tools/call', params, client)).status).toBe(200)
  })

  it.each([
    ['cancel', true],
    ['decline', false],
  ])(
    'returns the address as text after the action %s of its input request: %s',
    async (action, hasAddress) => {
      const server = new ConnectedServer()
      const client = { capabilities: { elicitation: { url: {} } } }
      const call = { name: 'act', arguments: {} }
      const { result } = await server.send('tools/call', call, client)
      const inputResponses = { [Object.keys(result.inputRequests ?? {})[0] ?? '']: { action } }
      const next = { ...call, requestState: result.requestState, inputResponses }
      const ended = await server.send('tools/call', next, client)
      expect(ended.result.isError).toBe(true)
      expect(pathIn(ended) !== '').toBe(hasAddress)
      await server.connect()
      expect(usedIn(await server.send('tools/call', call, client)).status).toBe(200)
    },
  )

  it.each([
    ['uses it where it is the one that was named', 'ada', '"label":"ada"'],
    ['names those that there are where it is another one', 'work', 'app may use: "ada"'],
  ])('asks for an account before it looks for its label, and %s', async (_, account, text) => {
    const server = new ConnectedServer()
    const browser = await server.browser()
    const client = { capabilities: { elicitation: { url: {} } } }
    const call = { name: 'act', arguments: { account } }
    const asked = await server.send('tools/call', call, client)
    const [[key = '', request] = []] = Object.entries(asked.result.inputRequests ?? {})
    const { pathname, search } = new URL(request?.params.url ?? '')
    const sent = await server.answer(browser, pathname + search)
    await browser.get(returnFrom(server.service, sent.location))
    const { requestState } = asked.result
    const params = { ...call, requestState, inputResponses: { [key]: { action: 'accept' } } }
    expect(textOf(await server.send('tools/call', params, client))).toContain(text)
  })

  it('asks again for scopes that were not granted, with the reason as text', async () => {
    const server = await connected()
    const asked = await server.call('act_more')
    expect(textOf(asked)).toContain('To change <b>things</b>')
    const browser = await server.browser()
    const page = await browser.get(pathIn(asked))
    expect(page.html).toContain('To change &lt;b&gt;things&lt;/b&gt;')
    expect(fieldsOf(page.html, 'account')).toEqual([])
    await server.connect('ada', 'act_more')
    expect(textOf(await server.call('act_more'))).toMatch(/^access-ada-/)
  })

  it('sends the token to the origins of the connection alone', async () => {
    const server = await connected()
    const [failed, status] = usedIn(await server.call('elsewhere'))
    expect(failed).toContain('may not be sent to https://evil.example.org')
    expect(status).toBe(302)
  })

  it('has one page for two calls that ask for the same', async () => {
    const server = new ConnectedServer()
    await server.token('App A')
    const [one, other] = await Promise.all([server.call(), server.call()])
    expect(pathIn(one)).toBe(pathIn(other))
    expect(pathIn(await server.call('act_more'))).not.toBe(pathIn(one))
  })

  it('is of the person alone', async () => {
    const server = await connected()
    const guest = await server.guest()
    expect(pathIn(await server.call('act', { account: 'ada' }, guest))).not.toBe('')
  })
})

describe('a page of ctx.connect', () => {
  it('signs the person in first, and then shows itself', async () => {
    const server = new ConnectedServer()
    const path = pathIn(await server.call())
    const browser = new Browser(server.server)
    const page = await browser.get(path)
    const [action = ''] = page.actions
    const passphrase = 'correct horse battery staple'
    const signedIn = await browser.post(action.replaceAll('&amp;', '&'), {
      csrf: formOf(page).csrf,
      passphrase,
    })
    expect(signedIn.location).toBe(path)
    expect((await browser.get(path)).html).toContain('App A')
  })

  it.each([
    [
      'of another person',
      403,
      'for another person',
      async (server: ConnectedServer, path: string) =>
        (await server.browser(GUEST_PASSPHRASE)).get(path),
    ],
    [
      'with another reference',
      404,
      'not complete',
      async (server: ConnectedServer, path: string) => (await server.browser()).get(`${path}x`),
    ],
    [
      'without a reference',
      404,
      'not complete',
      async (server: ConnectedServer) => (await server.browser()).get('/connect'),
    ],
    [
      'that has expired',
      410,
      'has ended',
      async (server: ConnectedServer, path: string) => {
        advance(31 * MINUTE_MS)
        return (await server.browser()).get(path)
      },
    ],
    [
      'that was declined',
      410,
      'finished before',
      async (server: ConnectedServer, path: string) => {
        const browser = await server.browser()
        await server.answer(browser, path, { do: 'decline' })
        return browser.get(path)
      },
    ],
    [
      'whose form is sent by another site',
      403,
      'not sent by the page',
      async (server: ConnectedServer, path: string) => {
        const browser = await server.browser()
        const { csrf } = formOf(await browser.get(path))
        return browser.post(path, { csrf, do: 'connect' }, { origin: 'https://evil.example.org' })
      },
    ],
    [
      'whose form has no token',
      403,
      'not sent by the page',
      async (server: ConnectedServer, path: string) =>
        (await server.browser()).post(path, { do: 'connect' }),
    ],
  ] as const)('%s is refused with %i', async (_, status, text, visit) => {
    const server = new ConnectedServer()
    const page = await visit(server, pathIn(await server.call()))
    expect(page.html).toContain(text)
    expect(page.status).toBe(status)
    expect(formsOf(server.service)).toEqual([])
  })

  it('shows what was connected at an address without the code of the service', async () => {
    const server = new ConnectedServer()
    const browser = await server.browser()
    const path = pathIn(await server.call())
    const sent = await server.answer(browser, path)
    const returned = await browser.get(returnFrom(server.service, sent.location))
    expect([returned.status, returned.location]).toEqual([303, path])
    expect((await browser.get(path)).html).toContain('Your account there is ada')
  })

  it('changes nothing when it is opened', async () => {
    const server = new ConnectedServer()
    const path = pathIn(await server.call())
    const browser = await server.browser()
    for (let visits = 0; visits < 3; visits++) await browser.get(path)
    expect((await server.call()).result.isError).toBe(true)
    expect(pathIn(await server.call())).toBe(path)
  })
})

describe('an answer of the service', () => {
  it.each([
    ['without a state', '?code=code-1-ada', {}],
    ['with a state of another server', '?code=code-1-ada&state=0abc.defg', {}],
    ['in another browser', undefined, { anotherBrowser: true }],
    ['at the address of another service', undefined, { callback: 'other' }],
    ['that came before', undefined, { twice: true }],
  ])(
    '%s connects nothing',
    async (_, query, {
      anotherBrowser = false,
      callback = 'example',
      twice = false,
    }: {
      readonly anotherBrowser?: boolean
      readonly callback?: string
      readonly twice?: boolean
    }) => {
      const server = new ConnectedServer()
      const browser = await server.browser()
      const sent = await server.answer(browser, pathIn(await server.call()))
      const own = new URL(returnFrom(server.service, sent.location), SERVICE)
      const path = `/connect/callback/${callback}${query ?? own.search}`
      const returned = anotherBrowser ? await server.browser() : browser
      if (twice) {
        await returned.get(path)
        server.service.end('ada')
      }
      expect((await returned.get(path)).status).toBe(400)
      expect(formsOf(server.service)).toHaveLength(twice ? 1 : 0)
    },
  )

  it.each([
    ['an error', 'authorization', 'refuse', 403, 'failed'],
    ['an unknown code', 'authorization', { members: { code: 'unknown' } }, 403, 'failed'],
    ['no token', 'token', { members: { access_token: undefined } }, 502, 'open'],
    ['a token of another type', 'token', { members: { token_type: 'mac' } }, 502, 'open'],
    ['5 MB', 'token', { members: { padding: 'x'.repeat(5_000_000) } }, 502, 'open'],
    ['fewer scopes', 'token', { members: { scope: 'nothing' } }, 403, 'failed'],
    ['an error at the account of the token', 'userinfo', { status: 500 }, 502, 'open'],
  ] as const)('with %s connects nothing, and says so', async (_, part, answer, status, state) => {
    const server = new ConnectedServer()
    server.service.answer(part, answer)
    const browser = await server.browser()
    const path = pathIn(await server.call())
    const sent = await server.answer(browser, path)
    const page = await browser.get(returnFrom(server.service, sent.location))
    expect(page.status).toBe(status)
    expect((await browser.get(path)).status).toBe(state === 'open' ? 200 : 410)
    expect((await server.call()).result.isError).toBe(true)
  })
})

describe('a token of a connection', () => {
  it('that cannot be renewed ends the connection, which is asked for again once', async () => {
    const server = await connected()
    advance(HOUR_MS)
    server.service.answer('token', 'refuse')
    expect(pathIn(await server.call())).not.toBe('')
    server.service.answer('token', 'accept')
    expect(pathIn(await server.call())).not.toBe('')
    expect(formsOf(server.service)).toHaveLength(2)
    await server.connect()
    expect(usedIn(await server.call()).status).toBe(200)
  })

  it('stays when the service is down: the call fails for now', async () => {
    const server = await connected()
    advance(HOUR_MS)
    server.service.answer('token', { status: 503 })
    expect(textOf(await server.call())).toBe(
      'Example does not answer now. Try again in a few minutes.',
    )
    server.service.answer('token', 'accept')
    expect(usedIn(await server.call()).status).toBe(200)
  })

  it('that the service has ended before its time is renewed once', async () => {
    const server = await connected()
    server.service.answer('api', { status: 401 }, 'accept')
    expect(usedIn(await server.call()).status).toBe(200)
    expect(new Set(tokensAt(server.service)).size).toBe(2)
    expect(formsOf(server.service)).toHaveLength(2)
  })

  it('of another account ends the connection', async () => {
    const server = await connected()
    advance(HOUR_MS)
    server.service.answer('userinfo', { members: { sub: 'eve' } })
    expect(pathIn(await server.call())).not.toBe('')
  })

  it('is renewed once for calls at the same time', async () => {
    const server = await connected()
    advance(HOUR_MS)
    const answers = await Promise.all(Array.from({ length: 20 }, () => server.call()))
    expect(answers.map((answer) => usedIn(answer).status)).toEqual(Array(20).fill(200))
    expect(formsOf(server.service)).toHaveLength(2)
  })

  it('is in no event, no page and no error', async () => {
    const server = await connected()
    advance(HOUR_MS)
    server.service.answer('token', { status: 500, body: 'refresh-ada-1' })
    const answer = await server.call()
    const browser = await server.browser()
    const account = await browser.get('/account')
    const seen = JSON.stringify([
      answer,
      account.html,
      server.server.events.map(String),
      server.server.events,
    ])
    expect(seen).not.toMatch(/(?:access|refresh)-ada-|test-secret/)
  })
})
