/** The first generation of the official client, as most programs in the field still embed it. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { LoggingMessageNotificationSchema, type Resource } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'

let client: Client

beforeAll(async () => {
  client = new Client({ name: 'edgeway-v1-test', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(inject('fixtureUrl'))))
})
afterAll(() => client.close())

test('it learns who the server is', () => {
  expect(client.getServerVersion()).toMatchObject({ name: 'edgeway-fixture', version: '1.0.0' })
  expect(client.getInstructions()).toBe('Call test_simple_text first.')
  expect(client.getServerCapabilities()).toEqual({
    completions: {},
    logging: {},
    prompts: {},
    resources: {},
    tools: {},
  })
})

test('it pings', async () => {
  expect(await client.ping()).toEqual({})
})

test('it lists tools and calls one', async () => {
  const { tools } = await client.listTools()
  expect(tools[0]?.name).toBe('test_simple_text')
  expect(await client.callTool({ name: 'echo', arguments: { text: 'é\u2028' } })).toEqual({
    content: [{ type: 'text', text: 'é\u2028' }],
  })
})

test('it receives structured output that fits the schema it has listed', async () => {
  await client.listTools()
  const { structuredContent } = await client.callTool({ name: 'whoami' })
  expect(structuredContent).toEqual({
    subject: null,
    clientId: null,
    scopes: [],
    sessionId: null,
    protocolVersion: '2025-11-25',
    era: 'session',
  })
})

test('it reads why a call failed', async () => {
  expect(await client.callTool({ name: 'test_error_handling' })).toEqual({
    content: [{ type: 'text', text: 'This tool intentionally returns an error for testing' }],
    isError: true,
  })
  expect(await client.callTool({ name: 'echo', arguments: {} })).toMatchObject({ isError: true })
  await expect(client.callTool({ name: 'nope' })).rejects.toMatchObject({ code: -32602 })
})

test('it receives progress and log messages', async () => {
  const seen: unknown[] = []
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
    seen.push(params.data)
  })
  await client.callTool({ name: 'progress', arguments: { count: 2, gapMs: 20 } }, undefined, {
    onprogress: ({ progress }) => seen.push(progress),
  })
  await client.setLoggingLevel('info')
  await client.callTool({ name: 'log', arguments: { level: 'info', message: 'hello' } })
  expect(seen).toEqual([1, 2, 'hello'])
})

test('it walks the pages of resources', async () => {
  const pages: Resource[][] = []
  let cursor: string | undefined
  do {
    const page = await client.listResources({ cursor })
    pages.push(page.resources)
    cursor = page.nextCursor
  } while (cursor !== undefined)
  expect(pages.map(({ length }) => length)).toEqual([100, 100, 55])
  expect(new Set(pages.flat().map(({ uri }) => uri)).size).toBe(255)
})

test('it reads a resource, and is told with its own code of one that is not there', async () => {
  expect(await client.readResource({ uri: 'probe://static/a' })).toEqual({
    contents: [{ uri: 'probe://static/a', mimeType: 'text/plain', text: 'static a' }],
  })
  await expect(client.readResource({ uri: 'probe://nope' })).rejects.toMatchObject({
    code: -32002,
    data: { uri: 'probe://nope' },
  })
})

test('it gets a prompt and suggestions for its arguments', async () => {
  const name = 'test_prompt_with_arguments'
  expect(await client.getPrompt({ name, arguments: { arg1: 'a', arg2: 'b' } })).toMatchObject({
    messages: [
      {
        role: 'user',
        content: { type: 'text', text: "Prompt with arguments: arg1='a', arg2='b'" },
      },
    ],
  })
  const { completion } = await client.complete({
    ref: { type: 'ref/prompt', name },
    argument: { name: 'arg1', value: 'tes' },
  })
  expect(completion.values).toEqual(['testing', 'tested', 'test'])
})
