import { type } from 'arktype'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import * as z3 from 'zod/v3'
import { completable, McpServer } from '../../src/index.ts'
import { openApp } from '../support/test-app.ts'

const create = () => new McpServer({ name: 's', version: '1' })
const wrong = (value: unknown) => value as never
const nothing = wrong(() => 'x')

interface Node {
  readonly next?: Node | undefined
}
const node: z.ZodType<Node> = z.lazy(() => z.object({ next: node.optional() }))

const app = openApp(
  create()
    .registerTool(
      'shape',
      {
        inputSchema: {
          id: z.string().min(2),
          count: z.number().default(3),
          note: z.string().optional(),
          at: z.string().transform(Number).optional(),
          'a/b~c': node.optional(),
        },
        outputSchema: { args: z.unknown() },
      },
      (args) => ({ args }),
    )
    .registerTool(
      'output',
      { outputSchema: { sum: z.number(), at: z.string().default('now') } },
      (ctx) => (ctx.request.id === 7 ? wrong({ sum: 'one' }) : { sum: 1, more: true }),
    )
    .registerTool('empty', { inputSchema: {}, outputSchema: {} }, (args) =>
      wrong({ ...args, own: 1 }),
    )
    .registerTool('arktype', { inputSchema: { id: type('string'), n: type('number') } }, (args) =>
      JSON.stringify(args),
    )
    .registerTool(
      'asynchronous',
      { inputSchema: { id: z.string().refine(async (id) => id === 'right', 'must be right') } },
      ({ id }) => id,
    )
    .registerTool(
      'prototype',
      { inputSchema: { ['__proto__']: z.string(), a: z.string() } },
      (args) => JSON.stringify(Object.keys(args)),
    )
    .registerPrompt(
      'shape',
      { argsSchema: { city: completable(z.string(), () => ['Bern']), day: z.string().optional() } },
      ({ city, day }) => `${city} ${day ?? 'today'}`,
    ),
)

const call = async (name: string, args: object, id = 1) =>
  (await app.modern('tools/call', { name, arguments: args }, { id })).body.result

describe('a shape as schema', () => {
  it('is listed as the object schema with its properties', async () => {
    const { body } = await app.modern('tools/list')
    const [shape, output, empty, arktype] = body.result.tools
    expect(shape.inputSchema).toMatchObject({
      type: 'object',
      properties: {
        id: { type: 'string', minLength: 2 },
        count: { type: 'number', default: 3 },
        note: { type: 'string' },
      },
      required: ['id'],
    })
    expect(output.outputSchema).toEqual({
      type: 'object',
      properties: { sum: { type: 'number' }, at: { type: 'string' } },
      required: ['sum', 'at'],
    })
    expect(empty.inputSchema).toEqual({ type: 'object', properties: {} })
    expect(empty.outputSchema).toEqual({ type: 'object', properties: {} })
    expect(arktype.inputSchema.required).toEqual(['id', 'n'])
  })

  it.each([
    ['defaults', { id: 'ab' }, { id: 'ab', count: 3 }],
    ['transforms', { id: 'ab', at: '5' }, { id: 'ab', count: 3, at: 5 }],
    ['no unknown properties', { id: 'ab', other: 1 }, { id: 'ab', count: 3 }],
    [
      'a recursive property',
      { id: 'ab', 'a/b~c': { next: { next: {} } } },
      { id: 'ab', count: 3, 'a/b~c': { next: { next: {} } } },
    ],
  ])('gives the handler %s', async (_, args, received) => {
    expect((await call('shape', args)).structuredContent).toEqual({ args: received })
  })

  it('names the property of each fault', async () => {
    const result = await call('shape', { id: 'a', count: 'x' })
    expect(result.isError).toBe(true)
    expect(result.content[0].text).toMatch(/^Invalid arguments for shape:\nid: .*\ncount: /)
  })

  it('needs its properties', async () => {
    expect((await call('shape', {})).content[0].text).toMatch(/\nid: .*expected string/)
  })

  it('validates what a handler returns, and drops properties that it does not name', async () => {
    expect((await call('output', {})).structuredContent).toEqual({ sum: 1, at: 'now' })
    expect((await call('output', {}, 7)).content[0].text).toMatch(/cannot be sent/)
    expect((await call('empty', { a: 1 })).structuredContent).toEqual({})
  })

  it('validates with other libraries, and asynchronously', async () => {
    expect((await call('arktype', { id: 'a', n: 1 })).content[0].text).toBe('{"id":"a","n":1}')
    expect((await call('arktype', { id: 'a' })).isError).toBe(true)
    expect((await call('asynchronous', { id: 'right' })).content[0].text).toBe('right')
    expect((await call('asynchronous', { id: 'left' })).content[0].text).toMatch(
      /id: must be right/,
    )
  })

  it('reads own properties only', async () => {
    const args = JSON.parse('{"__proto__":"x","a":"y"}')
    expect((await call('prototype', args)).content[0].text).toBe('["__proto__","a"]')
    expect((await call('prototype', { a: 'y' })).isError).toBe(true)
  })

  it('describes the arguments of a prompt, with their completions', async () => {
    const { body } = await app.modern('prompts/list')
    expect(body.result.prompts[0].arguments).toEqual([
      { name: 'city', required: true },
      { name: 'day', required: false },
    ])
    const got = await app.modern('prompts/get', { name: 'shape', arguments: { city: 'Bern' } })
    expect(got.body.result.messages[0].content.text).toBe('Bern today')
    const completed = await app.modern('completion/complete', {
      ref: { type: 'ref/prompt', name: 'shape' },
      argument: { name: 'city', value: '' },
    })
    expect(completed.body.result.completion.values).toEqual(['Bern'])
  })
})

describe('a malformed shape', () => {
  it.each([
    [
      'a property that is no schema',
      { a: z.string(), b: 'string' },
      /Tool "t": inputSchema: property "b" must be a schema such as z/,
    ],
    [
      'a schema of zod 3',
      { a: z3.string() },
      /Tool "t": inputSchema: property "a": this zod schema does not describe itself .*zod does from 4\.2 on/,
    ],
    [
      'a schema without JSON',
      { a: z.date() },
      /property "a": it cannot be expressed as JSON Schema/,
    ],
  ])('with %s is refused with the names of tool and property', (_, inputSchema, message) => {
    expect(() => create().registerTool('t', { inputSchema: wrong(inputSchema) }, nothing)).toThrow(
      message,
    )
  })

  it('of a prompt is refused with the name of the prompt', () => {
    const argsSchema = wrong({ a: z.number() })
    expect(() => create().registerPrompt('p', { argsSchema }, nothing)).toThrow(
      /Prompt "p": argsSchema: argument "a" must accept strings/,
    )
  })
})
