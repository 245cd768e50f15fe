/** The limits on what handlers return, and on lists. */
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { completable, McpServer, ResourceTemplate } from '../../src/index.ts'
import { openApp } from '../support/test-app.ts'

const LARGE = 'x'.repeat(5000)

function createServer(): McpServer {
  const server = new McpServer({ name: 'sizes', version: '1.0.0' })
  server.registerTool('large', {}, () => LARGE)
  server.registerTool('small', {}, () => 'x')
  server.registerResource('large', 'note://a', {}, () => LARGE)
  server.registerResource(
    'listed',
    new ResourceTemplate('item://{id}', {
      list: () => ({ resources: [{ uri: 'item://a', name: LARGE }] }),
    }),
    {},
    () => 'x',
  )
  const argsSchema = z.object({ a: completable(z.string(), () => [LARGE]) })
  server.registerPrompt('large', { argsSchema }, () => LARGE)
  return server
}

describe('a result with more characters than `limits.resultBytes`', () => {
  const limits = { resultBytes: 2000 }

  it('of a tool becomes an error result, and telemetry names the limit', async () => {
    const app = openApp(createServer(), { limits })
    const { body } = await app.modern('tools/call', { name: 'large' })
    expect(body.result.isError).toBe(true)
    expect(body.result.content[0].text).toMatch(
      /^Tool large returned 5\d\d\d characters, and at most 2000 can be sent \(reference \w{8}\)\. Ask for less\.$/,
    )
    expect(app.events).toMatchObject([
      {
        type: 'bad-result',
        subject: 'Tool large',
        message: expect.stringMatching(/limits\.resultBytes is 2000/),
      },
    ])
    const next = await app.modern('tools/call', { name: 'small' })
    expect(next.body.result.content[0].text).toBe('x')
  })

  it.each([
    ['resources/read', { uri: 'note://a' }],
    ['resources/list', {}],
    ['prompts/get', { name: 'large', arguments: { a: 'x' } }],
    [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'large' }, argument: { name: 'a', value: '' } },
    ],
  ])('of %s becomes an error', async (method, params) => {
    const { body } = await openApp(createServer(), { limits }).modern(method, params)
    expect(body.error.code).toBe(-32603)
    expect(body.error.message).toMatch(/returned 5\d\d\d characters, and at most 2000 can be sent/)
  })
})

describe('a list of large definitions', () => {
  it('is divided into pages of at most 4 Mi characters', async () => {
    const server = new McpServer({ name: 'sizes', version: '1.0.0' })
    for (let at = 0; at < 30; at++) {
      server.registerTool(`tool-${at}`, { description: 'x'.repeat(200_000) }, () => 'x')
    }
    const app = openApp(server)
    const first = (await app.modern('tools/list')).body.result
    expect(first.tools).toHaveLength(20)
    const { result } = (await app.modern('tools/list', { cursor: first.nextCursor })).body
    expect(result.tools.map(({ name }: { name: string }) => name)).toEqual(
      Array.from({ length: 10 }, (_, at) => `tool-${at + 20}`),
    )
    expect(result.nextCursor).toBeUndefined()
  })
})
