/** Results that clients refuse. Telemetry names the wrong member, and the client receives an error. */
import { describe, expect, it } from 'vitest'
import { type CallToolResult, McpServer } from '../../src/index.ts'
import { openApp } from '../support/test-app.ts'

function serve(handler: () => unknown) {
  const server = new McpServer({ name: 's', version: '1' })
  server.registerTool('t', {}, handler as never)
  server.registerPrompt('t', {}, handler as never)
  server.registerResource('t', 't://t', {}, handler as never)
  const app = openApp(server)
  const call = async () =>
    (await app.modern('tools/call', { name: 't' })).body.result as CallToolResult
  return { app, call }
}

describe('a tool that returns what clients refuse', () => {
  const link = { type: 'resource_link', uri: 'a://b', name: 'b' }
  const image = { type: 'image', data: 'AA==', mimeType: 'image/png' }
  const embedded = (resource: object) => ({ type: 'resource', resource })
  it.each<[string, unknown, string]>([
    ['a block that is a text', ['x'], 'content[0] is not a content block: it must be an object'],
    ['a type that does not exist', [{ type: 'txt' }], 'type must be one of text, image, audio,'],
    ['one block without a name', { type: 'resource_link', uri: 'a://b' }, 'name must be a string'],
    ['content that is a text', { content: 'x' }, 'content must be a list of content blocks'],
    ['an image with a data: URI', { ...image, data: 'data:image/png;base64,AA==' }, 'data must be'],
    ['base64 of URLs', { ...image, data: 'AA_-' }, 'data must be base64'],
    ['base64 that was joined', { ...image, data: 'AA==AA==' }, 'data must be base64'],
    ['a null description', { ...link, description: null }, 'description must not be null'],
    ['null metadata', { ...link, _meta: null }, '_meta must not be null'],
    ['null annotations', { ...link, annotations: null }, 'annotations must not be null'],
    [
      'a resource with a null type',
      embedded({ uri: 'a://b', text: 'x', mimeType: null }),
      'resource.mimeType must not be null',
    ],
    [
      'a resource with null metadata',
      embedded({ uri: 'a://b', text: 'x', _meta: null }),
      'resource._meta must not be null',
    ],
    [
      'a resource whose bytes are no base64',
      embedded({ uri: 'a://b', blob: '!' }),
      'resource.blob must be base64',
    ],
    ['a resource without a URI', embedded({ text: 'x' }), 'resource must have a uri and text'],
  ])('names the fault of %s to the author', async (_, value, message) => {
    const { app, call } = serve(() => value)
    expect((await call()).isError).toBe(true)
    expect(app.events).toMatchObject([
      { type: 'bad-result', message: expect.stringContaining(message) },
    ])
  })

  it.each<[string, object]>([
    ['base64 in lines', { ...image, data: 'AAAA\nAA==\n' }],
    ['base64 without padding', { ...image, data: 'AA' }],
    [
      'every annotation',
      {
        ...link,
        title: 'B',
        size: 5,
        annotations: {
          audience: ['user', 'assistant'],
          priority: 0.5,
          lastModified: '2026-01-12T15:00:58.123+01:00',
        },
        _meta: {},
      },
    ],
  ])('sends %s', async (_, block) => {
    const { app, call } = serve(() => block)
    expect((await call()).content).toEqual([block])
    expect(app.events).toEqual([])
  })
})

describe('a prompt or resource that returns what clients refuse', () => {
  it.each<[string, unknown, string]>([
    ['a role of models', [{ role: 'system', content: {} }], 'role must be "user" or "assistant"'],
    ['content that is a list', [{ role: 'user', content: [] }], 'it must be an object with a type'],
    ['a message that is a text', ['x'], 'messages[0] is not a prompt message: role must be'],
  ])('names the fault of %s in a prompt', async (_, value, message) => {
    const { app } = serve(() => value)
    await app.modern('prompts/get', { name: 't' })
    expect(app.events).toMatchObject([{ message: expect.stringContaining(message) }])
  })

  it.each<[string, unknown, string]>([
    [
      'a null type',
      { uri: 't://t', text: 'x', mimeType: null },
      'contents[0].mimeType must not be null',
    ],
    ['bytes that are no base64', { uri: 't://t', blob: '!' }, 'contents[0].blob must be base64'],
    ['neither text nor bytes', { uri: 't://t' }, 'contents[0] must have a uri and text or blob'],
  ])('names the fault of %s in a resource', async (_, value, message) => {
    const { app } = serve(() => value)
    await app.modern('resources/read', { uri: 't://t' })
    expect(app.events).toMatchObject([{ message: expect.stringContaining(message) }])
  })
})
