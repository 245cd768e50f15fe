/**
 * Texts with a surrogate that has no pair. On the wire it would be an escape such as `\ud800`, which the
 * JSON parsers of several clients refuse.
 */
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { completable, ResourceTemplate, ToolError } from '../../src/index.ts'
import { FullServer } from '../support/full-server.ts'
import { openSession, openSessionApp } from '../support/session-client.ts'
import { modernRequest, openApp } from '../support/test-app.ts'
import { verifies } from '../support/verifies.ts'

const LONE = 'a\ud800b\udc00'
const FIXED = 'a\ufffdb\ufffd'
/** An escape as text, and a pair: both are sent unchanged. */
const FINE = 'C:\\ud800 \\\\udc00 😀'

function createServer(): FullServer {
  const server = new FullServer({ name: LONE, version: LONE, title: LONE }, { instructions: LONE })
  const described = { title: LONE, description: LONE, _meta: { [LONE]: LONE } }
  server.registerTool('text', described, () => LONE)
  server.registerTool('fine', {}, () => FINE)
  server.registerTool(
    'structured',
    { inputSchema: z.object({}).describe(LONE), outputSchema: z.looseObject({}) },
    () => ({ [LONE]: LONE, list: [{ [LONE]: [LONE] }] }),
  )
  server.registerTool('link', {}, () => [
    { type: 'resource_link', uri: `x://${LONE}`, name: LONE },
    { type: 'resource', resource: { uri: `x://${LONE}`, text: LONE } },
  ])
  server.registerTool('fail', {}, () => {
    throw new ToolError(LONE)
  })
  server.registerTool('notify', {}, async (ctx) => {
    await ctx.progress(1, 2, LONE)
    await ctx.log('info', { [LONE]: LONE }, LONE)
    return LONE
  })
  server.registerTool('ask', {}, async (ctx) => {
    const schema = z.object({ name: z.string().describe(LONE) })
    return (await ctx.elicit({ key: 'name', message: LONE, schema })).action
  })
  server.registerPrompt(
    'prompt',
    { ...described, argsSchema: z.object({ a: completable(z.string(), () => [LONE]) }) },
    () => LONE,
  )
  server.registerResource('note', 'note://a', described, () => LONE)
  server.registerResource(
    'template',
    new ResourceTemplate('item://{id}', {
      list: () => ({ resources: [{ uri: `item://${LONE}`, name: LONE }], nextCursor: LONE }),
    }),
    described,
    () => {
      throw new ToolError(LONE)
    },
  )
  return server
}

/** Method, params, and whether the answer must be a stream. */
const REQUESTS: readonly (readonly [string, Record<string, unknown>])[] = [
  ['tools/list', {}],
  ['prompts/list', {}],
  ['resources/list', {}],
  ['resources/templates/list', {}],
  ['tools/call', { name: 'text' }],
  ['tools/call', { name: 'structured' }],
  ['tools/call', { name: 'link' }],
  ['tools/call', { name: 'fail' }],
  ['tools/call', { name: 'notify' }],
  ['prompts/get', { name: 'prompt', arguments: { a: 'x' } }],
  ['resources/read', { uri: 'note://a' }],
  ['resources/read', { uri: 'item://a' }],
  [
    'completion/complete',
    { ref: { type: 'ref/prompt', name: 'prompt' }, argument: { name: 'a', value: '' } },
  ],
]

/** Every text and key in the messages of a response, after parsing. */
async function textsOf(response: Response): Promise<string[]> {
  const body = await response.text()
  const messages = body.startsWith('{')
    ? [body]
    : [...body.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => data)
  expect(messages.length).toBeGreaterThan(0)
  const collect = (value: unknown): string[] => {
    if (typeof value === 'string') return [value]
    if (typeof value !== 'object' || value === null) return []
    return Object.entries(value).flatMap(([key, item]) => [key, ...collect(item)])
  }
  return messages.flatMap((message) => collect(JSON.parse(message)))
}

async function expectFixed(response: Response): Promise<void> {
  const texts = await textsOf(response)
  // Escaped, because a test report cannot carry them either.
  const illFormed = texts.filter((text) => !text.isWellFormed())
  expect(illFormed.map((text) => JSON.stringify(text))).toEqual([])
  expect(texts.some((text) => text.includes(FIXED))).toBe(true)
  // The text of structured content is JSON itself.
  expect(texts.filter((text) => /\\ud[89a-f]/.test(text))).toEqual([])
}

const app = openApp(createServer())
const meta = {
  progressToken: LONE,
  'io.modelcontextprotocol/logLevel': 'debug',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
}

describe('texts with a lone surrogate', () => {
  it.each([
    ...REQUESTS,
    ['server/discover', {}] as const,
    ['tools/call', { name: 'ask' }] as const,
  ])('are sent well-formed in the modern era by %s %j', async (method, params) => {
    verifies('base-protocol/utf-8', 'tools/outputs-are-sanitized')
    const { body, headers } = modernRequest(method, params, { meta })
    await expectFixed(await app.post(body, headers))
  })

  it.each(['2025-11-25', '2024-11-05'])(
    'are sent well-formed without a session under %s',
    async (version) => {
      for (const [method, params] of REQUESTS) {
        // These members do not exist in the oldest revision.
        if (version === '2024-11-05' && params.name === 'link') continue
        const body = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }
        await expectFixed(await app.post(body, { 'mcp-protocol-version': version }))
      }
    },
  )

  it('are sent well-formed on the streams of a session, in questions too', async () => {
    verifies('base-protocol/utf-8')
    const session = await openSession({}, openSessionApp())
    const stream = await session.stream(async (ctx) => {
      await ctx.log('info', { [LONE]: LONE })
      const schema = z.object({ [LONE]: z.string().describe(LONE) })
      await ctx.elicit({ message: LONE, schema })
      return LONE
    })
    const texts = JSON.stringify([await stream.message(), await stream.message()])
    expect(texts).toContain('\ufffd')
    expect(texts.includes('\\ud')).toBe(false)
  })

  it('leave pairs and escapes that are text unchanged', async () => {
    const answer = await app.modern('tools/call', { name: 'fine' })
    expect(answer.body.result.content).toEqual([{ type: 'text', text: FINE }])
  })

  it('are not accepted as a request id, which could not be returned unchanged', async () => {
    const { body, headers } = modernRequest('tools/list')
    const refused = await app.post({ ...body, id: '\ud800' }, headers)
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({ error: { code: -32600 } })
  })
})
