// features: asks
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { type HandlerCall, ResourceTemplate, ToolError } from '../../src/index.ts'
import { FullServer } from '../support/full-server.ts'
import { openApp, type TestApp } from '../support/test-app.ts'

const create = () => new FullServer({ name: 's', version: '1' })
const text = async (app: TestApp, name: string, args: object = {}) =>
  (await app.modern('tools/call', { name, arguments: args })).body.result.content[0].text

function withHandlers(server: FullServer): FullServer {
  return server
    .registerTool('tool', { inputSchema: { a: z.string() } }, ({ a }) => a)
    .registerTool('plain', {}, () => 'plain')
    .registerTool('ask', {}, async (ctx) => {
      const { action } = await ctx.elicit({
        key: 'k',
        message: 'Go on?',
        schema: { ok: z.boolean() },
      })
      return action
    })
    .registerPrompt('prompt', { argsSchema: { b: z.string() } }, ({ b }) => b)
    .registerResource('fixed', 'note://a', {}, () => 'fixed')
    .registerResource(
      'template',
      new ResourceTemplate('item://{id}', { list: undefined }),
      {},
      (_, { id }) => `item ${id}`,
    )
}

describe('middleware', () => {
  it('receives each call of a handler with its kind, name, arguments and context', async () => {
    const calls: Omit<HandlerCall, 'ctx'>[] = []
    const server = create().use(({ ctx, ...call }, next) => {
      calls.push(call)
      expect(ctx.client.era).toBe('modern')
      return next()
    })
    const app = openApp(withHandlers(server))
    expect(await text(app, 'tool', { a: 'x', more: 1 })).toBe('x')
    expect(await text(app, 'plain', { any: 1 })).toBe('plain')
    await app.modern('prompts/get', { name: 'prompt', arguments: { b: 'y' } })
    await app.modern('resources/read', { uri: 'note://a' })
    const { body } = await app.modern('resources/read', { uri: 'item://7' })
    expect(body.result.contents[0].text).toBe('item 7')
    expect(calls).toEqual([
      { kind: 'tool', name: 'tool', args: { a: 'x' } },
      { kind: 'tool', name: 'plain', args: {} },
      { kind: 'prompt', name: 'prompt', args: { b: 'y' } },
      { kind: 'resource', name: 'note://a', args: {} },
      { kind: 'resource', name: 'item://7', args: { id: '7' } },
    ])
  })

  it('runs in the order of registration around the handler', async () => {
    const order: string[] = []
    const step = (name: string) => async (_: HandlerCall, next: () => Promise<unknown>) => {
      order.push(`${name} before`)
      const result = await next()
      order.push(`${name} after`)
      return result
    }
    const app = openApp(withHandlers(create().use(step('outer'))).use(step('inner')))
    expect(await text(app, 'plain')).toBe('plain')
    expect(order).toEqual(['outer before', 'inner before', 'inner after', 'outer after'])
  })

  it('replaces a result, refuses a call, and hides an error', async () => {
    let ran = 0
    const server = create()
      .use(async ({ name }, next) => {
        if (name === 'refused') throw new ToolError('Not today.')
        if (name === 'replaced') return 'instead'
        try {
          return await next()
        } catch {
          return 'caught'
        }
      })
      .registerTool('refused', {}, () => `${++ran}`)
      .registerTool('replaced', {}, () => `${++ran}`)
      .registerTool('throws', {}, () => {
        throw new Error('secret')
      })
      .registerTool('result', {}, () => 'as it is')
    const app = openApp(server)
    expect(await text(app, 'refused')).toBe('Not today.')
    expect(await text(app, 'replaced')).toBe('instead')
    expect(ran).toBe(0)
    expect(await text(app, 'throws')).toBe('caught')
    expect(await text(app, 'result')).toBe('as it is')
  })

  it('does not run for a call that is refused before its handler', async () => {
    let calls = 0
    const app = openApp(
      withHandlers(
        create().use((_, next) => {
          calls++
          return next()
        }),
      ),
    )
    await app.modern('tools/call', { name: 'tool', arguments: { a: 1 } })
    await app.modern('tools/call', { name: 'none' })
    await app.modern('tools/list')
    expect(calls).toBe(0)
  })

  it('cannot swallow the question of a handler', async () => {
    const server = create().use(async (_, next) => {
      try {
        return await next()
      } catch {
        return 'swallowed'
      }
    })
    const app = openApp(withHandlers(server), {}, { EDGEWAY_SECRET: 'a'.repeat(43) } as never)
    const { body } = await app.modern(
      'tools/call',
      { name: 'ask' },
      { meta: { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } } },
    )
    expect(body.result.resultType).toBe('input_required')
  })

  it('must be a function', () => {
    expect(() => create().use('x' as never)).toThrow(/use\(\) takes a function/)
  })
})

describe('include', () => {
  const other = () => withHandlers(create())

  it('adds the tools, prompts, resources and templates of another server, with a prefix', async () => {
    const app = openApp(
      create()
        .registerTool('tool', {}, () => 'own')
        .include(other(), { prefix: 'b.' }),
    )
    const { body } = await app.modern('tools/list')
    expect(body.result.tools.map(({ name }: { name: string }) => name)).toEqual([
      'tool',
      'b.tool',
      'b.plain',
      'b.ask',
    ])
    expect(await text(app, 'tool')).toBe('own')
    expect(await text(app, 'b.tool', { a: 'x' })).toBe('x')
    const prompt = await app.modern('prompts/get', { name: 'b.prompt', arguments: { b: 'y' } })
    expect(prompt.body.result.messages[0].content.text).toBe('y')
    const read = await app.modern('resources/read', { uri: 'item://7' })
    expect(read.body.result.contents[0].text).toBe('item 7')
  })

  it('keeps the middleware of the other server around its handlers alone', async () => {
    const seen: string[] = []
    const note = (who: string) => (call: HandlerCall, next: () => Promise<unknown>) => {
      seen.push(`${who} ${call.name}`)
      return next()
    }
    const server = create()
      .use(note('outer'))
      .registerTool('own', {}, () => 'own')
      .include(withHandlers(create().use(note('inner'))), { prefix: 'b.' })
    const app = openApp(server)
    await text(app, 'own')
    await text(app, 'b.plain')
    expect(seen).toEqual(['outer own', 'outer b.plain', 'inner plain'])
  })

  it.each([
    [
      'a tool of the same name',
      create().registerTool('tool', {}, () => 'x'),
      '',
      /Tool "tool" is already/,
    ],
    [
      'a resource of the same URI',
      create().registerResource('r', 'note://a', {}, () => 'x'),
      'b.',
      /Resource note:\/\/a is already/,
    ],
    ['a prefix that no name may contain', create(), 'b/', /Tool name "b\/tool": use 1 to 128/],
  ])('is refused for %s, and adds nothing', async (_, server, prefix, message) => {
    expect(() => server.include(other(), { prefix })).toThrow(message)
    const { body } = await openApp(server).modern('prompts/list')
    expect(body.result?.prompts ?? []).toEqual([])
  })

  it('ends registration at the other server', () => {
    const included = other()
    create().include(included)
    expect(() => included.registerTool('late', {}, () => 'x')).toThrow(/already served/)
    const self = create()
    expect(() => self.include(self)).toThrow(/cannot include itself/)
  })
})

describe('errors: message', () => {
  const server = (errors: 'message' | 'reference') =>
    new FullServer({ name: 's', version: '1' }, { errors })
      .registerTool('error', {}, () => {
        throw new TypeError('No such project.')
      })
      .registerTool('text', {}, () => {
        throw 'a text'
      })
      .registerTool('object', {}, () => {
        throw Object.create(null)
      })
      .registerTool('result', {}, () => 7 as never)
      .registerResource('r', 'note://a', {}, () => {
        throw new Error('Gone.')
      })

  it('shows the model what a handler throws, and reports it', async () => {
    const app = openApp(server('message'))
    expect(await text(app, 'error')).toBe('No such project.')
    expect(await text(app, 'text')).toBe('a text')
    expect(await text(app, 'object')).toMatch(/^Tool object failed \(reference [0-9a-f]{8}\)\.$/)
    expect(await text(app, 'result')).toMatch(/^Tool result: it returned number; without an/)
    const { body } = await app.modern('resources/read', { uri: 'note://a' })
    expect(body.error.message).toBe('Gone.')
    expect(app.events.filter(({ type }) => type === 'handler-error')).toHaveLength(4)
  })

  it('is not the default', async () => {
    const app = openApp(server('reference'))
    expect(await text(app, 'error')).not.toMatch(/project/)
    expect(await text(app, 'result')).toMatch(
      /^Tool result returned a result that cannot be sent \(/,
    )
    expect(() => new FullServer({ name: 's', version: '1' }, { errors: 'all' as never })).toThrow(
      /errors must be "reference" or "message"/,
    )
  })
})

describe('the headers of a request in its context', () => {
  it('contain no credentials', async () => {
    const app = openApp(
      create().registerTool('headers', {}, (ctx) =>
        JSON.stringify([...ctx.request.headers.keys()]),
      ),
    )
    const headers = {
      authorization: 'Bearer x',
      cookie: 'a=b',
      dpop: 'x',
      'proxy-authorization': 'Basic x',
      'x-api-version': '2',
    }
    const { body } = await app.modern('tools/call', { name: 'headers' }, { headers })
    const names: string[] = JSON.parse(body.result.content[0].text)
    expect(names).toContain('x-api-version')
    for (const name of ['authorization', 'cookie', 'dpop', 'proxy-authorization']) {
      expect(names).not.toContain(name)
    }
  })
})
