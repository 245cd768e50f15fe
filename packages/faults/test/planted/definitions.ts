/** Faults of lists, tools, views and results, planted in an open server. */
import { CLIENT_NAMES } from '../../../client/src/names.ts'
import {
  answersAt,
  both,
  CALL_RESULT,
  type Defect,
  errorOf,
  eventStream,
  html,
  json,
  onMethod,
  onResult,
  resultOf,
  rpcError,
  TOOL,
  when,
} from './plant.ts'
import { type Rows, type Ways, WITH_MODERN } from './row.ts'

/** The clean tool, and another one. */
const withTool = (tool: object) => resultOf('tools/list', { tools: [TOOL, tool] })

/** The clean tool, changed. */
const tool = (change: object) => resultOf('tools/list', { tools: [{ ...TOOL, ...change }] })

/** A tool with this inputSchema, beside the clean one. */
const input = (inputSchema: object) => withTool({ ...TOOL, name: 'takes', inputSchema })
const argument = (a: unknown, more = {}) => input({ type: 'object', properties: { a }, ...more })

const VIEW = { uri: 'ui://a/b', mimeType: 'text/html;profile=mcp-app', text: '<!doctype html>' }

/** A tool with a view, and the answer to a read of the view. */
export const withView =
  (contents: object | undefined, resourceUri: unknown = VIEW.uri): Defect =>
  (request, next, origin) => {
    const result = { resultType: 'complete', ttlMs: 0, cacheScope: 'private', contents: [contents] }
    return request.json.method === 'resources/read' && contents !== undefined
      ? json({ jsonrpc: '2.0', id: request.json.id, result })
      : withTool({ ...TOOL, name: 'shown', _meta: { ui: { resourceUri } } })(request, next, origin)
  }

/** A tool with an outputSchema, and the structured content of its result. */
export const withOutput = (outputSchema: object, structuredContent: unknown): Defect =>
  both(tool({ outputSchema }), resultOf('tools/call', { structuredContent }))

const output = (a: object, value = {}) => withOutput({ type: 'object', properties: { a } }, value)

/** A tool whose result repeats its structured content as text. */
const shaped = (outputSchema: object) =>
  both(
    tool({ outputSchema }),
    resultOf('tools/call', {
      content: [{ type: 'text', text: '{"a":1}' }],
      structuredContent: { a: 1 },
    }),
  )

const NUMBER = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] }
const OPTIONAL = { type: 'object', properties: { a: { type: 'number' } } }

/** One way for each of these values. */
const each = <Value>(
  values: Readonly<Record<string, Value>>,
  plant: (value: Value) => Ways[string],
): Ways => Object.fromEntries(Object.entries(values).map(([when, value]) => [when, plant(value)]))

const named = (name: string) => withTool({ ...TOOL, name })

/** Declares other capabilities. */
const declaring = (capabilities: object) =>
  answersAt('/mcp', ({ body = '' }) => ({
    body: String(body).replace('{"tools":{}}', JSON.stringify(capabilities)),
  }))

function reversed(): Defect {
  let lists = 0
  const tools = ['a', 'b'].map((name) => ({ ...TOOL, name }))
  return onResult('tools/list', (result) => ({
    ...result,
    tools: ++lists % 2 === 1 ? tools : tools.toReversed(),
  }))
}

export const DEFINITIONS: Rows = {
  'tool-schema-invalid': {
    'an argument has a type that does not exist': argument({ items: { type: 'strin' } }),
    'the pattern of an argument is no expression with flag u': argument({
      type: 'string',
      pattern: '^\\@',
    }),
    'an argument is required by itself': argument({ type: 'string', required: true }),
    ...each(
      {
        'a nested schema has properties as a list': { type: 'object', properties: [] },
        'a nested schema has a text in place of the schema of its items': {
          type: 'array',
          items: 'string',
        },
        'a nested schema has a list of schemas for its items': {
          type: 'array',
          items: [{ type: 'string' }],
        },
        'a nested schema has an alternative in place of a list': { anyOf: { type: 'string' } },
        'a nested schema has null in place of a schema': {
          type: 'object',
          additionalProperties: null,
        },
        'a nested schema is a text': 'string',
      },
      (a) => argument({ type: 'object', properties: { a } }),
    ),
  },
  'tool-output-invalid': {
    'a pattern has the syntax of another language': output(
      { type: 'string', pattern: '(?i)a' },
      { a: 'A' },
    ),
    'a member of the result has a type that does not exist': output({ type: 'strin' }, { a: 'A' }),
    ...each(
      {
        'a member of the result has properties as a list': { type: 'object', properties: [] },
        'a member of the result has a text in place of the schema of its items': {
          type: 'array',
          items: 'string',
        },
        'a member of the result has an empty enum': { enum: [] },
        'a member of the result has null in place of a schema': { anyOf: [null] },
        'a member of the result refers to a definition that is not in it': {
          $ref: '#/components/schemas/Pet',
        },
      },
      (a) => output(a),
    ),
  },
  'tool-schema-reference': {
    'a schema refers to a definition that is not in it': input({
      type: 'object',
      properties: { known: { $ref: '#/$defs/a~1b' }, lost: { $ref: '#/components/schemas/Pet' } },
      $defs: { 'a/b': { type: 'string' } },
    }),
  },
  'list-failed': {
    'tools/list is an error': errorOf('tools/list', -32603, 'Database'),
    'prompts are declared and their list is an error': {
      plant: declaring({ tools: {}, prompts: {} }),
      met: CLIENT_NAMES.filter((name) => name !== 'ChatGPT'),
    },
  },
  'list-result-invalid': {
    'nextCursor is null': resultOf('tools/list', { nextCursor: null }),
    'a list of 2026-07-28 has no ttlMs': {
      plant: resultOf('tools/list', { ttlMs: undefined }),
      met: WITH_MODERN,
    },
    'a list of 2026-07-28 has no resultType': {
      plant: resultOf('tools/list', { resultType: undefined }),
      met: WITH_MODERN,
    },
  },
  'list-does-not-end': {
    'nextCursor repeats': resultOf('tools/list', { nextCursor: 'again' }),
  },
  'list-order-changes': { 'two lists have another order': reversed() },
  'tools-not-declared': { 'the capability is missing': declaring({}) },
  'tool-schema-not-object': {
    'an inputSchema has no type': withTool({
      ...TOOL,
      name: 'bare',
      inputSchema: { properties: {} },
    }),
  },
  'tool-schema-too-large': {
    'an inputSchema has more than 16,384 bytes': input({
      type: 'object',
      description: 'x'.repeat(16_384),
    }),
  },
  'tool-schema-composed': each(
    {
      'an inputSchema has anyOf at its root': { anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      'an inputSchema has oneOf at its root': { oneOf: [OPTIONAL, {}] },
      'an inputSchema has allOf at its root': { allOf: [{ required: ['a'] }] },
      'an inputSchema has a condition at its root': { if: { required: ['a'] } },
    },
    (schema) => input({ type: 'object', ...schema }),
  ),
  'tool-schema-unportable': { 'an array has no items': argument({ type: 'array' }) },
  'tool-property-names': {
    'an argument has brackets in its name': input({
      type: 'object',
      properties: { 'filter[name]': { type: 'string' } },
    }),
  },
  'tool-output-not-object': each(
    {
      'an outputSchema has anyOf at its root': { anyOf: [OPTIONAL, { type: 'object' }] },
      'an outputSchema has oneOf at its root': { oneOf: [OPTIONAL, { type: 'string' }] },
      'the root of an outputSchema is an array': { type: 'array' },
      'the root of an outputSchema has several types': { type: ['object', 'null'] },
      'an outputSchema is empty': {},
    },
    shaped,
  ),
  'tool-output-composed': {
    'an outputSchema has anyOf beside "type": "object"': shaped({
      type: 'object',
      anyOf: [OPTIONAL, {}],
    }),
  },
  'tool-name-too-long': { 'the name of a tool has 65 characters': named('n'.repeat(65)) },
  'tool-name-dropped': { 'the name of a tool has 121 characters': named('n'.repeat(121)) },
  'tool-name-characters': { 'the name of a tool has a dot': named('files.read') },
  'tool-name-repeated': { 'two tools have one name': withTool(TOOL) },
  'view-not-readable': {
    'no resource has the address of a view': withView(undefined),
    'a view has an address of the web': withView(
      { ...VIEW, uri: 'https://a.example' },
      'https://a.example',
    ),
    'the address of a view is a number': withView(VIEW, 7),
    'a view has neither text nor blob': withView({ ...VIEW, text: undefined }),
  },
  'view-type-wrong': { 'a view is text/html': withView({ ...VIEW, mimeType: 'text/html' }) },
  'view-policy-invalid': each<object>(
    {
      'an entry of a policy has a path': { connectDomains: ['https://a.example/path'] },
      'an entry of a policy ends the directive': {
        resourceDomains: ['https://a.example; script-src *'],
      },
      'an entry of a policy is any host': { connectDomains: ['*'] },
      'an entry of a policy is not in a list': { frameDomains: 'https://a.example' },
      'an entry of a policy is in a list without a meaning': {
        scriptDomains: ['https://a.example'],
      },
    },
    (csp) => withView({ ...VIEW, _meta: { ui: { csp } } }),
  ),
  'call-failed': {
    'a call is answered with 502': onMethod('tools/call', () => html(502, 'Bad Gateway')),
    'a call has an internal error': errorOf('tools/call', -32603, 'Database'),
    'a call has an internal error with status 500': errorOf('tools/call', -32603, 'Database', 500),
    'the answer to a call says that there are no calls': errorOf(
      'tools/call',
      -32601,
      'Method not found',
    ),
    'the answer to a call has an error with another id': onMethod('tools/call', () =>
      rpcError(null, -32000, 'No'),
    ),
    'the Mcp-Name of a call is refused': {
      plant: when(
        ({ headers }) => headers['mcp-name'] !== undefined,
        rpcError(1, -32020, 'Header mismatch', 400),
      ),
      met: WITH_MODERN,
    },
    'the event stream of a call ends without its response and cannot be resumed': both(
      when(
        ({ headers }) => headers['last-event-id'] !== undefined,
        json({}, 405, { allow: 'POST' }),
      ),
      onMethod('tools/call', () => eventStream('id: a\nretry: 1\ndata:\n\n')),
    ),
  },
  'call-result-invalid': {
    'structuredContent is not what the outputSchema describes': withOutput(NUMBER, { a: '1' }),
    'a result of 2026-07-28 has no resultType': {
      plant: onResult('tools/call', ({ content }) => ({ content })),
      met: WITH_MODERN,
    },
    'content is a string': resultOf('tools/call', { content: 'Hello' }),
    'a result has its text beside content, which is missing': resultOf('tools/call', {
      content: undefined,
      text: 'Hello',
    }),
    'a tool with an outputSchema has no structuredContent': tool({
      outputSchema: { type: 'object' },
    }),
  },
  'structured-without-text': {
    'a result has structuredContent alone': resultOf('tools/call', {
      content: [],
      structuredContent: { a: 1 },
    }),
    'a result that its outputSchema describes has structuredContent alone': both(
      tool({ outputSchema: OPTIONAL }),
      resultOf('tools/call', { content: [], structuredContent: { a: 1 } }),
    ),
  },
  'result-too-long': {
    'a result has more than 150,000 characters': resultOf('tools/call', {
      content: [{ ...CALL_RESULT.content[0], text: 'x'.repeat(150_001) }],
    }),
  },
}

/** The schema of the tool nests this many levels. It is written as text, because JSON of so many cannot be made of values. */
export function nestsTool(levels: number): Defect {
  const tool = JSON.stringify(TOOL)
  const nested = `${'{"items":'.repeat(levels)}{}${'}'.repeat(levels)}`
  const deep = tool.replace('"properties":{}', `"properties":{"a":${nested}}`)
  return onMethod(
    'tools/list',
    (_, next) => next && { ...next, body: String(next.body).replace(tool, deep) },
  )
}
