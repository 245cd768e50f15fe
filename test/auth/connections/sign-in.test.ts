/** `connections()` on a server that issues no tokens: the person signs in at its pages with the login of `signIn`. */
// features: connections
import { createExecutionContext } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { external, verifier } from '../../../src/auth/index.ts'
import {
  connections,
  type SignInOptions,
  signInWith,
} from '../../../src/features/connections/index.ts'
import { createFullEdgeway } from '../../support/full-app.ts'
import { FullServer } from '../../support/full-server.ts'
import { openObjectsOf } from '../../support/opened-objects.ts'
import { Browser, fieldsOf, formOf } from '../server/support/browser.ts'
import {
  AUDIENCE,
  createBindings,
  type Deployment,
  ORIGIN,
  RESOURCE,
} from '../server/support/deployment.ts'
import { OpenIdProvider } from '../server/support/provider.ts'
import { connectionOf, returnFrom, startService } from './service.ts'

/** A server whose caller is `caller`, and a provider at which `ada` signs in. */
async function open(caller: string, signIn: Partial<SignInOptions> = {}) {
  const provider = await OpenIdProvider.start()
  const service = startService()
  const server = new FullServer({ name: 'notes', version: '1.0.0' })
  server.registerTool('act', {}, async (ctx) => (await ctx.connect('example')).account.label)
  const login = provider.login()
  const { fetch } = openObjectsOf(
    createFullEdgeway(server, {
      audience: AUDIENCE,
      auth: verifier(() => ({ subject: caller, clientId: 'app-a', scopes: [] })),
      connections: connections(
        { example: connectionOf(service) },
        { signIn: signInWith({ login, ...signIn }) },
      ),
    }),
  )
  const bindings = createBindings({ EDGEWAY_ORIGIN: ORIGIN })
  const deployment: Deployment = {
    bindings,
    events: [],
    fetch: async (url, init) =>
      fetch(new Request(url, init), bindings as never, createExecutionContext()),
  }
  const call = async () => {
    const response = await deployment.fetch(RESOURCE, {
      method: 'POST',
      headers: {
        authorization: 'Bearer key',
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"act"}}',
    })
    const { result } = await response.json<{ result: { content: { text: string }[] } }>()
    return result.content[0]?.text ?? ''
  }
  const pathOf = async () => /\/connect\?at=[\w.-]+/.exec(await call())?.[0] ?? ''
  const browser = new Browser(deployment)
  /** Signs in at the provider, from the page of a path. */
  const signInAt = async (path: string) => {
    const page = await browser.get(path)
    const [action = ''] = page.actions
    const sent = await browser.post(action, { csrf: formOf(page).csrf })
    return browser.get(provider.visit(sent.location).callback)
  }
  return { service, browser, call, pathOf, signInAt }
}

describe('connections() with verifier()', () => {
  it('signs the person in with the login, and then connects', async () => {
    const { service, browser, call, pathOf, signInAt } = await open('ada')
    const path = await pathOf()
    expect((await signInAt(path)).location).toBe(path)
    const page = await browser.get(path)
    const sent = await browser.post(path, { csrf: formOf(page).csrf, do: 'connect' })
    const { location } = await browser.get(returnFrom(service, sent.location))
    expect((await browser.get(location ?? '')).html).toContain('Example is connected')
    expect(await call()).toBe('ada')
    const account = await browser.get('/account')
    const [key = ''] = fieldsOf(account.html, 'account')
    await browser.post('/account/connections', {
      csrf: formOf(account).csrf,
      account: key,
      do: 'end',
    })
    expect(await pathOf()).not.toBe('')
  })

  it('refuses a person who is not the one of the caller', async () => {
    const { browser, pathOf, signInAt } = await open('eve')
    const path = await pathOf()
    await signInAt(path)
    expect((await browser.get(path)).status).toBe(403)
  })

  it('compares the subject that the author makes of the caller', async () => {
    const { browser, pathOf, signInAt } = await open('user-1', { subjectOf: () => 'ada' })
    const path = await pathOf()
    await signInAt(path)
    expect((await browser.get(path)).status).toBe(200)
  })

  it('serves no endpoint of tokens', async () => {
    const { browser } = await open('ada')
    for (const path of ['/token', '/authorize', '/register']) {
      expect((await browser.get(path)).status).toBe(404)
    }
  })
})

describe('connections() of a server without embedded()', () => {
  it('needs a login', () => {
    const server = new FullServer({ name: 'notes', version: '1.0.0' })
    const named = { example: connectionOf(startService()) }
    const issuers = [{ issuer: 'https://one.example', jwksUri: 'https://one.example/keys' }]
    const auth = external({ origin: ORIGIN, scopes: {}, issuers })
    const create = () => createFullEdgeway(server, { auth, connections: connections(named) })
    expect(create).toThrow('signInWith({ login })')
    expect(() => connections(named, { signIn: {} as never })).toThrow(
      'must be the value of signInWith',
    )
  })
})
