/** Schemas of 3.0 and 3.1 as JSON Schema 2020-12. */
import { describe, expect, it, vi } from 'vitest'
import type { JsonSchema } from '../../../src/protocol/content.ts'
import { fromOpenAPI, prepareOpenAPI } from '../src/index.ts'
import { fitSchema } from '../src/schema/fit-schema.ts'
import {
  callTool,
  describeOperation,
  listTools,
  openServer,
  playUpstream,
} from './support/upstream.ts'

/** Returns the schema of the body, and the definitions. */
async function convert(schema: unknown, components: object = {}, version = '3.0.3') {
  const content = { 'application/json': { schema } }
  const document = describeOperation(
    { requestBody: { content } },
    { method: 'post', openapi: version, components: { schemas: components } },
  )
  const [tool] = await listTools(openServer(fromOpenAPI(document)))
  const { properties, $defs } = tool.inputSchema
  return { schema: properties.body, $defs }
}

/** A schema of 3.0, and the same as JSON Schema 2020-12. */
const VERSION_30: readonly (readonly [string, object, object])[] = [
  ['nullable', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
  [
    'nullable with enum',
    { type: 'string', enum: ['a'], nullable: true },
    { type: ['string', 'null'], enum: ['a', null] },
  ],
  [
    'nullable with allOf',
    { nullable: true, description: 'd', allOf: [{ type: 'string' }] },
    { description: 'd', anyOf: [{ allOf: [{ type: 'string' }] }, { type: 'null' }] },
  ],
  ['nullable alone', { nullable: true }, {}],
  ['exclusiveMinimum: true', { minimum: 1, exclusiveMinimum: true }, { exclusiveMinimum: 1 }],
  ['exclusiveMaximum: false', { maximum: 1, exclusiveMaximum: false }, { maximum: 1 }],
  ['exclusiveMinimum as a number', { exclusiveMinimum: 1 }, { exclusiveMinimum: 1 }],
  ['example', { type: 'string', example: 'x' }, { type: 'string', examples: ['x'] }],
  [
    'format byte',
    { type: 'string', format: 'byte' },
    { type: 'string', contentEncoding: 'base64' },
  ],
  [
    'xml and extensions',
    { type: 'string', xml: {}, 'x-a': 1, externalDocs: {} },
    { type: 'string' },
  ],
  ['x-mcp-header', { type: 'string', 'x-mcp-header': 'Host' }, { type: 'string' }],
]

/** Malformed keywords of untidy descriptions, which are left out. */
const UNTIDY: readonly (readonly [string, object, object])[] = [
  ['an unknown type', { type: 'file' }, {}],
  ['required as a boolean', { type: 'string', required: true }, { type: 'string' }],
  ['a repeated name in required', { required: ['a', 'a', 1] }, { required: ['a'] }],
  ['a length as a text', { minLength: '3', maxLength: -1 }, {}],
  ['a pattern that is no expression', { pattern: '(?<' }, {}],
  [
    'a name that is no expression',
    { patternProperties: { '(': {} }, additionalProperties: false },
    {},
  ],
  ['an enum without values', { enum: [] }, {}],
  ['alternatives without any', { oneOf: [], allOf: [], anyOf: null }, {}],
  [
    'items as a list',
    { items: [{ type: 'string' }] },
    { prefixItems: [{ type: 'string' }], items: {} },
  ],
  ['a description that is no text', { description: 5, title: null }, {}],
]

/** Schemas that no value matches, and what their author meant. */
const CONTRADICTIONS: readonly (readonly [string, object, object])[] = [
  [
    'texts that YAML reads as numbers',
    { type: 'string', enum: [1, 2.5, true, 'x'], default: 1 },
    { type: 'string', enum: ['1', '2.5', 'true', 'x'], default: '1' },
  ],
  ['a constant', { type: 'string', const: 1 }, { type: 'string', const: '1' }],
  ['numbers as texts', { type: 'integer', enum: ['1', '2'] }, { type: 'integer', enum: [1, 2] }],
  ['truths as texts', { type: 'boolean', enum: ['true'] }, { type: 'boolean', enum: [true] }],
  ['names of another type', { type: 'integer', enum: ['ticket_id'] }, { enum: ['ticket_id'] }],
  [
    'a name beside values',
    { type: 'integer', enum: [1, 'x'] },
    { type: 'integer', enum: [1, 'x'] },
  ],
  [
    'the choices of a list beside its type',
    { type: 'array', items: { type: 'string' }, enum: ['a', 'b'] },
    { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
  ],
  [
    'a text or null',
    { type: ['string', 'null'], enum: [1, null] },
    { type: ['string', 'null'], enum: ['1', null] },
  ],
]

describe('a schema', () => {
  it.each(CONTRADICTIONS)(
    'whose type contradicts its values is served so that values match both: %s',
    async (_, schema, expected) => {
      expect((await convert(schema, {}, '3.1.0')).schema).toEqual(expected)
    },
  )

  it.each(VERSION_30)('of 3.0 is translated: %s', async (_, schema, expected) => {
    expect((await convert(schema)).schema).toEqual(expected)
  })

  it.each(UNTIDY)('is served without a malformed keyword: %s', async (_, schema, expected) => {
    expect((await convert(schema)).schema).toEqual(expected)
  })

  it('of 3.1 keeps the keywords of 2020-12', async () => {
    const schema = {
      type: ['object', 'null'],
      properties: { a: { const: 1 }, b: true },
      patternProperties: { '^x': { exclusiveMinimum: 2, type: 'number' } },
      propertyNames: { maxLength: 5 },
      if: { required: ['a'] },
      // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
      then: { required: ['b'] },
      unevaluatedProperties: false,
    }
    expect((await convert(schema, {}, '3.1.0')).schema).toEqual(schema)
  })

  it('has alternatives as anyOf, because those of descriptions overlap', async () => {
    const schema = { oneOf: [{ type: 'string' }, { type: 'string', format: 'date' }] }
    expect((await convert(schema)).schema).toEqual({ anyOf: schema.oneOf })
  })

  it('has no readOnly properties, also where allOf requires them or a reference marks them', async () => {
    const components = {
      Id: { type: 'string', readOnly: true },
      Base: { type: 'object', properties: { at: { type: 'string', readOnly: true } } },
    }
    const schema = {
      allOf: [{ $ref: '#/components/schemas/Base' }, { required: ['at', 'name'] }],
      properties: { id: { $ref: '#/components/schemas/Id' }, name: { type: 'string' } },
      required: ['id'],
    }
    const converted = await convert(schema, components)
    expect(converted.schema).toEqual({
      properties: { name: { type: 'string' } },
      allOf: [{ $ref: '#/$defs/Base' }, { required: ['name'] }],
    })
    expect(converted.$defs).toEqual({ Base: { type: 'object', properties: {} } })
  })

  it('chooses an alternative by its discriminator', async () => {
    const components = {
      Cat: { type: 'object', properties: { lives: { type: 'integer' } } },
      Dog: { type: 'object' },
    }
    const refs = ['Cat', 'Dog'].map((name) => ({ $ref: `#/components/schemas/${name}` }))
    const discriminator = { propertyName: 'kind', mapping: { cat: '#/components/schemas/Cat' } }
    const { schema } = await convert({ oneOf: refs, discriminator }, components)
    expect(schema.anyOf).toEqual([
      { $ref: '#/$defs/Cat', properties: { kind: { enum: ['cat'] } }, required: ['kind'] },
      { $ref: '#/$defs/Dog', properties: { kind: { enum: ['Dog'] } }, required: ['kind'] },
    ])
  })
})

describe('inheritance', () => {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
  const object = (name: string) => ({
    type: 'object',
    properties: { [name]: { type: 'string' } },
    required: [name],
  })
  const closed = (name: string) => ({ ...object(name), additionalProperties: false })
  const kind = { propertyName: 'kind', mapping: { cat: '#/components/schemas/Cat' } }
  const oneLevel = {
    Pet: { ...object('kind'), discriminator: kind, oneOf: [ref('Cat'), ref('Dog')] },
    Cat: { allOf: [ref('Pet'), object('lives')] },
    Dog: { allOf: [ref('Pet'), object('breed')] },
  }
  const twoLevels = {
    Animal: { ...object('id'), anyOf: [ref('Pet')] },
    Pet: { allOf: [ref('Animal'), object('kind')], oneOf: [ref('Cat')] },
    Cat: { allOf: [ref('Pet'), object('lives')] },
  }

  it.each([
    ['one level', 'Pet', oneLevel, { kind: 'cat', lives: '9' }, { kind: 'cat' }],
    ['one level', 'Cat', oneLevel, { kind: 'cat', lives: '9' }, { lives: '9' }],
    [
      'two levels',
      'Animal',
      twoLevels,
      { id: '1', kind: 'cat', lives: '9' },
      { id: '1', kind: 'cat' },
    ],
    [
      'two levels',
      'Pet',
      twoLevels,
      { id: '1', kind: 'cat', lives: '9' },
      { kind: 'cat', lives: '9' },
    ],
  ])(
    'that is written both ways accepts only whole values, in %s from %s',
    async (_, name, components, whole, part) => {
      const sent = playUpstream()
      for (const openapi of ['3.0.3', '3.1.0']) {
        const content = { 'application/json': { schema: { type: 'array', items: ref(name) } } }
        const document = describeOperation(
          { requestBody: { content } },
          { method: 'post', openapi, components: { schemas: components } },
        )
        const app = openServer(fromOpenAPI(document))
        expect((await callTool(app, 'call', { body: [part] })).isError).toBe(true)
        expect((await callTool(app, 'call', { body: [whole] })).isError).toBeUndefined()
      }
      expect(sent.map(({ body }) => body)).toEqual([
        JSON.stringify([whole]),
        JSON.stringify([whole]),
      ])
      vi.restoreAllMocks()
    },
  )

  it.each([
    ['each part is closed', { allOf: [ref('Closed'), closed('b')] }],
    ['the schema around a part is closed', { ...closed('b'), allOf: [ref('Closed')] }],
    ['a part of a part is closed', { allOf: [{ allOf: [ref('Closed')] }, object('b')] }],
  ])('accepts the properties of all parts where %s', async (_, schema) => {
    const sent = playUpstream()
    const document = describeOperation(
      { requestBody: { content: { 'application/json': { schema } } } },
      { method: 'post', components: { schemas: { Closed: closed('a') } } },
    )
    await callTool(openServer(fromOpenAPI(document)), 'call', { body: { a: '1', b: '2' } })
    expect(sent.map(({ body }) => body)).toEqual(['{"a":"1","b":"2"}'])
    vi.restoreAllMocks()
  })

  it('keeps a schema closed that is no part of another one', async () => {
    const { schema } = await convert({ type: 'array', items: closed('a') })
    expect(schema.items).toEqual(closed('a'))
  })

  it('that is written both ways has the base in one definition of its own', async () => {
    const { $defs } = await convert(ref('Pet'), oneLevel)
    expect(Object.keys($defs).toSorted()).toEqual(['Cat', 'Dog', 'Pet', 'Pet_base'])
    expect($defs.Pet_base).toEqual(object('kind'))
  })
})

describe('a reference', () => {
  it('becomes a definition, and recursion stays one', async () => {
    const components = {
      Node: {
        type: 'object',
        properties: { next: { $ref: '#/components/schemas/Node' }, leaf: { type: 'string' } },
      },
    }
    const { schema, $defs } = await convert({ $ref: '#/components/schemas/Node' }, components)
    expect(schema).toEqual({ $ref: '#/$defs/Node' })
    expect($defs.Node.properties.next).toEqual({ $ref: '#/$defs/Node' })
  })

  it('may lead into a schema, and through another reference', async () => {
    const components = {
      A: { type: 'object', properties: { x: { type: 'integer' } } },
      B: { $ref: '#/components/schemas/A' },
    }
    const { schema, $defs } = await convert(
      { $ref: '#/components/schemas/B/properties/x' },
      components,
    )
    expect(schema).toEqual({ $ref: '#/$defs/x' })
    expect($defs).toEqual({ x: { type: 'integer' } })
  })

  it('in place of the properties is followed, as bundles of several files have it', async () => {
    const components = {
      A: {
        type: 'object',
        properties: { x: { type: 'integer' }, id: { type: 'string', readOnly: true } },
      },
      B: { type: 'object', properties: { $ref: '#/components/schemas/A/properties' } },
    }
    const { schema, $defs } = await convert({ $ref: '#/components/schemas/B' }, components)
    expect(schema).toEqual({ $ref: '#/$defs/B' })
    expect($defs.B).toEqual({ type: 'object', properties: { x: { type: 'integer' } } })
  })

  it('of 3.1 keeps the keywords beside it, and of 3.0 only a description', async () => {
    const schema = { $ref: '#/components/schemas/A', description: 'd', maxLength: 3 }
    const components = { A: { type: 'string' } }
    expect((await convert(schema, components, '3.1.0')).schema).toEqual({
      $ref: '#/$defs/A',
      description: 'd',
      maxLength: 3,
    })
    expect((await convert(schema, components)).schema).toEqual({
      $ref: '#/$defs/A',
      description: 'd',
    })
  })

  it('through 5,000 schemas is resolved', async () => {
    const entries = Array.from({ length: 5_000 }, (_, n) => [
      `S${n}`,
      n === 4_999
        ? { type: 'string' }
        : { properties: { n: { $ref: `#/components/schemas/S${n + 1}` } } },
    ])
    const document = describeOperation(
      {
        requestBody: {
          content: { 'application/json': { schema: { $ref: '#/components/schemas/S0' } } },
        },
      },
      { method: 'post', components: { schemas: Object.fromEntries(entries) } },
    )
    expect(prepareOpenAPI(document).operations[0]?.pruning).toBe('depth-6')
  })
})

describe('an input schema above the limit', () => {
  const long = 'words '.repeat(60)
  const properties = (count: number, more: object) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, n) => [`property${n}`, { type: 'string', ...more }]),
    )
  const prepare = (schema: object, options = {}) =>
    prepareOpenAPI(
      describeOperation(
        { requestBody: { description: 'The body.', content: { 'application/json': { schema } } } },
        { method: 'post' },
      ),
      options,
    )

  it.each([
    ['none', { type: 'object', properties: properties(10, {}) }],
    ['examples', { type: 'object', properties: properties(60, { examples: [long] }) }],
    ['long-descriptions', { type: 'object', properties: properties(60, { description: long }) }],
    ['descriptions', { type: 'object', properties: properties(150, { description: long }) }],
    ['depth-0', { type: 'object', properties: properties(1_000, {}) }],
  ])('is shortened by removing %s', async (pruning, schema) => {
    const prepared = prepare(schema)
    expect(prepared.operations[0]?.pruning).toBe(pruning)
    const [tool] = await listTools(openServer(prepared.server()))
    expect(JSON.stringify(tool.inputSchema).length).toBeLessThanOrEqual(16_384)
    expect(tool.inputSchema.properties.body.description).toBe('The body.')
  })

  it('measures a definition once for all tools that need it', () => {
    let measured = 0
    const schema = { type: 'object', properties: properties(1_000, {}) }
    Object.defineProperty(schema, 'toJSON', {
      value: () => {
        measured++
        return { ...schema }
      },
    })
    const definition = { name: 'Large', schema: schema as JsonSchema, uses: new Set<never>() }
    const tool = { type: 'object', properties: { body: { $ref: '#/$defs/Large' } } }
    for (let count = 0; count < 20; count++) {
      const fitted = fitSchema({ schema: tool, uses: new Set([definition]) }, 16_384)
      expect(fitted.pruning).toBe('depth-0')
    }
    expect(measured).toBe(1)
  })

  it('keeps everything with a higher limit', () => {
    const schema = { type: 'object', properties: properties(60, { examples: [long] }) }
    expect(prepare(schema, { maxSchemaLength: 200_000 }).operations[0]?.pruning).toBe('none')
  })
})
