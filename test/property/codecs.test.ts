/** The codecs: what each revision sends, and what a client of that revision reads back. */

import {
  CallToolResultSchema,
  GetPromptResultSchema,
  ListPromptsResultSchema,
  ListResourcesResultSchema,
  ListResourceTemplatesResultSchema,
  ListToolsResultSchema,
  ReadResourceResultSchema,
} from '@modelcontextprotocol/sdk/types.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { askParams } from '../../src/protocol/codec/ask-params.ts'
import type { Codec } from '../../src/protocol/codec/codec.ts'
import { createModernCodec } from '../../src/protocol/codec/modern.ts'
import { createSessionCodec } from '../../src/protocol/codec/session.ts'
import { ErrorCode } from '../../src/protocol/error-codes.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { LIST_MEMBER, type ListMethod } from '../../src/protocol/primitives.ts'
import { REVISIONS } from '../../src/protocol/revisions.ts'
import { verifies } from '../support/verifies.ts'
import { runs } from './settings.ts'

const MODERN = createModernCodec({ name: 'server', version: '1' })
/** Newest first. */
const SESSION = REVISIONS.filter(({ era }) => era !== 'modern').map(createSessionCodec)
const CODECS = new Map([MODERN, ...SESSION].map((codec) => [codec.revision.id, codec]))

/** By name, so that a counterexample names the revision. */
const revision = fc.constantFrom(...CODECS.keys())
const sessionRevision = fc.constantFrom(...SESSION.map(({ revision: { id } }) => id))
const codecOf = (id: string): Codec => CODECS.get(id) ?? MODERN

const text = fc.string({ unit: 'grapheme', maxLength: 8 })
const base64 = fc.uint8Array({ maxLength: 6 }).map((bytes) => bytes.toBase64())
const mimeType = fc.constantFrom('text/plain', 'audio/wav', 'image/png')
const uri = fc.stringMatching(/^https:\/\/[a-z]{1,4}\.example\/[a-z]{0,3}$/)
const meta = fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.jsonValue({ maxDepth: 1 }), {
  maxKeys: 2,
})
const annotations = fc.record(
  {
    audience: fc.subarray(['user', 'assistant']),
    priority: fc.double({ min: 0, max: 1, noNaN: true }).map((value) => value + 0),
    lastModified: fc
      .date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
      .map((date) => date.toISOString()),
  },
  { requiredKeys: [] },
)
const icon = fc.record(
  { src: uri, mimeType, sizes: fc.constant(['48x48']) },
  { requiredKeys: ['src'] },
)
const icons = fc.array(icon, { minLength: 1, maxLength: 2 })
const shown = { title: text, annotations, _meta: meta }

const contents = fc.oneof(
  fc.record({ uri, mimeType, text, _meta: meta }, { requiredKeys: ['uri', 'text'] }),
  fc.record({ uri, mimeType, blob: base64, _meta: meta }, { requiredKeys: ['uri', 'blob'] }),
)
const resource = { uri, name: text, description: text, mimeType, size: fc.nat(), icons, ...shown }
const onBlock = { annotations, _meta: meta }
const kind = <T extends string>(type: T) => fc.constant(type)
const block = fc.oneof(
  fc.record({ type: kind('text'), text, ...onBlock }, { requiredKeys: ['type', 'text'] }),
  fc.record(
    { type: fc.constantFrom('image', 'audio'), data: base64, mimeType, ...onBlock },
    { requiredKeys: ['type', 'data', 'mimeType'] },
  ),
  fc.record(
    { type: kind('resource_link'), ...resource },
    { requiredKeys: ['type', 'uri', 'name'] },
  ),
  fc.record(
    { type: kind('resource'), resource: contents, ...onBlock },
    { requiredKeys: ['type', 'resource'] },
  ),
)
const blocks = fc.array(block, { maxLength: 3 })

const objectSchema = fc.record(
  {
    type: kind('object'),
    properties: fc.dictionary(
      fc.stringMatching(/^[a-z]{1,4}$/),
      fc.oneof(fc.boolean(), fc.constantFrom({ type: 'string' }, { type: 'integer' }, {})),
      { maxKeys: 3 },
    ),
  },
  { requiredKeys: ['type'] },
)
const toolAnnotations = fc.record(
  { title: text, readOnlyHint: fc.boolean(), idempotentHint: fc.boolean() },
  { requiredKeys: [] },
)
const ITEMS: { readonly [method in ListMethod]: fc.Arbitrary<object> } = {
  'tools/list': fc.record(
    {
      name: text,
      title: text,
      description: text,
      inputSchema: objectSchema,
      outputSchema: fc.oneof(objectSchema, fc.constant({ type: 'array' }), fc.constant({})),
      annotations: toolAnnotations,
      icons,
      _meta: meta,
    },
    { requiredKeys: ['name', 'inputSchema'] },
  ),
  'prompts/list': fc.record(
    {
      name: text,
      title: text,
      description: text,
      arguments: fc.array(
        fc.record(
          { name: text, title: text, description: text, required: fc.boolean() },
          { requiredKeys: ['name'] },
        ),
        { maxLength: 2 },
      ),
      icons,
      _meta: meta,
    },
    { requiredKeys: ['name'] },
  ),
  'resources/list': fc.record(resource, { requiredKeys: ['uri', 'name'] }),
  'resources/templates/list': fc.record(
    {
      uriTemplate: fc.constant('note://{id}'),
      name: text,
      description: text,
      mimeType,
      icons,
      ...shown,
    },
    { requiredKeys: ['uriTemplate', 'name'] },
  ),
}

/** A function from a codec's neutral value to the body of its result, with an example of the value. */
interface Kind {
  readonly value: fc.Arbitrary<object>
  /** The body, and the same value as a neutral one, so that a second codec can narrow it further. */
  readonly encode: (codec: Codec, value: never) => object
  /** How the reference SDK reads the result. */
  readonly schema: { readonly parse: (value: unknown) => unknown }
}

const list = (method: ListMethod, schema: Kind['schema']): Kind => ({
  value: fc.record({ [LIST_MEMBER[method]]: fc.array(ITEMS[method], { maxLength: 2 }) }),
  encode: (codec, value: { readonly [member: string]: readonly never[] }) => ({
    [LIST_MEMBER[method]]: (value[LIST_MEMBER[method]] ?? []).map((item) =>
      codec.listItem(method, item),
    ),
  }),
  schema,
})

const KINDS: Readonly<Record<string, Kind>> = {
  CallToolResult: {
    value: fc.record(
      {
        content: blocks,
        structuredContent: fc.jsonValue({ maxDepth: 2 }),
        isError: fc.boolean(),
        _meta: meta,
      },
      { requiredKeys: ['content'] },
    ),
    encode: (codec, value) => codec.callToolResult(value),
    schema: CallToolResultSchema,
  },
  ReadResourceResult: {
    value: fc.record(
      { contents: fc.array(contents, { maxLength: 3 }), _meta: meta },
      { requiredKeys: ['contents'] },
    ),
    encode: (codec, value) => codec.readResourceResult(value),
    schema: ReadResourceResultSchema,
  },
  GetPromptResult: {
    value: fc.record(
      {
        description: text,
        messages: fc.array(
          fc.record({ role: fc.constantFrom('user', 'assistant'), content: block }),
          { maxLength: 2 },
        ),
      },
      { requiredKeys: ['messages'] },
    ),
    encode: (codec, value) => codec.getPromptResult(value),
    schema: GetPromptResultSchema,
  },
  ListToolsResult: list('tools/list', ListToolsResultSchema),
  ListPromptsResult: list('prompts/list', ListPromptsResultSchema),
  ListResourcesResult: list('resources/list', ListResourcesResultSchema),
  ListResourceTemplatesResult: list('resources/templates/list', ListResourceTemplatesResultSchema),
}

/** The value as JSON: `-0` is sent as `0`, and no member is undefined. */
const asJson = (value: unknown): JsonObject => JSON.parse(JSON.stringify(value))
const read = (codec: Codec, body: object): JsonObject => JSON.parse(codec.resultText(body))

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).map(freeze)
  return value
}

/** Every member name in a value, except in what an author may fill freely. */
function namesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, child]) =>
    ['_meta', 'structuredContent', 'properties'].includes(name)
      ? [name]
      : [name, ...namesIn(child)],
  )
}

/** What an author may fill freely, and schemas. */
const FREE = ['_meta', 'structuredContent', 'inputSchema', 'outputSchema']

/** The value, each object of which has a member that no revision has. */
function withUnknown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withUnknown)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, child]) => [
    name,
    FREE.includes(name) ? child : withUnknown(child),
  ])
  return { ...Object.fromEntries(members), unknown: 'member' }
}

describe.each(Object.entries(KINDS))('the codecs of a %s', (_, { value, encode, schema }) => {
  it('send to the two newest revisions exactly what the handler returned', () => {
    verifies('prompts/audio-content')
    fc.assert(
      fc.property(value.map(freeze), (original) => {
        const { resultType, _meta, ...modern } = read(MODERN, encode(MODERN, original as never))
        const { _meta: ownMeta, ...own } = asJson(original)
        expect(resultType).toBe('complete')
        expect(modern).toEqual(own)
        expect(_meta).toMatchObject({
          ...(ownMeta as JsonObject),
          'io.modelcontextprotocol/serverInfo': { name: 'server' },
        })
      }),
      runs(50),
    )
  })

  it('send to a session what the reference SDK accepts and reads back, and do not modify the result', () => {
    verifies('base-protocol/messages-follow-json-rpc')
    verifies('base-protocol/response-has-a-result-or-an-error')
    fc.assert(
      fc.property(value.map(freeze), sessionRevision, (original, id) => {
        const codec = codecOf(id)
        const wire = read(codec, encode(codec, original as never))
        // The SDK drops members that its schema does not name, such as the title of a prompt's argument.
        expect(wire).toMatchObject(schema.parse(wire) as object)
      }),
      runs(50),
    )
  })

  it('send to a revision no member that only a newer one has', () => {
    verifies('lifecycle/negotiated-version-and-capabilities')
    fc.assert(
      fc.property(value, sessionRevision, (original, id) => {
        const codec = codecOf(id)
        const names = namesIn(read(codec, encode(codec, original as never)))
        const { icons: hasIcons, structuredOutput } = codec.revision.features
        if (!hasIcons) expect(names).not.toContain('icons')
        if (structuredOutput) return
        // The title of a tool's annotations is as old as the annotations.
        const newer = ['structuredContent', 'outputSchema', 'lastModified', 'websiteUrl']
        expect(names.filter((name) => newer.includes(name))).toEqual([])
      }),
      runs(50),
    )
  })

  it('send to no revision a member that the model does not have', () => {
    fc.assert(
      fc.property(value, revision, (original, id) => {
        const codec = codecOf(id)
        const sent = read(codec, encode(codec, withUnknown(original) as never))
        expect(sent).toEqual(read(codec, encode(codec, original as never)))
      }),
      runs(50),
    )
  })

  it('give an older revision the same result directly and through any newer one', () => {
    fc.assert(
      fc.property(value, fc.nat({ max: 3 }), fc.nat({ max: 3 }), (original, one, other) => {
        const newer = SESSION[Math.min(one, other)] ?? MODERN
        const older = SESSION[Math.max(one, other)] ?? MODERN
        const direct = encode(older, original as never)
        const stepwise = encode(older, encode(newer, original as never) as never)
        expect(asJson(stepwise)).toEqual(asJson(direct))
      }),
      runs(60),
    )
  })
})

describe('the codecs of asks and errors', () => {
  const choice = fc.record({ const: text, title: text })
  const form = fc.record({
    mode: fc.constant('form'),
    message: text,
    requestedSchema: fc.record({
      type: kind('object'),
      properties: fc.dictionary(
        fc.stringMatching(/^[a-z]{1,4}$/),
        fc.record({
          type: kind('string'),
          oneOf: fc.array(choice, { minLength: 1, maxLength: 3 }),
        }),
        { maxKeys: 2 },
      ),
    }),
  })

  it('keep every choice of a form, in order, with its title', () => {
    fc.assert(
      fc.property(form, revision, (params, id) => {
        const sent = askParams(
          codecOf(id).revision,
          'elicitation/create',
          params as never,
          'id',
        ) as typeof params
        const fields = Object.entries(sent.requestedSchema.properties)
        const shownChoices = fields.map(([name, field]) => {
          const { oneOf, enum: values, enumNames: titles } = field as JsonObject
          if (oneOf !== undefined) return [name, oneOf]
          const all = values as readonly string[]
          return [name, all.map((item, at) => ({ const: item, title: (titles as string[])[at] }))]
        })
        const asked = Object.entries(params.requestedSchema.properties)
        expect(shownChoices).toEqual(asked.map(([name, { oneOf }]) => [name, oneOf]))
      }),
      runs(60),
    )
  })

  it('keep every block of a sampling request, in order, with its role', () => {
    verifies('sampling/messages-have-role-and-content')
    const message = fc.record({
      role: fc.constantFrom('user', 'assistant'),
      content: fc.oneof(block, blocks),
    })
    const flat = (messages: readonly { role: string; content: unknown }[]) =>
      messages.flatMap(({ role, content }) => [content].flat().map((part) => [role, part]))
    fc.assert(
      fc.property(fc.array(message, { maxLength: 4 }), revision, (messages, id) => {
        const codec = codecOf(id)
        const params = { messages, maxTokens: 10 }
        const sent = askParams(codec.revision, 'sampling/createMessage', params as never, 'id')
        expect(flat(sent.messages as never)).toEqual(flat(messages))
        if (codec.revision.features.richAsks) return
        expect(
          (sent.messages as { content: unknown }[]).some(({ content }) => Array.isArray(content)),
        ).toBe(false)
      }),
      runs(60),
    )
  })

  it('never send an error code of earlier revisions alone to a modern client', () => {
    verifies('base-protocol/error-codes-of-earlier-revisions')
    const code = fc.constantFrom(...Object.values(ErrorCode))
    fc.assert(
      fc.property(code, (original) => {
        expect([-32002, -32042]).not.toContain(MODERN.errorCode(original))
        for (const codec of SESSION) expect(codec.errorCode(original)).toBe(original)
      }),
      runs(30),
    )
  })
})
