import { type } from 'arktype'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { completable, jsonSchema, McpServer, ResourceTemplate } from '../../src/index.ts'
import { openApp } from '../support/test-app.ts'
import { verifies } from '../support/verifies.ts'

const create = () => new McpServer({ name: 's', version: '1' })
const nothing = () => 'x'
// Malformed definitions come from JavaScript or from casts: the types reject most of them.
const wrong = (value: unknown) => value as never

describe('registerTool with a malformed tool', () => {
  const nested = (depth: number): object =>
    depth === 0 ? { type: 'string' } : { type: 'object', properties: { a: nested(depth - 1) } }
  const raw = (inputSchema: unknown) => ({ inputSchema: jsonSchema(wrong(inputSchema)) })
  const header = (property: object) => raw({ type: 'object', properties: { a: property } })

  const TABLE: readonly [string, object, RegExp][] = [
    [
      'a schema that is a string',
      { inputSchema: wrong('object') },
      /inputSchema: a schema must be/,
    ],
    [
      'a JSON Schema without its value',
      { inputSchema: wrong({ type: 'object' }) },
      /Tool "t": inputSchema: a JSON Schema must be passed as its value: jsonSchema\(/,
    ],
    ['a value of a text', raw('object'), /jsonSchema\(\) needs a JSON Schema object/],
    ['a value of a list', raw([]), /jsonSchema\(\) needs a JSON Schema object/],
    ['a schema that is null', { inputSchema: wrong(null) }, /inputSchema: a schema must be/],
    [
      'arguments that are no object',
      { inputSchema: wrong(z.string()) },
      /root must have type "object"/,
    ],
    ['a raw root without a type', raw({ properties: {} }), /root must have type "object"/],
    [
      'a date',
      { inputSchema: z.object({ at: z.date() }) },
      /Tool "t": inputSchema: property "at": it cannot be expressed as JSON Schema/,
    ],
    [
      'a date in an object of an object',
      { inputSchema: z.object({ id: z.string(), a: z.object({ at: z.date() }) }) },
      /inputSchema: property "a": property "at": it cannot be expressed as JSON Schema/,
    ],
    [
      'a bigint in the output',
      { outputSchema: z.object({ at: z.bigint() }) },
      /Tool "t": outputSchema: property "at": it cannot be expressed/,
    ],
    [
      'a transform in the output',
      { outputSchema: z.object({ a: z.string().transform(Number) }) },
      /outputSchema: property "a": it cannot be expressed/,
    ],
    [
      'a schema without JSON Schema',
      { inputSchema: wrong({ '~standard': { version: 1, vendor: 'v', validate: nothing } }) },
      /this v schema does not describe itself .*.*: pass jsonSchema\(\{ … \}\)$/,
    ],
    [
      'another dialect',
      raw({ $schema: 'http://json-schema.org/draft-04/schema#', type: 'object' }),
      /dialect .* is not supported/,
    ],
    [
      'a reference to the network',
      raw({ type: 'object', properties: { a: { $ref: 'https://evil.example/s.json' } } }),
      /does not point into the same schema/,
    ],
    [
      'a reference to a file',
      raw({ type: 'object', properties: { a: { $ref: 'other.json#/x' } } }),
      /does not point into the same schema/,
    ],
    [
      'a dangling reference',
      raw({ type: 'object', properties: { a: { $ref: '#/$defs/none' } } }),
      /properties\/a does not point into/,
    ],
    [
      'a reference into the prototype',
      raw({ type: 'object', properties: { a: { $ref: '#/constructor' } } }),
      /does not point into/,
    ],
    [
      'an unknown type',
      raw({ type: 'object', properties: { a: { type: 'text' } } }),
      /type at properties\/a must be a JSON type/,
    ],
    [
      'required that is a boolean',
      raw({ type: 'object', required: true }),
      /required at the root must be an array of strings/,
    ],
    [
      'a broken pattern',
      raw({ type: 'object', properties: { a: { pattern: '(' } } }),
      /pattern at properties\/a must be a regular expression/,
    ],
    [
      'properties that are a list',
      raw({ type: 'object', properties: [] }),
      /properties at the root must be an object/,
    ],
    [
      'a property that is a string',
      raw({ type: 'object', properties: { a: 'string' } }),
      /properties\/a is not a schema/,
    ],
    ['a schema that is too deep', raw(nested(33)), /deeper than 32/],
    [
      'a schema with too many parts',
      raw({
        type: 'object',
        properties: Object.fromEntries(Array.from({ length: 2001 }, (_, i) => [`p${i}`, {}])),
      }),
      /more than 2000 subschemas/,
    ],
    [
      'a schema that is too large',
      raw({ type: 'object', description: 'x'.repeat(300_000) }),
      /characters long/,
    ],
    [
      'an empty header',
      header({ type: 'string', 'x-mcp-header': '' }),
      /must be an HTTP field-name token/,
    ],
    [
      'a header with a line break',
      header({ type: 'string', 'x-mcp-header': 'a\r\nb' }),
      /must be an HTTP field-name token/,
    ],
    [
      'a header for a number',
      header({ type: 'number', 'x-mcp-header': 'A' }),
      /needs a parameter of type/,
    ],
    [
      'a header for a list of types',
      header({ type: ['string', 'null'], 'x-mcp-header': 'A' }),
      /needs a parameter of type/,
    ],
    [
      'a header inside items',
      header({ type: 'array', items: { type: 'string', 'x-mcp-header': 'A' } }),
      /reached through "properties" alone/,
    ],
    [
      'a header inside anyOf',
      raw({
        type: 'object',
        anyOf: [{ properties: { a: { type: 'string', 'x-mcp-header': 'A' } } }],
      }),
      /reached through "properties" alone/,
    ],
    [
      'a header inside $defs',
      raw({ type: 'object', $defs: { a: { type: 'string', 'x-mcp-header': 'A' } } }),
      /reached through "properties" alone/,
    ],
    [
      'the same header twice',
      raw({
        type: 'object',
        properties: {
          a: { type: 'string', 'x-mcp-header': 'A' },
          b: { type: 'string', 'x-mcp-header': 'a' },
        },
      }),
      /"a" is repeated/,
    ],
    [
      'an output that hides a result',
      { outputSchema: z.object({ structuredContent: z.string() }) },
      /cannot be distinguished from a whole result/,
    ],
    ['scopes with a space', { scopes: ['a b'] }, /scopes must be a list of OAuth scope tokens/],
    ['an icon without a src', { icons: wrong([{}]) }, /every icon needs a src/],
    [
      'an icon from a script',
      { icons: [{ src: 'javascript:alert(1)' }] },
      /every icon needs a src/,
    ],
    ['annotations that are a string', { annotations: wrong('x') }, /annotations must be an object/],
    ['a title that is a number', { title: wrong(1) }, /title must be a string/],
    ['a timeout of zero', { timeoutMs: 0 }, /timeoutMs must be greater than 0/],
    ['a visible that is a list', { visible: wrong([]) }, /visible must be a function/],
  ]
  it.each(TABLE)('throws a TypeError for %s', (_, config, message) => {
    verifies('json-schema/unsupported-dialect', { row: 'another dialect' })
    verifies('json-schema/valid-schemas', { row: 'an unknown type' })
    verifies('json-schema/valid-schemas', { row: 'required that is a boolean' })
    verifies('json-schema/no-references-to-the-network', { row: 'a reference to the network' })
    verifies('json-schema/fetching-references-is-off', { row: 'a reference to the network' })
    verifies('json-schema/no-references-to-the-network', { row: 'a reference to a file' })
    verifies('icons/unsafe-icon-uris', { row: 'an icon from a script' })
    verifies('request-headers/header-name-is-not-empty', { row: 'an empty header' })
    verifies('request-headers/header-name-is-a-token', { row: 'an empty header' })
    verifies('request-headers/header-name-is-a-token', { row: 'a header with a line break' })
    verifies('request-headers/header-name-has-no-control-characters', {
      row: 'a header with a line break',
    })
    verifies('request-headers/header-names-are-unique', { row: 'the same header twice' })
    verifies('request-headers/mirrored-types', { row: 'a header for a number' })
    verifies('request-headers/mirrored-types', { row: 'a header for a list of types' })
    verifies('request-headers/mirrored-properties-are-reachable', { row: 'a header inside $defs' })
    verifies('request-headers/mirrored-properties-are-reachable', { row: 'a header inside items' })
    verifies('request-headers/mirrored-properties-are-not-composed', {
      row: 'a header inside items',
    })
    verifies('request-headers/invalid-tools-are-rejected', { row: 'a header inside items' })
    verifies('request-headers/mirrored-properties-are-not-composed', {
      row: 'a header inside anyOf',
    })
    verifies('tools/input-schema-is-an-object', { row: 'a schema that is null' })
    verifies('tools/input-schema-is-an-object', { row: 'a schema that is a string' })
    verifies('tools/input-schema-is-an-object', { row: 'arguments that are no object' })
    expect(() => create().registerTool('t', config as object, nothing)).toThrow(TypeError)
    expect(() => create().registerTool('t', config as object, nothing)).toThrow(message)
  })

  it.each(['', ' ', 'a b', 'a/b', 'ä', 'x'.repeat(129), wrong(undefined)])(
    'throws for the name %j',
    (name) => {
      expect(() => create().registerTool(name, {}, nothing)).toThrow(/^Tool name/)
    },
  )
  it('throws for a handler that is not a function and for a name that is already registered', () => {
    expect(() => create().registerTool('t', {}, wrong('x'))).toThrow(/handler must be a function/)
    expect(() => create().registerTool('t', {}, nothing).registerTool('t', {}, nothing)).toThrow(
      /already registered/,
    )
  })
  it('throws after createEdgeway has sealed the server', () => {
    const server = create().registerTool('t', {}, nothing)
    openApp(server)
    expect(() => server.registerTool('u', {}, nothing)).toThrow(
      /before createEdgeway\(server\), or before the factory returns it/,
    )
  })
})

describe('registerResource and registerPrompt with malformed arguments', () => {
  const malformed: readonly [() => unknown, RegExp][] = [
    [() => create().registerResource('r', 'nothing', {}, nothing), /is not an absolute URI/],
    [() => create().registerResource('', 'a://b', {}, nothing), /needs a name/],
    [
      () => create().registerResource('r', 'a://b', { ttlMs: -1 }, nothing),
      /ttlMs must be an integer/,
    ],
    [
      () => create().registerResource('r', 'a://b', { ttlMs: 1.5 }, nothing),
      /ttlMs must be an integer/,
    ],
    [
      () => create().registerResource('r', 'a://b', { cacheScope: wrong('shared') }, nothing),
      /cacheScope must be/,
    ],
    [
      () => create().registerResource('r', 'a://b', { size: -1 }, nothing),
      /size must be an integer/,
    ],
    [
      () =>
        create()
          .registerResource('r', 'a://b', {}, nothing)
          .registerResource('s', 'a://b', {}, nothing),
      /already registered/,
    ],
    [
      () => new ResourceTemplate('a://{id}', wrong(undefined)),
      /Template a:\/\/\{id\} needs \{ list \}: list may be undefined/,
    ],
    [
      () => new ResourceTemplate('a://{id}', { list: undefined, complete: { no: () => [] } }),
      /no variable "no"/,
    ],
    [
      () => create().registerPrompt('p', { argsSchema: z.object({ n: z.number() }) }, nothing),
      /argument "n" must accept strings/,
    ],
    [
      () => create().registerPrompt('p', { argsSchema: z.string() }, wrong(nothing)),
      /root must be an object schema/,
    ],
    [
      () => create().registerPrompt('p', { complete: { no: () => [] } }, nothing),
      /the prompt has no such argument/,
    ],
    [() => completable(wrong('x'), () => []), /takes a zod schema/],
    [() => new McpServer(wrong({ name: 's' })), /needs \{ name, version \}/],
    [() => new McpServer({ name: 's', version: '1' }, { pageSize: 0 }), /pageSize must be/],
    [() => new McpServer({ name: 's', version: '1' }, { listTtlMs: -1 }), /listTtlMs must be/],
    [() => openApp(create(), { limits: { bodyBytes: 0 } }), /must be a number above 0/],
    [() => openApp(create(), { limits: wrong({ nope: 1 }) }), /no option "nope"/],
  ]

  it.each(malformed.map(([register, message]) => [String(message), register, message] as const))(
    'throws a TypeError that matches %s',
    (_, register, message) => {
      verifies('resources/custom-schemes', { row: 'is not an absolute URI' })
      verifies('caching/ttl-is-not-negative', { row: 'ttlMs must be an integer' })
      verifies('caching/ttl-is-not-negative', { row: 'listTtlMs must be' })
      expect(register).toThrow(TypeError)
      expect(register).toThrow(message)
    },
  )
})

describe('input and output schemas', () => {
  const inputSchema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: { id: { $anchor: 'id', type: 'string', minLength: 2 } },
    properties: { id: { $ref: '#/$defs/id' }, same: { $ref: '#id' }, tree: { $ref: '#' } },
    required: ['id'],
    if: { properties: { id: { const: 'xx' } } },
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    then: { required: ['same'] },
    additionalProperties: false,
  } as const

  const app = (server: McpServer) => {
    const open = openApp(server)
    return {
      tools: async () => (await open.modern('tools/list')).body.result.tools,
      call: async (args: object) =>
        (await open.modern('tools/call', { name: 't', arguments: args })).body.result,
    }
  }

  it('sends raw JSON Schema unchanged and validates arguments with it', async () => {
    verifies('tools/inputs-are-validated')
    const frozen = structuredClone(inputSchema)
    const { tools, call } = app(
      create().registerTool('t', { inputSchema: jsonSchema(inputSchema) }, (args) =>
        JSON.stringify(args),
      ),
    )
    expect((await tools())[0].inputSchema).toEqual(frozen)
    expect((await call({ id: 'ab', tree: { id: 'cd' } })).isError).toBeUndefined()
    for (const args of [
      {},
      { id: 'a' },
      { id: 1 },
      { id: 'ab', more: 1 },
      { id: 'xx' },
      { id: 'ab', tree: { id: 'c' } },
    ]) {
      expect((await call(args)).isError).toBe(true)
    }
  })

  it('names the path of an argument that does not match the schema', async () => {
    const { call } = app(
      create().registerTool('t', { inputSchema: jsonSchema(inputSchema) }, nothing),
    )
    const { content } = await call({ id: 'ab', tree: { id: 1 } })
    expect(content[0].text).toMatch(/^Invalid arguments for t:\ntree\.id: /)
  })

  it('accepts schemas of any library that implements Standard JSON Schema', async () => {
    const { tools, call } = app(
      create().registerTool('t', { inputSchema: type({ id: 'string >= 2' }) }, ({ id }) => id),
    )
    expect((await tools())[0].inputSchema).toMatchObject({ type: 'object', required: ['id'] })
    expect((await call({ id: 'ab' })).content[0].text).toBe('ab')
    expect((await call({ id: 'a' })).isError).toBe(true)
  })

  it('accepts a union of objects and an asynchronous refinement', async () => {
    const union = z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])
    const { tools, call } = app(
      create().registerTool('t', { inputSchema: union.refine(async () => true) }, (args) =>
        JSON.stringify(args),
      ),
    )
    expect((await tools())[0].inputSchema.type).toBe('object')
    expect((await call({ b: 'x' })).content[0].text).toBe('{"b":"x"}')
  })

  it('validates with draft-07 if the schema declares draft-07', async () => {
    verifies('json-schema/declared-dialect')
    const draft7 = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] } },
    } as const
    const { call } = app(create().registerTool('t', { inputSchema: jsonSchema(draft7) }, nothing))
    expect((await call({ pair: ['a', 1] })).isError).toBeUndefined()
    expect((await call({ pair: [1, 'a'] })).isError).toBe(true)
  })

  it('reports a warning for definitions that some clients drop or refuse', () => {
    const server = create()
      .registerTool(
        't',
        { inputSchema: z.object({ a: z.string().describe('x'.repeat(17_000)) }) },
        nothing,
      )
      .registerTool('n'.repeat(65), {}, nothing)
      .registerTool('f', { inputSchema: z.object({ 'filter[name]': z.string() }) }, nothing)
    expect(openApp(server).events).toEqual([
      {
        type: 'definition-warning',
        subject: 'Tool "t"',
        message: expect.stringMatching(/^inputSchema is 17\d\d\d characters/),
      },
      {
        type: 'definition-warning',
        subject: `Tool "${'n'.repeat(65)}"`,
        message: expect.stringMatching(/longer than 64/),
      },
      {
        type: 'definition-warning',
        subject: 'Tool "f"',
        message: expect.stringMatching(/^hosts refuse every request .*"filter\[name\]": name/),
      },
    ])
  })
})
