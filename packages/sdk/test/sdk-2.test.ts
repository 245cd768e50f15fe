/** What servers of the SDK 2.x and of the Agents SDK use besides the registrations. */
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { verifier } from '../../../src/auth/index.ts'
import { openApp } from '../../../test/support/test-app.ts'
import {
  fromJsonSchema,
  getMcpAuthContext,
  McpError,
  type McpServerFactory,
  ResourceNotFoundError,
  ResourceTemplate,
  Server,
  UrlElicitationRequiredError,
} from '../src/index.ts'
import { callText, create, listed } from './sdk-app.ts'

const say = (text: unknown) => ({ content: [{ type: 'text' as const, text: String(text) }] })

describe('fromJsonSchema', () => {
  const schema = {
    type: 'object',
    properties: { count: { type: 'integer', minimum: 1 } },
    required: ['count'],
  }

  it('lets a tool have a JSON Schema, which is listed as it is and validates arguments', async () => {
    const server = create()
    const inputSchema = fromJsonSchema<{ count: number }>(schema)
    server.registerTool('double', { inputSchema }, async ({ count }) => say(count * 2))
    const app = openApp(server)
    expect((await listed(app, 'tools'))[0].inputSchema).toEqual(schema)
    expect(await callText(app, 'double', { count: 4 })).toBe('8')
    expect(await callText(app, 'double', { count: 0 })).toMatch(/^Invalid arguments for double/)
  })

  it('throws for a JSON Schema that is invalid', () => {
    expect(() => fromJsonSchema({ type: 'nothing' })).toThrow(TypeError)
  })
})

describe('getMcpAuthContext', () => {
  it('returns the props of the caller in a handler, and nothing outside of one', async () => {
    const server = create()
    server.registerTool('team', {}, async () => say(getMcpAuthContext()?.props.team))
    const auth = verifier(async () => ({ subject: 'ada', props: { team: 'red' } }))
    const app = openApp(server, { auth })
    const headers = { authorization: 'Bearer key' }
    const { body } = await app.modern('tools/call', { name: 'team' }, { headers })
    expect(body.result.content[0].text).toBe('red')
    expect(await callText(openApp(server), 'team')).toBe('undefined')
    expect(getMcpAuthContext()).toBeUndefined()
  })
})

describe('errors of the SDK', () => {
  it('ResourceNotFoundError is -32602 with the URI in the modern era, and -32002 before', async () => {
    const server = create()
    const template = new ResourceTemplate('note://{id}', { list: undefined })
    server.registerResource('note', template, {}, async (uri) => {
      throw new ResourceNotFoundError(uri.href)
    })
    const app = openApp(server)
    const modern = await app.modern('resources/read', { uri: 'note://7' })
    const error = {
      code: -32602,
      message: 'Resource not found: note://7',
      data: { uri: 'note://7' },
    }
    expect(modern.body.error).toEqual(error)
    const session = await app.session('resources/read', { uri: 'note://7' })
    expect(session.body.error).toEqual({ ...error, code: -32002 })
  })

  it('UrlElicitationRequiredError accepts elicitations with the mode that the SDK requires', async () => {
    const server = create()
    const url = 'https://pay.example/7'
    server.registerTool('pay', {}, async () => {
      throw new UrlElicitationRequiredError([
        { mode: 'url', message: 'Pay', url, elicitationId: 'e7' },
      ])
    })
    // A client without URL elicitation receives the address as text.
    const { body } = await openApp(server).session('tools/call', { name: 'pay' })
    expect(JSON.stringify(body)).toContain(url)
  })
})

describe('a low-level Server of the SDK 2.x', () => {
  it('has typed requests in the handlers that it sets by the name of the method', async () => {
    const server = new Server({ name: 's', version: '2' }, { capabilities: { tools: {} } })
    server.setRequestHandler('tools/list', () => ({
      tools: [{ name: 'hello', inputSchema: { type: 'object' } }],
    }))
    server.setRequestHandler('tools/call', ({ params: { name, arguments: args = {} } }) => {
      if (name.toUpperCase() !== 'HELLO') throw new McpError(-32602, 'Unknown tool')
      return say(z.string().parse(args.who).toUpperCase())
    })
    const factory: McpServerFactory = () => server
    expect(
      await callText(openApp(await factory({ era: 'modern', authInfo: undefined })), 'hello', {
        who: 'ada',
      }),
    ).toBe('ADA')
  })
})
