import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import * as z3 from 'zod/v3'
import { openApp } from '../../../test/support/test-app.ts'
import { completable, McpServer, type McpServerOptions, ResourceTemplate } from '../src/index.ts'
import { callText, create, listed } from './sdk-app.ts'

/** A schema of zod before 3.24, which is no Standard Schema. */
const early = { _def: { typeName: 'ZodString' }, safeParse: () => ({ success: true }) }
const say = (text: string) => ({ content: [{ type: 'text' as const, text }] })

describe('tool() of a moved server', () => {
  it('accepts every overload', async () => {
    const server = create()
    const shape = { who: z.string() }
    const hints = { readOnlyHint: true }
    server.tool('a', () => say('a'))
    server.tool('b', 'B', (extra) => say(String(extra.requestId)))
    server.tool('c', shape, ({ who }) => say(who))
    server.tool('d', 'D', shape, ({ who }, extra) => say(`${who} ${extra.requestId}`))
    server.tool('e', shape, hints, ({ who }) => say(who))
    server.tool('f', 'F', shape, hints, ({ who }) => say(who))
    server.tool('g', hints, (_args, _extra) => say('g'))
    server.tool('h', 'H', hints, () => say('h'))
    server.tool('i', {}, async (args) => say(JSON.stringify(args)))
    const app = openApp(server)
    const tools = await listed(app, 'tools')
    expect(
      tools.map(({ name, description, annotations }) => [name, description, annotations]),
    ).toEqual([
      ['a', undefined, undefined],
      ['b', 'B', undefined],
      ['c', undefined, undefined],
      ['d', 'D', undefined],
      ['e', undefined, hints],
      ['f', 'F', hints],
      ['g', undefined, hints],
      ['h', 'H', hints],
      ['i', undefined, undefined],
    ])
    for (const { name, inputSchema } of tools) {
      const properties = 'cdef'.includes(name) ? { who: { type: 'string' } } : {}
      expect(inputSchema, name).toMatchObject({ type: 'object', properties })
    }
    expect(await callText(app, 'b')).toBe('1')
    expect(await callText(app, 'd', { who: 'x' })).toBe('x 1')
    expect(await callText(app, 'f', { who: 'y' })).toBe('y')
    expect(await callText(app, 'g')).toBe('g')
    expect(await callText(app, 'i', { other: 1 })).toBe('{}')
  })

  it('lists the shape of an output as closed and that of an input as open, as the SDK does', async () => {
    const server = create()
    const shape = { a: z.string(), b: z.number().default(1) }
    server.registerTool('t', { inputSchema: shape, outputSchema: shape }, () => ({
      content: [],
      structuredContent: { a: 'x', b: 2, c: 3 },
    }))
    const app = openApp(server)
    const [{ inputSchema, outputSchema }] = await listed(app, 'tools')
    const properties = { a: { type: 'string' }, b: { type: 'number', default: 1 } }
    expect(inputSchema).toEqual({ type: 'object', properties, required: ['a'] })
    expect(outputSchema).toEqual({
      type: 'object',
      properties: { ...properties, b: { type: 'number' } },
      required: ['a', 'b'],
      additionalProperties: false,
    })
    const { body } = await app.modern('tools/call', { name: 't', arguments: { a: 'x' } })
    expect(body.result.structuredContent).toEqual({ a: 'x', b: 2 })
  })

  it('takes null for no schema, as the SDK does', async () => {
    const server = create()
    const none = { inputSchema: null, outputSchema: null } as never
    server.registerTool('t', none, () => say('called'))
    expect(await callText(openApp(server), 't')).toBe('called')
  })

  it('rejects an object that is neither a shape nor annotations', () => {
    expect(() => create().tool('t', { type: { nested: 1 } } as never, () => say('x'))).toThrow(
      'Tool t expected a schema or annotations, but received an unrecognized object',
    )
    expect(() => create().tool('t', 'T' as never)).toThrow('Tool t needs a handler')
  })
})

describe('registerTool() of a moved server', () => {
  it('accepts shapes, zod objects, transformed schemas and zod 3', async () => {
    const server = create()
    server.registerTool('shape', { inputSchema: { n: z.number().default(2) } }, ({ n }) =>
      say(String(n * 2)),
    )
    server.registerTool(
      'object',
      { inputSchema: z.object({ at: z.coerce.number().transform((n) => n + 1) }) },
      ({ at }) => say(String(at)),
    )
    server.registerTool(
      'zod3',
      {
        inputSchema: {
          kind: z3.enum(['a', 'b']).describe('Which'),
          n: z3.number().int().optional(),
        },
      },
      ({ kind, n }) => say(`${kind} ${n}`),
    )
    server.registerTool(
      'zod3-object',
      { inputSchema: z3.object({ list: z3.array(z3.string()).min(1) }) },
      ({ list }) => say(list.join()),
    )
    const app = openApp(server)
    const tools = await listed(app, 'tools')
    expect(tools.find(({ name }) => name === 'zod3').inputSchema).toEqual({
      type: 'object',
      properties: {
        kind: { type: 'string', enum: ['a', 'b'], description: 'Which' },
        n: { type: 'integer' },
      },
      required: ['kind'],
      additionalProperties: false,
    })
    expect(await callText(app, 'shape')).toBe('4')
    expect(await callText(app, 'object', { at: 1 })).toBe('2')
    expect(await callText(app, 'zod3', { kind: 'a' })).toBe('a undefined')
    expect(await callText(app, 'zod3', { kind: 'c' })).toMatch(
      /^Invalid arguments for zod3:\nkind: /,
    )
    expect(await callText(app, 'zod3-object', { list: ['x', 'y'] })).toBe('x,y')
    expect(await callText(app, 'zod3-object', { list: [] })).toMatch(/^Invalid arguments/)
  })

  it.each([
    ['t', { inputSchema: { d: z3.symbol() } }, /^Tool "t": inputSchema: property "d": .*ZodSymbol/],
    ['t', { inputSchema: { d: 'x' } }, /^Tool "t": inputSchema must be a schema/],
    ['t', { inputSchema: () => z.object({}) }, /^Tool "t": inputSchema must be a schema/],
    ['t', { inputSchema: early }, /^Tool "t": inputSchema: .* zod 3 must be of version 3\.24/],
    [
      't',
      { inputSchema: { d: early } },
      /^Tool "t": inputSchema: .* zod 3 must be of version 3\.24/,
    ],
    ['a b', {}, /^Tool name "a b"/],
  ])('throws at start with the name of the tool: %s %o', (name, config, message) => {
    const server = create()
    server.registerTool(name, config as never, () => say('x'))
    expect(() => openApp(server)).toThrow(message)
  })

  it('refuses a name that is registered twice', () => {
    const server = create()
    server.tool('t', () => say('x'))
    expect(() => server.registerTool('t', {}, () => say('y'))).toThrow(
      'Tool t is already registered',
    )
  })

  it('sends structured content, and an error for content that does not fit its schema', async () => {
    const server = create()
    const results: Record<string, object> = {
      good: { content: [], structuredContent: { n: 1 } },
      missing: say('only text'),
      wrong: { content: [], structuredContent: { n: 'x' } },
      failed: { ...say('it failed'), isError: true },
    }
    server.registerTool(
      'out',
      { inputSchema: { which: z.string() }, outputSchema: { n: z.number() } },
      ({ which }) => results[which] as never,
    )
    server.registerTool('free', {}, () => ({ ...say('x'), structuredContent: { any: true } }))
    const app = openApp(server)
    const call = async (which: string) =>
      (await app.modern('tools/call', { name: 'out', arguments: { which } })).body.result
    expect(await call('good')).toMatchObject({
      structuredContent: { n: 1 },
      content: [{ text: '{"n":1}' }],
    })
    expect(await call('missing')).toMatchObject({
      isError: true,
      content: [
        {
          text: 'Output validation error: Tool out has an output schema but no structured content was provided',
        },
      ],
    })
    expect((await call('wrong')).content[0].text).toMatch(
      /^Tool out: its value does not fit its outputSchema:\nn: /,
    )
    expect(await call('failed')).toMatchObject({ isError: true, content: [{ text: 'it failed' }] })
    const { body } = await app.modern('tools/call', { name: 'free' })
    expect(body.result.structuredContent).toEqual({ any: true })
  })
})

describe('the objects that a registration returns', () => {
  it('enable, disable, rename, change and remove what is not served yet', async () => {
    const server = create()
    server.tool('off', () => say('x')).disable()
    const again = server.tool('on', () => say('x'))
    again.disable()
    again.enable()
    server.tool('gone', () => say('x')).remove()
    server
      .tool('before', () => say('x'))
      .update({
        name: 'after',
        description: 'New',
        paramsSchema: { a: z.string() },
        callback: ({ a }: { a: string }) => say(a),
      })
    server.prompt('p', () => ({ messages: [] })).remove()
    server
      .resource('r', 'note://a', async () => ({ contents: [] }))
      .update({ uri: 'note://b', title: 'B', name: 'renamed' })
    const template = new ResourceTemplate('item://{id}', { list: undefined })
    server
      .resource('t', template, async () => ({ contents: [] }))
      .update({ metadata: { description: 'An item' } })
    const app = openApp(server)
    expect((await listed(app, 'tools')).map(({ name }) => name)).toEqual(['on', 'after'])
    expect(await callText(app, 'after', { a: 'y' })).toBe('y')
    expect(await listed(app, 'resources')).toMatchObject([
      { uri: 'note://b', name: 'renamed', title: 'B' },
    ])
    const { body } = await app.modern('resources/templates/list')
    expect(body.result.resourceTemplates).toEqual([
      { uriTemplate: 'item://{id}', name: 't', description: 'An item' },
    ])
  })

  it('are not renamed to a name that is taken', () => {
    const server = create()
    server.tool('taken', () => say('x'))
    const tool = server.tool('t', () => say('x'))
    expect(() => tool.update({ name: 'taken', description: 'D' })).toThrow(
      'Tool taken is already registered',
    )
    expect(tool.description).toBeUndefined()
  })

  it('throw with a link to the guide when the server is served', async () => {
    const server = create()
    const other = server.tool('other', () => say('x'))
    server.tool('late', () => {
      other.disable()
      return say('x')
    })
    server.tool('new', () => {
      server.tool('later', () => say('x'))
      return say('x')
    })
    const app = openApp(server)
    for (const name of ['late', 'new']) {
      expect(await callText(app, name)).toMatch(
        /^A tool was registered or changed while the server is served: other callers would see it\. See .*migrate\.md#registrations-that-change$/,
      )
    }
  })
})

describe('prompts and resources of a moved server', () => {
  it('have arguments, completions and every overload', async () => {
    const server = create()
    const message = (text: string) => ({
      messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }],
    })
    server.prompt('plain', (extra) => message(`plain ${extra.requestId}`))
    server.prompt('described', 'Says', () => message('described'))
    server.prompt('args', 'Says', { a: z.string(), b: z.string().optional() }, ({ a, b }) =>
      message(`${a} ${b}`),
    )
    server.registerPrompt(
      'complete',
      {
        title: 'Complete',
        argsSchema: {
          team: completable(z.string(), (value) =>
            ['red', 'blue'].filter((t) => t.startsWith(value)),
          ),
          who: completable(z3.string(), (_, context) => [
            `${context?.arguments?.team} player`,
          ]).optional(),
        },
      },
      ({ team, who }) => message(`${team} ${who}`),
    )
    const template = new ResourceTemplate('item://{kind}/{id}', {
      list: async () => ({ resources: [{ uri: 'item://a/1', name: 'first' }] }),
      complete: { id: (value, context) => [`${value}${context?.arguments?.kind}`] },
    })
    server.resource('items', template, { mimeType: 'text/plain' }, async (uri, { kind, id }) => ({
      contents: [{ uri: uri.href, text: `${kind} ${id}` }],
    }))
    server.registerResource('fixed', 'note://a', { cacheHint: { ttlMs: 5 } }, (uri) => ({
      contents: [{ uri: uri.href, blob: 'AA==' }],
    }))
    const app = openApp(server)
    expect(await listed(app, 'prompts')).toEqual([
      { name: 'plain' },
      { name: 'described', description: 'Says' },
      {
        name: 'args',
        description: 'Says',
        arguments: [
          { name: 'a', required: true },
          { name: 'b', required: false },
        ],
      },
      {
        name: 'complete',
        title: 'Complete',
        arguments: [
          { name: 'team', required: true },
          { name: 'who', required: false },
        ],
      },
    ])
    const prompt = await app.modern('prompts/get', { name: 'args', arguments: { a: 'x' } })
    expect(prompt.body.result.messages[0].content.text).toBe('x undefined')
    const complete = async (ref: object, argument: object, args: object) =>
      (await app.modern('completion/complete', { ref, argument, context: { arguments: args } }))
        .body.result.completion.values
    const inPrompt = { type: 'ref/prompt', name: 'complete' }
    expect(await complete(inPrompt, { name: 'team', value: 'r' }, {})).toEqual(['red'])
    expect(await complete(inPrompt, { name: 'who', value: '' }, { team: 'red' })).toEqual([
      'red player',
    ])
    const inTemplate = { type: 'ref/resource', uri: 'item://{kind}/{id}' }
    expect(await complete(inTemplate, { name: 'id', value: '1' }, { kind: 'a' })).toEqual(['1a'])
    expect(await listed(app, 'resources')).toEqual([
      { uri: 'note://a', name: 'fixed' },
      { uri: 'item://a/1', name: 'first', mimeType: 'text/plain' },
    ])
    const read = await app.modern('resources/read', { uri: 'item://b/2' })
    expect(read.body.result.contents[0].text).toBe('b 2')
    expect((await app.modern('resources/read', { uri: 'note://a' })).body.result.ttlMs).toBe(5)
  })
})

describe('a moved server', () => {
  it.each([
    [
      'a store of tasks',
      // The types do not have it.
      () => new McpServer({ name: 's', version: '1' }, { taskStore: {} } as McpServerOptions),
      /Edgeway stores tasks itself/,
    ],
  ])('throws at start for %s, with a link to the guide', (_, run, message) => {
    expect(run).toThrow(message)
    expect(run).toThrow(/migrate\.md#/)
  })

  it('is not connected to a transport', async () => {
    await expect(create().connect({})).rejects.toThrow(/export createEdgeway\(server\)/)
    await expect(create().close()).resolves.toBeUndefined()
  })
})
