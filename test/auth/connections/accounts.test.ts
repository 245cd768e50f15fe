/** Accounts of people: several of them, the apps that use each, and what an app may be made of. */
// features: connections, admin
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ConnectionsObject } from '../../../durable-objects/connections/connections-object.ts'
import { admin } from '../../../packages/inspector/src/admin/index.ts'
import { apiKey, type RedirectLogin } from '../../../src/auth/index.ts'
import { connections } from '../../../src/features/connections/index.ts'
import { createFullEdgeway } from '../../support/full-app.ts'
import { FullServer } from '../../support/full-server.ts'
import { OWNERS, operate, SCOPES, tokenFor } from '../server/support/admin.ts'
import { fieldsOf, formOf } from '../server/support/browser.ts'
import { AuthClient, tokensOf } from '../server/support/client.ts'
import { advance, GUEST_PASSPHRASE, openDeployment } from '../server/support/deployment.ts'
import { OpenIdProvider } from '../server/support/provider.ts'
import { ConnectedServer, pathIn, textOf, usedIn } from './connected-server.ts'
import { formsOf, revokedAt, SERVICE } from './service.ts'

const MINUTE_MS = 60_000

/** A server whose person has connected `ada`. */
async function connected(max?: number) {
  const server = new ConnectedServer({ max })
  await server.connect()
  return server
}

/** A server at which people sign in with the login that is a connection too. */
function withLogin(login: RedirectLogin) {
  const connected = new ConnectedServer({ auth: { login }, named: { own: login } })
  return { server: connected.server, call: connected.call.bind(connected) }
}

describe('several accounts', () => {
  const several = async () => {
    const server = await connected()
    advance(MINUTE_MS)
    // The page of further scopes offers no account, so the person signs in with another one.
    await server.connect('bob', 'act_more')
    return server
  }

  it('connected twice are one, which is renewed', async () => {
    const server = await connected()
    await server.connect('ada', 'act_more')
    const browser = await server.browser()
    expect(fieldsOf((await browser.get('/account')).html, 'label')).toEqual(['ada'])
  })

  it('are named by an argument of the tool, whose list has their labels', async () => {
    const server = await several()
    const { result } = await server.send('tools/list', {})
    const schema = result.tools?.find(({ name }) => name === 'act')?.inputSchema
    expect(JSON.stringify(schema)).toContain('one of \\"ada\\", \\"bob\\"')
    expect(usedIn(await server.call('act', { account: 'bob' })).account.id).toBe('bob')
    expect(usedIn(await server.call('act')).account.id).toBe('ada')
    expect(textOf(await server.call('act', { account: 'eve' }))).toContain(
      'no such Example account',
    )
  })

  it('are asked for once by lists of an isolate, until they change or 20 s are over', async () => {
    const labels = vi.spyOn(ConnectionsObject.prototype, 'labels')
    onTestFinished(() => labels.mockRestore())
    const server = await connected()
    const countAfter = async () => {
      await server.send('tools/list', {})
      return labels.mock.calls.length
    }
    expect([await countAfter(), await countAfter()]).toEqual([1, 1])
    advance(20_000)
    expect(await countAfter()).toBe(2)
    await server.connect('bob', 'act_more')
    expect(await countAfter()).toBe(3)
  })

  it('are not chosen for a tool that changes something, until the person has a default one', async () => {
    const server = await several()
    expect(textOf(await server.call('act_write'))).toContain(
      'several Example accounts: "ada", "bob"',
    )
    const browser = await server.browser()
    const page = await browser.get('/account')
    const [, key = ''] = fieldsOf(page.html, 'account')
    await browser.post('/account/connections', {
      csrf: formOf(page).csrf,
      account: key,
      do: 'default',
    })
    advance(MINUTE_MS)
    expect(usedIn(await server.call('act_write')).account.id).toBe('bob')
  })

  it('can be renamed, and two of one name are not told apart by it', async () => {
    const server = await several()
    const browser = await server.browser()
    const page = await browser.get('/account')
    for (const account of fieldsOf(page.html, 'account')) {
      const fields = { csrf: formOf(page).csrf, account, do: 'rename', label: 'work\u202e <b>' }
      await browser.post('/account/connections', fields)
    }
    expect(fieldsOf((await browser.get('/account')).html, 'label')).toEqual(['work b', 'work b'])
    expect(textOf(await server.call('act', { account: 'work b' }))).toContain('have this label')
    expect(usedIn(await server.call('act', { account: 'bob' })).account.label).toBe('work b')
  })

  it('above the limit are refused', async () => {
    const server = await connected(1)
    expect((await server.connect('bob', 'act_more')).status).toBe(403)
  })
})

describe('an app', () => {
  it('uses no account that another app has connected, before the person admits it', async () => {
    const server = await connected()
    const other = await server.token('App B')
    const asked = await server.call('act', {}, other)
    const browser = await server.browser()
    const page = await browser.get(pathIn(asked))
    expect(page.html).toContain('App B')
    const [, key = ''] = /name="account" value="([^"]*)"/.exec(page.html) ?? []
    await server.answer(browser, pathIn(asked), { account: key })
    expect(usedIn(await server.call('act', {}, other)).account.id).toBe('ada')
    expect(formsOf(server.service)).toHaveLength(1)
  })

  it('is admitted to no account after the person has disconnected it', async () => {
    const server = await connected()
    const browser = await server.browser()
    const page = await browser.get('/account')
    const [client = ''] = fieldsOf(page.html, 'client')
    await browser.post('/account/disconnect', { csrf: formOf(page).csrf, client })
    const again = await server.tokenAgain('App A')
    expect(pathIn(await server.call('act', {}, again))).not.toBe('')
  })

  it('has no access after the account was disconnected, which ends its tokens at the service', async () => {
    const server = await connected()
    const browser = await server.browser()
    const page = await browser.get('/account')
    expect(page.html).toContain('App A')
    const [key = ''] = fieldsOf(page.html, 'account')
    await browser.post('/account/connections', { csrf: formOf(page).csrf, account: key, do: 'end' })
    expect(revokedAt(server.service)).toEqual([expect.stringMatching(/^refresh-ada-/)])
    expect(pathIn(await server.call())).not.toBe('')
  })
})

describe('a person', () => {
  it('who is deleted has no account any more, and its tokens end at the service', async () => {
    const server = new ConnectedServer({ auth: { scopes: SCOPES }, admin: admin(OWNERS) })
    await server.connect()
    const token = await tokenFor(server.server)
    await operate(server.server, token, { operation: 'delete-person', subject: 'owner' })
    expect(revokedAt(server.service)).toEqual([expect.stringMatching(/^refresh-ada-/)])
    expect((await (await server.browser()).get('/account')).html).not.toContain('Example: ')
  })

  it('shares no account with another one, in 1,000 calls of two apps at the same time', async () => {
    const server = new ConnectedServer()
    const guest = await server.browser(GUEST_PASSPHRASE)
    const callers = [
      { app: await server.token('App A'), account: 'ada', by: await server.browser() },
      { app: await server.token('App B'), account: 'bob', by: await server.browser() },
      { app: await server.guest(), account: 'eve', by: guest },
    ]
    for (const { app, account, by } of callers) await server.connect(account, 'act', app, by)
    const calls = Array.from({ length: 1000 }, async (_, index) => {
      const { app, account } = callers[index % callers.length] as (typeof callers)[number]
      const used = usedIn(await server.call('act', {}, app))
      return used.account.id === account && used.body.account === account
    })
    expect((await Promise.all(calls)).filter((isOwn) => !isOwn)).toEqual([])
  })

  it('who signs in at the service has that account already', async () => {
    const provider = await OpenIdProvider.start()
    const login = provider.login({ origins: ['https://api.example.com'], scopes: [] })
    const { server, call } = withLogin(login)
    const client = await AuthClient.register(server)
    const { access } = await tokensOf(await client.redeem(await provider.code(client)))
    expect(usedIn(await call('token', {}, access))).toEqual([
      { id: 'ada', label: 'Ada Lovelace' },
      'upstream-access-1',
    ])
  })
})

describe('a connection by API key', () => {
  const verify = (key: string) =>
    key === 'right-key' ? { subject: 'ada', name: 'Ada' } : undefined
  const own = apiKey({ label: 'Example key', verify, origins: [SERVICE], header: 'x-api-key' })

  it('asks for the key on the page, and refuses a wrong one', async () => {
    const server = new ConnectedServer({ named: { own } })
    const browser = await server.browser()
    const path = pathIn(await server.call('token'))
    const wrong = await server.answer(browser, path, { do: 'connect', api_key: 'wrong' })
    expect([wrong.status, wrong.html.includes('not valid')]).toEqual([401, true])
    await server.answer(browser, path, { do: 'connect', api_key: 'right-key' })
    const answer = usedIn(await server.call('token'))
    expect(answer).toEqual([{ id: 'ada', label: 'Ada' }, 'right-key'])
  })
})

describe('connections()', () => {
  const own = apiKey({ verify: () => undefined, origins: [SERVICE] })

  it.each([
    ['no connection', {}, 'at least one'],
    ['a name of another form', { Own: own }, 'lower-case letters'],
    ['a value that is no login', { own: {} as never }, 'must be the value of'],
    ['no origins', { own: apiKey({ verify: () => undefined }) }, 'needs origins'],
    [
      'an origin that is not secure',
      { own: apiKey({ verify: () => undefined, origins: ['http://a.example'] }) },
      'must be an https origin',
    ],
    [
      'an origin with a path',
      { own: apiKey({ verify: () => undefined, origins: ['https://a.example/x'] }) },
      'must be an https origin',
    ],
    [
      'an origin of all hosts',
      { own: apiKey({ verify: () => undefined, origins: ['https://*.com'] }) },
      'must be an https origin',
    ],
  ])('with %s is refused', (_, named, text) => {
    expect(() => connections(named)).toThrow(text)
  })

  it('refuses a tool that names another connection, and an app without sign-in', () => {
    const server = new FullServer({ name: 'notes', version: '1.0.0' })
    server.registerTool('act', { connection: 'other' }, () => 'done')
    const app = { connections: connections({ own }) }
    expect(() => openDeployment({}, { server, app })).toThrow('has no connection "other"')
    expect(() => createFullEdgeway(new FullServer({ name: 'a', version: '1.0.0' }), app)).toThrow(
      'needs auth: embedded',
    )
  })
})
