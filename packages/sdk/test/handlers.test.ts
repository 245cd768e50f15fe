import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { verifier } from '../../../src/auth/index.ts'
import { createEdgeway } from '../../../src/index.ts'
import { createFullEdgeway } from '../../../test/support/full-app.ts'
import { connectApp, openApp } from '../../../test/support/test-app.ts'
import {
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  McpServer,
  ProtocolError,
  Server,
} from '../src/index.ts'
import { callText, create, listed } from './sdk-app.ts'

const say = (text: unknown) => ({ content: [{ type: 'text' as const, text: String(text) }] })

/** A server with a tool for each ask, which returns the error of its ask. */
function createAsking() {
  const server = create()
  const asks: Record<string, () => Promise<unknown>> = {
    elicit: () =>
      server.server.elicitInput({
        message: 'x',
        requestedSchema: { type: 'object', properties: {} },
      }),
    url: () =>
      server.server.elicitInput({
        mode: 'url',
        message: 'x',
        url: 'https://a.example',
        elicitationId: 'a',
      }),
    sample: () => server.server.createMessage({ messages: [], maxTokens: 1 }),
    roots: () => server.server.listRoots(),
  }
  for (const [name, ask] of Object.entries(asks)) {
    server.tool(name, async () => say(await ask().catch(({ message }) => `caught: ${message}`)))
  }
  return { server, names: Object.keys(asks) }
}

describe('extra and ctx of a moved handler', () => {
  it('have the members of both SDKs', async () => {
    const server = create()
    server.registerTool('members', {}, async (extra) => {
      expect(extra.signal).toBeInstanceOf(AbortSignal)
      expect(extra.mcpReq.signal).toBe(extra.signal)
      const { requestId, sessionId, authInfo, requestInfo, _meta, mcpReq, http } = { ...extra }
      return say(
        JSON.stringify([
          requestId,
          mcpReq.id,
          mcpReq.method,
          sessionId ?? null,
          authInfo ?? null,
          requestInfo?.headers['x-own'],
          http?.req?.headers.get('x-own'),
          _meta,
          Object.keys(mcpReq.envelope ?? {}).length,
          mcpReq.requestState() ?? null,
        ]),
      )
    })
    const { body } = await openApp(server).modern(
      'tools/call',
      { name: 'members' },
      { id: 'a', headers: { 'x-own': 'yes' }, meta: { own: 1 } },
    )
    expect(JSON.parse(body.result.content[0].text)).toEqual([
      'a',
      'a',
      'tools/call',
      null,
      null,
      'yes',
      'yes',
      { own: 1 },
      3,
      null,
    ])
  })

  it('name the caller, and its token only where the verifier exposes it', async () => {
    const server = () => {
      const own = create()
      own.tool('who', ({ authInfo }) => {
        const { clientId, scopes, extra, subject, resource } = authInfo ?? {}
        return say(JSON.stringify({ all: authInfo, clientId, scopes, extra, subject, resource }))
      })
      own.tool('token', ({ authInfo }) => say(authInfo?.token))
      return own
    }
    const auth = (exposeToken: boolean) =>
      verifier(
        async () => ({ subject: 'ada', clientId: 'c', scopes: ['read'], props: { team: 'red' } }),
        exposeToken ? { exposeToken: true } : {},
      )
    const headers = { authorization: 'Bearer key' }
    const text = async (exposeToken: boolean, name: string) => {
      const app = openApp(server(), { auth: auth(exposeToken) })
      return (await app.modern('tools/call', { name }, { headers })).body.result.content[0].text
    }
    const who = JSON.parse(await text(false, 'who'))
    expect(who).toMatchObject({
      clientId: 'c',
      scopes: ['read'],
      extra: { team: 'red' },
      subject: 'ada',
    })
    expect(who.all.token).toBeUndefined()
    expect(await text(false, 'token')).toMatch(
      /^The access token is not exposed to handlers\. See .*#authinfo$/,
    )
    expect(await text(true, 'token')).toBe('key')
  })

  it('send notifications, and refuse unknown ones', async () => {
    const server = create()
    server.tool('log', async ({ sendNotification, mcpReq }) => {
      await sendNotification({
        method: 'notifications/message',
        params: { level: 'error', data: 1 },
      })
      await mcpReq.log('warning', 2)
      await server.server.sendLoggingMessage({ level: 'info', data: 3 })
      await server.sendLoggingMessage({ level: 'debug', data: 4 })
      return say('sent')
    })
    server.tool('unknown', async ({ sendNotification }) => {
      await sendNotification({ method: 'notifications/tasks/status' })
      return say('sent')
    })
    server.tool('request', async ({ sendRequest }) => {
      await sendRequest({ method: 'tasks/get' }, z.object({}))
      return say('sent')
    })
    const app = openApp(server)
    const meta = { 'io.modelcontextprotocol/logLevel': 'debug' }
    const { body } = await app.modern('tools/call', { name: 'log' }, { meta })
    expect(body.match(/"data":\d/g)).toEqual(['"data":1', '"data":2', '"data":3', '"data":4'])
    expect(await callText(app, 'unknown')).toMatch(
      /^A notification "notifications\/tasks\/status" cannot be sent/,
    )
    expect(await callText(app, 'request')).toMatch(/^A request "tasks\/get" cannot be sent/)
  })
})

describe('server.server of a moved server', () => {
  it('reaches the client of each of many concurrent calls', async () => {
    const server = create()
    server.tool('client', async () => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20))
      const { server: own } = server
      return say(
        `${own.getClientVersion()?.name} ${JSON.stringify(own.getClientCapabilities())} ${server.isConnected()}`,
      )
    })
    const app = openApp(server)
    const texts = await Promise.all(
      Array.from({ length: 30 }, async (_, index) => {
        const meta = {
          'io.modelcontextprotocol/clientInfo': { name: `client-${index}`, version: '1' },
          'io.modelcontextprotocol/clientCapabilities': index % 2 === 0 ? { elicitation: {} } : {},
        }
        return (await app.modern('tools/call', { name: 'client' }, { meta })).body.result.content[0]
          .text
      }),
    )
    expect(texts).toEqual(
      Array.from({ length: 30 }, (_, index) =>
        [`client-${index}`, index % 2 === 0 ? '{"elicitation":{"form":{}}}' : '{}', 'true'].join(
          ' ',
        ),
      ),
    )
  })

  it('knows no client outside of a handler, and says so', async () => {
    const server = create()
    const own = server.server
    expect(own.getClientCapabilities()).toBeUndefined()
    expect(own.getClientVersion()).toBeUndefined()
    expect(own.transport).toBeUndefined()
    expect(server.isConnected()).toBe(false)
    server.sendToolListChanged()
    for (const send of [
      () => own.elicitInput({ message: 'x', requestedSchema: { type: 'object', properties: {} } }),
      () => own.createMessage({ messages: [], maxTokens: 1 }),
      () => own.listRoots(),
      () => own.sendResourceUpdated({ uri: 'note://a' }),
      () => own.notification({ method: 'notifications/message' }),
    ]) {
      await expect(send()).rejects.toThrow(
        /was called outside of a handler: there is no client\. See/,
      )
    }
  })

  it('throws an error that a handler can catch when the client cannot answer', async () => {
    const { server, names } = createAsking()
    const app = openApp(server)
    for (const name of names) {
      expect(await callText(app, name)).toMatch(/^caught: Client does not support/)
    }
  })

  it('throws an error that names the feature when the app has no asks(), for clients that can answer and others', async () => {
    const { server, names } = createAsking()
    const app = connectApp(createEdgeway(server))
    const capabilities = {
      elicitation: { form: {}, url: {} },
      sampling: {},
      roots: {},
    }
    for (const clientCapabilities of [capabilities, {}]) {
      const meta = { 'io.modelcontextprotocol/clientCapabilities': clientCapabilities }
      for (const name of names) {
        const { body } = await app.modern('tools/call', { name }, { meta })
        expect(body.result.content[0].text).toMatch(
          /^caught: ctx\.\w+ needs asks\(\): add it to uses of createServer, or to features$/,
        )
      }
    }
  })

  it('answers tools/list with a handler of its own, which filters the registrations', async () => {
    const server = create()
    server.tool('shown', () => say('shown'))
    server.tool('hidden', () => say('hidden'))
    server.server.setRequestHandler(ListToolsRequestSchema, async () => ({
      tools: [{ name: 'shown', inputSchema: { type: 'object' } }],
    }))
    const app = openApp(server)
    expect((await listed(app, 'tools')).map(({ name }) => name)).toEqual(['shown'])
    expect(await callText(app, 'hidden')).toBe('hidden')
  })

  it('refuses handlers of what Edgeway answers itself, with a link to the guide', () => {
    const server = new Server({ name: 's', version: '1' })
    for (const method of ['initialize', 'ping', 'tasks/get', 'own/method']) {
      expect(() => server.setRequestHandler(method, () => ({}))).toThrow(
        new RegExp(`^${method} cannot have a handler\\. See .*migrate\\.md#`),
      )
    }
    expect(() => server.setRequestHandler({} as never, () => ({}))).toThrow(/names one/)
    createFullEdgeway(server)
    expect(() => server.setRequestHandler('tools/list', () => ({}))).toThrow(
      /while the server is served/,
    )
  })

  it.each([
    ['tools/list', {}, 'it returned no list of tools'],
    [
      'tools/call',
      { content: [{ type: 'x' }] },
      'content[0] is not a content block: type must be one of text, image, audio, resource_link, resource',
    ],
    ['tools/call', 'text', 'it returned no object'],
    [
      'prompts/get',
      { messages: [{ role: 'x' }] },
      'messages[0] is not a prompt message: role must be "user" or "assistant"',
    ],
    ['resources/read', { contents: [{}] }, 'contents[0] must have a uri and text or blob'],
    ['completion/complete', { completion: {} }, 'a completion returns strings'],
  ])('answers an error for a handler of %s that returns %o', async (method, returned, message) => {
    const server = new Server({ name: 's', version: '1' })
    for (const list of ['tools/list', 'prompts/list', 'resources/list']) {
      server.setRequestHandler(list, () => ({ tools: [], prompts: [], resources: [] }))
    }
    server.setRequestHandler(method, () => returned)
    const { body } = await openApp(server).modern(
      method,
      method === 'resources/read' ? { uri: 'note://a' } : { name: 'x' },
    )
    expect(body.error).toMatchObject({
      code: -32603,
      message: `The handler of ${method}: ${message}`,
    })
  })
})

describe('errors that a moved handler throws', () => {
  it('are results for the model in a tool, and JSON-RPC errors elsewhere', async () => {
    const errors: Record<string, () => unknown> = {
      plain: () => new Error('No such project'),
      text: () => 'just text',
      v1: () => new McpError(ErrorCode.InvalidParams, 'Bad', { a: 1 }),
      v2: () => new ProtocolError(-32001, 'Worse', { b: 2 }),
    }
    const server = create()
    for (const [name, error] of Object.entries(errors)) {
      const fail = () => {
        throw error()
      }
      server.tool(name, fail)
      server.prompt(name, fail)
    }
    const app = openApp(server)
    const both = async (name: string) => [
      await callText(app, name),
      (await app.modern('prompts/get', { name })).body.error,
    ]
    expect(await both('plain')).toEqual([
      'No such project',
      { code: -32603, message: 'No such project' },
    ])
    expect(await both('text')).toEqual(['just text', { code: -32603, message: 'just text' }])
    expect(await both('v1')).toEqual([
      'MCP error -32602: Bad',
      { code: -32602, message: 'MCP error -32602: Bad', data: { a: 1 } },
    ])
    expect(await both('v2')).toEqual(['Worse', { code: -32001, message: 'Worse', data: { b: 2 } }])
  })
})

describe('oninitialized of a moved server', () => {
  it('registers once, for a client that can do everything', async () => {
    let calls = 0
    const server = new McpServer({ name: 's', version: '1' })
    server.server.oninitialized = () => {
      calls++
      const { sampling, roots, elicitation } = server.server.getClientCapabilities() ?? {}
      if (sampling && roots && elicitation?.form && elicitation.url)
        server.tool('t', () => say('x'))
    }
    const app = openApp(server)
    expect((await listed(app, 'tools')).map(({ name }) => name)).toEqual(['t'])
    await listed(app, 'tools')
    expect(calls).toBe(1)
  })
})
