/** Defects of lists, tools and results. */
import { onMethod, onResult, withAnswer } from '../defects.ts'
import { CALL_RESULT, type Defect, html, json, TOOL } from '../reference-server.ts'
import { ALL, CLAUDE, type Row } from './row.ts'

const withTool = (tool: object) =>
  onResult('tools/list', (result) => ({ ...result, tools: [TOOL, tool] }))

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

/** The clients that show views. */
const WITH_VIEWS = ['Claude (web)', 'Claude Desktop', 'ChatGPT', 'VS Code', 'Cursor']

/** A tool with an outputSchema, and the structured content of its result. */
export const withOutput =
  (outputSchema: object, structuredContent: unknown): Defect =>
  (request, next, origin) => {
    const isCall = request.json.method === 'tools/call'
    const changes = isCall
      ? onResult('tools/call', (result) => ({ ...result, structuredContent }))
      : onResult('tools/list', (result) => ({ ...result, tools: [{ ...TOOL, outputSchema }] }))
    return changes(request, next, origin)
  }

const NUMBER = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] }

export const DEFINITION_ROWS: readonly Row[] = [
  {
    fault: 'tool-schema-invalid',
    when: 'an argument has a type that does not exist',
    defect: withTool({
      ...TOOL,
      name: 'typed',
      inputSchema: { type: 'object', properties: { a: { items: { type: 'strin' } } } },
    }),
    at: ALL,
    fix: /2020-12/,
  },
  {
    fault: 'tool-schema-invalid',
    when: 'the pattern of an argument is no expression with flag u',
    defect: withTool({
      ...TOOL,
      name: 'matched',
      inputSchema: { type: 'object', properties: { a: { type: 'string', pattern: '^\\@' } } },
    }),
    at: ALL,
    fix: /ECMA-262/,
  },
  {
    fault: 'tool-schema-invalid',
    when: 'an argument is required by itself',
    defect: withTool({
      ...TOOL,
      name: 'requires',
      inputSchema: { type: 'object', properties: { a: { type: 'string', required: true } } },
    }),
    at: ALL,
    fix: /beside "properties"/,
  },
  {
    fault: 'tool-output-invalid',
    when: 'a pattern has the syntax of another language',
    defect: withOutput(
      { type: 'object', properties: { a: { type: 'string', pattern: '(?i)a' } } },
      { a: 'A' },
    ),
    breaks: ['Cursor', 'Gemini CLI'],
    at: ALL,
    fix: /ECMA-262/,
  },
  {
    fault: 'tool-output-invalid',
    when: 'a member of the result has a type that does not exist',
    defect: withOutput({ type: 'object', properties: { a: { type: 'strin' } } }, { a: 'A' }),
    breaks: ['Cursor', 'Gemini CLI'],
    at: ALL,
    fix: /2020-12/,
  },
  ...[
    ['has properties as a list', { type: 'object', properties: [] }],
    ['has a text in place of the schema of its items', { type: 'array', items: 'string' }],
    ['has a list of schemas for its items', { type: 'array', items: [{ type: 'string' }] }],
    ['has an alternative in place of a list', { anyOf: { type: 'string' } }],
    ['has null in place of a schema', { type: 'object', additionalProperties: null }],
    ['is a text', 'string'],
  ].map(
    ([what, a]): Row => ({
      fault: 'tool-schema-invalid',
      when: `the schema of a member of an argument ${what}`,
      defect: withTool({
        ...TOOL,
        name: 'nested',
        inputSchema: { type: 'object', properties: { b: { type: 'object', properties: { a } } } },
      }),
      at: ALL,
      fix: /2020-12/,
    }),
  ),
  ...[
    ['properties as a list', { type: 'object', properties: [] }],
    ['a text in place of the schema of its items', { type: 'array', items: 'string' }],
    ['an empty enum', { enum: [] }],
    ['null in place of a schema', { anyOf: [null] }],
    ['a $ref to a definition that is not in it', { $ref: '#/components/schemas/Pet' }],
  ].map(
    ([what, a]): Row => ({
      fault: 'tool-output-invalid',
      when: `a member of the result has ${what}`,
      defect: withOutput({ type: 'object', properties: { a } }, {}),
      breaks: ['Cursor', 'Gemini CLI'],
      at: ALL,
      fix: /2020-12/,
    }),
  ),
  {
    fault: 'call-result-invalid',
    when: 'structuredContent is not what the outputSchema describes',
    defect: withOutput(NUMBER, { a: '1' }),
    at: ALL,
    fix: /outputSchema/,
  },
  {
    fault: 'call-result-invalid',
    when: 'a result of 2026-07-28 has no resultType',
    defect: onResult('tools/call', ({ content }) => ({ content })),
    at: CLAUDE,
    fix: /resultType/,
  },
  {
    fault: 'list-result-invalid',
    when: 'a list of 2026-07-28 has no ttlMs',
    defect: onResult('tools/list', ({ ttlMs: _, ...result }) => result),
    breaks: CLAUDE,
    fix: /ttlMs/,
  },
  {
    fault: 'list-result-invalid',
    when: 'a list of 2026-07-28 has no resultType',
    defect: onResult('tools/list', ({ resultType: _, ...result }) => result),
    breaks: CLAUDE,
    fix: /resultType/,
  },
  {
    fault: 'tool-schema-reference',
    when: 'a schema refers to a definition that is not in it',
    defect: withTool({
      ...TOOL,
      name: 'refers',
      inputSchema: {
        type: 'object',
        properties: { known: { $ref: '#/$defs/a~1b' }, lost: { $ref: '#/components/schemas/Pet' } },
        $defs: { 'a/b': { type: 'string' } },
      },
    }),
    at: ALL,
    fix: /\$defs/,
  },
  {
    fault: 'list-failed',
    when: 'tools/list is an error',
    defect: onMethod('tools/list', (id) =>
      json({ jsonrpc: '2.0', id, error: { code: -32603, message: 'Database' } }),
    ),
    breaks: ALL,
    fix: /empty list/,
  },
  {
    fault: 'list-failed',
    when: 'prompts are declared and their list is an error',
    defect: withAnswer('/mcp', (answer) => ({
      ...answer,
      body: String(answer.body ?? '').replace('{"tools":{}}', '{"tools":{},"prompts":{}}'),
    })),
    breaks: ALL.filter((name) => name !== 'ChatGPT'),
    fix: /do not declare/,
  },
  {
    fault: 'list-result-invalid',
    when: 'nextCursor is null',
    defect: onResult('tools/list', (result) => ({ ...result, nextCursor: null })),
    breaks: ALL,
    fix: /null/,
  },
  {
    fault: 'list-does-not-end',
    when: 'nextCursor repeats',
    defect: onResult('tools/list', (result) => ({ ...result, nextCursor: 'again' })),
    breaks: ALL,
    fix: /last page/,
  },
  {
    fault: 'tools-not-declared',
    when: 'the capability is missing',
    defect: withAnswer('/mcp', (answer) => ({
      ...answer,
      body: String(answer.body ?? '').replace('{"tools":{}}', '{}'),
    })),
    breaks: ALL,
    fix: /capabilities/,
  },
  {
    fault: 'tool-schema-not-object',
    when: 'an inputSchema has no type',
    defect: withTool({ name: 'bare', inputSchema: { properties: {} } }),
    breaks: ALL,
    fix: /"type": "object"/,
  },
  {
    fault: 'tool-schema-too-large',
    when: 'an inputSchema has more than 16,384 bytes',
    defect: withTool({
      name: 'large',
      inputSchema: { type: 'object', description: 'x'.repeat(16_384) },
    }),
    at: CLAUDE,
    fix: /16,384/,
  },
  {
    fault: 'tool-schema-composed',
    when: 'an inputSchema has anyOf at its root',
    defect: withTool({
      name: 'either',
      inputSchema: { type: 'object', anyOf: [{ required: ['a'] }, { required: ['b'] }] },
    }),
    at: ['Claude Code'],
    fix: /properties of one object/,
  },
  {
    fault: 'tool-schema-composed',
    when: 'an inputSchema has allOf at its root',
    defect: withTool({
      name: 'all',
      inputSchema: { type: 'object', allOf: [{ required: ['a'] }] },
    }),
    at: ['Claude Code'],
    fix: /properties of one object/,
  },
  {
    fault: 'tool-schema-composed',
    when: 'an inputSchema has a condition at its root',
    defect: withTool({ name: 'when', inputSchema: { type: 'object', if: { required: ['a'] } } }),
    at: ['Claude Code'],
    fix: /properties of one object/,
  },
  {
    fault: 'tool-schema-unportable',
    when: 'an array has no items',
    defect: withTool({
      ...TOOL,
      name: 'unportable',
      inputSchema: { type: 'object', properties: { a: { type: 'array' } } },
    }),
    at: ['Claude Code', 'ChatGPT', 'VS Code'],
    fix: /Give each array "items"/,
  },
  {
    fault: 'tool-property-names',
    when: 'an argument has brackets in its name',
    defect: withTool({
      name: 'filter',
      inputSchema: { type: 'object', properties: { 'filter[name]': { type: 'string' } } },
    }),
    at: ['Claude Code'],
    fix: /Rename the argument/,
  },
  {
    fault: 'tool-name-too-long',
    when: 'a name has 65 characters',
    defect: withTool({ name: 'n'.repeat(65), inputSchema: { type: 'object' } }),
    at: ALL,
    fix: /64 characters/,
  },
  {
    fault: 'tool-name-dropped',
    when: 'a name has 121 characters',
    defect: withTool({ name: 'n'.repeat(121), inputSchema: { type: 'object' } }),
    at: ALL,
    fix: /64 characters/,
  },
  {
    fault: 'tool-name-characters',
    when: 'a name has a dot',
    defect: withTool({ name: 'files.read', inputSchema: { type: 'object' } }),
    at: ALL,
    fix: /A-Z/,
  },
  {
    fault: 'tool-name-repeated',
    when: 'two tools have one name',
    defect: withTool(TOOL),
    at: ALL,
    fix: /name of its own/,
  },
  {
    fault: 'view-not-readable',
    when: 'no resource has the address of a view',
    defect: withView(undefined),
    at: WITH_VIEWS,
    fix: /resources\/read/,
  },
  {
    fault: 'view-not-readable',
    when: 'a view has an address of the web',
    defect: withView({ ...VIEW, uri: 'https://a.example' }, 'https://a.example'),
    at: WITH_VIEWS,
    fix: /ui:\/\//,
  },
  {
    fault: 'view-not-readable',
    when: 'the address of a view is a number',
    defect: withView(VIEW, 7),
    at: WITH_VIEWS,
    fix: /ui:\/\//,
  },
  {
    fault: 'view-not-readable',
    when: 'a view has neither text nor blob',
    defect: withView({ ...VIEW, text: undefined }),
    at: WITH_VIEWS,
    fix: /text or blob/,
  },
  {
    fault: 'view-type-wrong',
    when: 'a view is text/html',
    defect: withView({ ...VIEW, mimeType: 'text/html' }),
    at: WITH_VIEWS,
    fix: /profile=mcp-app/,
  },
  ...[
    ['has a path', { connectDomains: ['https://a.example/path'] }],
    ['ends the directive', { resourceDomains: ['https://a.example; script-src *'] }],
    ['is any host', { connectDomains: ['*'] }],
    ['is not in a list', { frameDomains: 'https://a.example' }],
    ['is in a list without a meaning', { scriptDomains: ['https://a.example'] }],
  ].map(
    ([what, csp]): Row => ({
      fault: 'view-policy-invalid',
      when: `an entry of a policy ${what}`,
      defect: withView({ ...VIEW, _meta: { ui: { csp } } }),
      at: WITH_VIEWS,
      fix: /origins/,
    }),
  ),
  {
    fault: 'call-failed',
    when: 'a call is answered with 502',
    defect: onMethod('tools/call', () => html(502, 'Bad Gateway')),
    at: ALL,
    fix: /isError/,
  },
  ...(
    [
      ['has an internal error', 200, { code: -32603, message: 'Database' }],
      ['has an internal error with status 500', 500, { code: -32603, message: 'Database' }],
      ['says that there are no calls', 200, { code: -32601, message: 'Method not found' }],
      ['has an error with another id', 200, { code: -32000, message: 'No' }, null],
    ] as const
  ).map(
    ([what, status, error, other]): Row => ({
      fault: 'call-failed',
      when: `the response to a call ${what}`,
      defect: onMethod('tools/call', (id) =>
        json({ jsonrpc: '2.0', id: other === undefined ? id : other, error }, status),
      ),
      at: ALL,
      fix: /isError/,
    }),
  ),
  {
    fault: 'call-failed',
    when: 'the Mcp-Name of a call is refused',
    defect: (request, next) =>
      request.headers['mcp-name'] === undefined
        ? next()
        : json({ jsonrpc: '2.0', id: 1, error: { code: -32020, message: 'Header mismatch' } }, 400),
    at: CLAUDE,
    fix: /isError/,
  },
  {
    fault: 'call-failed',
    when: 'the event stream of a call ends without its response and cannot be resumed',
    defect: (request, next) => {
      const headers = { 'content-type': 'text/event-stream' }
      if (request.headers['last-event-id'] !== undefined) return json({}, 405, { allow: 'POST' })
      return request.json.method === 'tools/call'
        ? { status: 200, headers, body: 'id: a\nretry: 1\ndata:\n\n' }
        : next()
    },
    at: ALL,
    fix: /isError/,
  },
  {
    fault: 'call-result-invalid',
    when: 'content is a string',
    defect: onResult('tools/call', (result) => ({ ...result, content: 'Hello' })),
    at: ALL,
    fix: /array of blocks/,
  },
  {
    fault: 'call-result-invalid',
    when: 'a result has its text beside content, which is missing',
    defect: onResult('tools/call', ({ content: _, ...result }) => ({ ...result, text: 'Hello' })),
    at: ALL,
    fix: /content as an array/,
  },
  {
    fault: 'call-result-invalid',
    when: 'a tool with an outputSchema has no structuredContent',
    defect: onResult('tools/list', (result) => ({
      ...result,
      tools: [{ ...TOOL, outputSchema: { type: 'object' } }],
    })),
    at: ALL,
    fix: /outputSchema/,
  },
  {
    fault: 'structured-without-text',
    when: 'a result has structuredContent alone',
    defect: onResult('tools/call', (result) => ({
      ...result,
      content: [],
      structuredContent: { a: 1 },
    })),
    at: ['Claude (web)', 'Claude Desktop'],
    fix: /text block/,
  },
  {
    fault: 'result-too-long',
    when: 'a result has more than 150,000 characters',
    defect: onResult('tools/call', (result) => ({
      ...result,
      content: [{ ...CALL_RESULT.content[0], text: 'x'.repeat(150_001) }],
    })),
    at: CLAUDE,
    fix: /150,000/,
  },
]
