/** Hostile callers of servers with API keys, personal access tokens, params, several origins and `edgeway/sdk`. */
// features: landing-page
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import {
  completable,
  ResourceTemplate,
  McpServer as SdkServer,
} from '../../packages/sdk/src/index.ts'
import { type VerifiedCaller, verifier } from '../../src/auth/index.ts'
import { McpServer } from '../../src/index.ts'
import { callTool } from '../auth/server/support/api-keys.ts'
import { AuthClient, statusWith } from '../auth/server/support/client.ts'
import { ORIGIN, openDeployment } from '../auth/server/support/deployment.ts'
import {
  createToken,
  FORM,
  openOwner,
  sendTokenForm,
  shownToken,
  tokenIds,
} from '../auth/server/support/personal-tokens.ts'
import { openApp, openFactoryApp } from '../support/test-app.ts'

const echoServer = () =>
  new McpServer({ name: 's', version: '1' }).registerTool('whoami', {}, (ctx) =>
    JSON.stringify(ctx.auth ?? null),
  )

describe('verifier(): what the function of the author returns', () => {
  const open = (caller: unknown) =>
    openApp(echoServer(), { auth: verifier(() => caller as VerifiedCaller) })
  const whoami = async (caller: unknown) => {
    const headers = { authorization: 'Bearer k' }
    return open(caller).modern('tools/call', { name: 'whoami' }, { headers })
  }

  it.each<[string, unknown]>([
    ['an empty subject', { subject: '' }],
    ['a subject that is a number', { subject: 7 }],
    ['a subject of 256 characters', { subject: 'x'.repeat(256) }],
    ['the subject of a client', { subject: 'client:x' }],
    ['a lone surrogate in the subject', { subject: '\ud800' }],
    ['scopes as one text', { subject: 'a', scopes: 'read write' }],
    ['a scope with a space', { subject: 'a', scopes: ['read write'] }],
    ['a scope with a quote', { subject: 'a', scopes: ['re"ad'] }],
    ['a client id that is an object', { subject: 'a', clientId: {} }],
    ['props that are a list', { subject: 'a', props: [] }],
    ['props that are not JSON', { subject: 'a', props: { at: 1n } }],
    ['true', true],
    ['a text', 'alice'],
    ['null', null],
  ])('%s is no caller', async (_, caller) => {
    const { status, body } = await whoami(caller)
    expect([401, 503]).toContain(status)
    expect(body.result).toBeUndefined()
  })

  it('members that are not those of a caller do not reach handlers', async () => {
    const caller = { subject: 'a', issuer: 'https://evil.example', token: 't', resource: 'r' }
    const { body } = await whoami({ ...caller, definitionVersion: 'v' })
    const auth = JSON.parse(body.result.content[0].text)
    expect(auth).toEqual({
      subject: 'a',
      clientId: 'unknown',
      scopes: [],
      issuer: 'urn:edgeway:s',
      resource: 'urn:edgeway:s/mcp',
    })
  })

  it.each(['', ' ', 'Bearer', 'Bearer ', 'bearer  '])(
    'refuses a request with the header "authorization: %s"',
    async (authorization) => {
      const app = openApp(echoServer(), {
        auth: verifier(({ headers }) =>
          headers.get('authorization') === 'Bearer good' ? { subject: 'a' } : undefined,
        ),
      })
      const { status } = await app.modern('tools/list', {}, { headers: { authorization } })
      expect(status).toBe(401)
    },
  )
})

describe('the form for a personal access token', () => {
  it.each<[string, Record<string, string>]>([
    ['a resource with dot segments', { resource: `${ORIGIN}/x/../mcp` }],
    ['a resource of another scheme', { resource: 'http://mcp.example.com/mcp' }],
    ['a resource with a user', { resource: 'https://a@mcp.example.com/mcp' }],
    ['a resource with a fragment', { resource: `${ORIGIN}/mcp#x` }],
    ['a resource with a query', { resource: `${ORIGIN}/mcp?x` }],
    ['a lifetime in exponential notation', { lifetime: '1e15' }],
    ['an infinite lifetime', { lifetime: 'Infinity' }],
    ['a name that is only invisible', { name: '\u200b\u3164\u2800' }],
  ])('creates nothing for %s', async (_, fields) => {
    const { browser } = await openOwner()
    const page = await sendTokenForm(browser, fields)
    expect([page.status, shownToken(page)]).toEqual([400, undefined])
    expect(await tokenIds(browser)).toEqual([])
  })

  it('ignores scopes with the names of prototypes', async () => {
    const { server, browser } = await openOwner()
    const names = ['__proto__', 'constructor', 'toString', 'offline_access', 'read write']
    const extra = Object.fromEntries(names.map((name) => [`scope ${name}`, 'yes']))
    const token = await createToken(browser, extra)
    const body = await (await callTool(server, token)).json<{
      result: { content: [{ text: string }] }
    }>()
    expect(JSON.parse(body.result.content[0].text).scopes).toEqual(['read'])
  })

  it('creates one token when it is sent ten times at once', async () => {
    const { browser } = await openOwner()
    const pages = await Promise.all(Array.from({ length: 10 }, () => sendTokenForm(browser)))
    expect(pages.filter((page) => shownToken(page) !== undefined)).toHaveLength(1)
    expect(await tokenIds(browser)).toHaveLength(1)
  })

  it('refuses a field that occurs twice', async () => {
    const { server, browser } = await openOwner()
    const { csrf } = {
      csrf:
        (await browser.get('/account')).html.match(/name="csrf"[^>]*value="([^"]*)"/)?.[1] ?? '',
    }
    const body = `${new URLSearchParams({ csrf, ...(FORM as Record<string, string>) })}&name=Other`
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await server.fetch(`${ORIGIN}/account/tokens`, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        origin: ORIGIN,
        'sec-fetch-site': 'same-origin',
        cookie,
      },
    })
    expect(response.status).toBe(400)
    expect(await tokenIds(browser)).toEqual([])
  })
})

describe('a personal access token in an Authorization header', () => {
  it.each<[string, (token: string) => string, number]>([
    ['whose scheme is in lower case is accepted', (token) => `bearer ${token}`, 200],
    ['that occurs twice is refused', (token) => `Bearer ${token}, Bearer ${token}`, 400],
    ['with a text after it is refused', (token) => `Bearer ${token} x`, 401],
    ['of the scheme Basic is refused', (token) => `Basic ${btoa(`x:${token}`)}`, 401],
    ['of the scheme Token is refused', (token) => `Token ${token}`, 401],
    ['in upper case is refused', (token) => `Bearer ${token.toUpperCase()}`, 401],
    ['with padding is refused', (token) => `Bearer ${token}=`, 401],
  ])('%s', async (_, header, expected) => {
    const { server, browser } = await openOwner()
    const token = await createToken(browser)
    const response = await callTool(server, '', 'caller', {
      headers: { authorization: header(token) },
    })
    expect(response.status).toBe(expected)
  })
})

describe('a host that is not one of several origins', () => {
  const origins = [ORIGIN, 'https://second.example.com']

  it.each([
    'https://second.example.com.evil.example',
    'https://evil.second.example.com',
    'https://second.example.com.',
    'https://second.example.com:8443',
    'https://xn--second.example.com',
  ])(
    '%s has the metadata of the first, and tokens of the second are refused there',
    async (host) => {
      const server = openDeployment({ origin: undefined, origins })
      const metadata = await (
        await server.fetch(`${host}/.well-known/oauth-authorization-server`)
      ).json<{ issuer: string }>()
      expect(metadata.issuer).toBe(ORIGIN)
      const client = await AuthClient.register(server)
      const { access } = await client.tokens()
      expect(await statusWith(server, access, 'https://second.example.com/mcp')).toBe(401)
      expect(await statusWith(server, access, `${host}/mcp`)).toBe(200)
    },
  )
})

describe('a param of the path', () => {
  const app = openFactoryApp(
    ({ params }) =>
      new McpServer({ name: 's', version: '1' }).registerTool(
        'url',
        {},
        () => new URL(`https://api.example/orgs/${params.org}/members`).href,
      ),
    { info: { name: 's', version: '1' }, path: '/mcp/{org}' },
  )

  it.each([
    '%2e%2e',
    '%252e%252e',
    '%252E.',
    'a%3Fb',
    'a%23b',
    'a%252fb',
    '%5c..',
    '..%5c',
    'a%00',
  ])('%s is refused, because it would change the URL that contains it', async (org) => {
    const { status } = await app.at(`/mcp/${org}`).modern('tools/call', { name: 'url' })
    // The URL class removes the segment before the request, which is then for the page at `/`.
    expect(status).toBe(org === '%2e%2e' ? 405 : 404)
  })

  it.each(['a;b', 'a:b', 'a@b', 'a&b=c', '~', '...', 'a%20b', '100%25', '%E2%80%AE', "a'b"])(
    '%s stays one segment of the URL that contains it',
    async (org) => {
      const { body } = await app.at(`/mcp/${org}`).modern('tools/call', { name: 'url' })
      const { pathname, search, hash, host } = new URL(body.result.content[0].text)
      expect(pathname.split('/')).toHaveLength(4)
      expect([host, search, hash]).toEqual(['api.example', '', ''])
    },
  )
})

describe('a server of edgeway/sdk', () => {
  const server = () => {
    const sdk = new SdkServer({ name: 's', version: '1' })
    sdk.tool('echo', { value: z.string() }, ({ value }) => ({
      content: [{ type: 'text', text: value }],
    }))
    sdk.prompt('ask', { topic: completable(z.string(), () => ['a', 'b']) }, ({ topic }) => ({
      messages: [{ role: 'user', content: { type: 'text', text: topic } }],
    }))
    sdk.resource(
      'file',
      new ResourceTemplate('file:///{+path}', { list: undefined }),
      (uri, variables) => ({
        contents: [{ uri: uri.href, text: JSON.stringify(variables) }],
      }),
    )
    return sdk
  }
  const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '']

  it.each(NAMES)('has no tool and no prompt named "%s"', async (name) => {
    const app = openApp(server())
    for (const method of ['tools/call', 'prompts/get']) {
      const { body } = await app.modern(method, { name })
      expect([-32602, -32020]).toContain(body.error?.code)
    }
  })

  it.each(NAMES)('completes no argument named "%s"', async (name) => {
    const params = { ref: { type: 'ref/prompt', name: 'ask' }, argument: { name, value: '' } }
    const { body } = await openApp(server()).modern('completion/complete', params)
    expect(body.error?.code ?? body.result.completion.values).toSatisfy(
      (answer: unknown) => answer === -32602 || (Array.isArray(answer) && answer.length === 0),
    )
  })

  it('gives a handler no members of a prototype that the client sends', async () => {
    const app = openApp(server())
    const body = JSON.parse(
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"__proto__":{"value":"x"}}}}',
    )
    const answer = await (await app.post(body)).json<{
      result?: { isError?: boolean }
      error?: object
    }>()
    expect(answer.result?.isError ?? answer.error !== undefined).toBe(true)
  })

  it('matches a template in linear time', async () => {
    const started = Date.now()
    const { body } = await openApp(server()).modern('resources/read', {
      uri: `file:///${'a/'.repeat(4000)}`,
    })
    expect(body.result ?? body.error).toBeDefined()
    expect(Date.now() - started).toBeLessThan(10_000)
  })
})
