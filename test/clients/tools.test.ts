/** Listing and calling tools: every kind of content, structured output, errors. */
import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifies } from '../support/verifies.ts'
import { connect, MODES, textOf } from './connect.ts'

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA='

describe.each(MODES)('a client in %s mode', (mode) => {
  let client: Client

  beforeAll(async () => {
    client = await connect(mode)
  })
  afterAll(() => client.close())

  test('lists tools as they were registered', async () => {
    const { tools } = await client.listTools()
    expect(tools[0]).toEqual({
      name: 'test_simple_text',
      title: 'Simple text',
      description: 'Answers one block of text.',
      inputSchema: { type: 'object', properties: {} },
    })
    expect(tools.find(({ name }) => name === 'read_count')).toEqual({
      name: 'read_count',
      description: 'Answers the value of a durable counter, 0 for one that was never counted.',
      inputSchema: {
        type: 'object',
        properties: { name: { type: 'string' } },
        required: ['name'],
      },
      outputSchema: {
        type: 'object',
        properties: {
          value: { type: 'integer', minimum: -9007199254740991, maximum: 9007199254740991 },
        },
        required: ['value'],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: true },
    })
    expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length)
  })

  test.each([
    ['test_simple_text', [{ type: 'text', text: 'This is a simple text response for testing.' }]],
    ['test_image_content', [{ type: 'image', data: PNG, mimeType: 'image/png' }]],
    ['test_audio_content', [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }]],
    [
      'test_embedded_resource',
      [
        {
          type: 'resource',
          resource: {
            uri: 'test://embedded-resource',
            mimeType: 'text/plain',
            text: 'This is an embedded resource content.',
          },
        },
      ],
    ],
    [
      'test_multiple_content_types',
      [
        { type: 'text', text: 'Multiple content types test:' },
        { type: 'image', data: PNG, mimeType: 'image/png' },
        {
          type: 'resource',
          resource: {
            uri: 'test://mixed-content-resource',
            mimeType: 'application/json',
            text: '{"test":"data","value":123}',
          },
        },
      ],
    ],
  ])('receives the content of %s', async (name, content) => {
    const result = await client.callTool({ name, arguments: {} })
    expect(result.content).toEqual(content)
    expect(result.isError).toBeUndefined()
  })

  test('receives structured output and the same value as text', async () => {
    const name = `clients-${mode}-${crypto.randomUUID()}`
    const first = await client.callTool({ name: 'count', arguments: { name } })
    expect(first.structuredContent).toEqual({ value: 1 })
    expect(first.content).toEqual([{ type: 'text', text: '{"value":1}' }])
    const second = await client.callTool({ name: 'count', arguments: { name } })
    expect(second.structuredContent).toEqual({ value: 2 })
    const read = await client.callTool({ name: 'read_count', arguments: { name } })
    expect(read.structuredContent).toEqual({ value: 2 })
  })

  test('can store a value on the server and read it by its handle', async () => {
    verifies('statelessness/state-has-an-identifier')
    const value = { list: [1, 'two', null], text: 'é' }
    const stored = await client.callTool({ name: 'set_state', arguments: { value } })
    const { handle } = stored.structuredContent as { handle: string }
    const found = await client.callTool({ name: 'get_state', arguments: { handle } })
    expect(found.structuredContent).toEqual({ value })
  })

  test('receives an error of the tool for an unknown handle', async () => {
    const result = await client.callTool({ name: 'get_state', arguments: { handle: 'none' } })
    expect(result.isError).toBe(true)
    expect(textOf(result)).toBe(
      'There is no state with this handle: it has expired, was deleted, or belongs to another caller. Create it again.',
    )
  })

  test('receives text that looks like SSE framing, with U+FFFD for its lone surrogate', async () => {
    expect(textOf(await client.callTool({ name: 'unicode' }))).toBe(
      'line\u2028separator, paragraph\u2029separator, cr\rlf\ncrlf\r\nnul\0surrogate\ufffdemoji😀\n' +
        'data: not a field\nevent: not a field\nid: 1\n\nretry: 1\r\rend',
    )
  })

  test.each(['', 'plain', ' spaced ', 'é — 漢字 😀', '\u2028\u2029\r\n\0', '"}],"isError":true'])(
    'receives %j unchanged from an echo',
    async (text) => {
      expect(textOf(await client.callTool({ name: 'echo', arguments: { text } }))).toBe(text)
    },
  )

  test('receives eight million characters', async () => {
    const result = await client.callTool({ name: 'big', arguments: { bytes: 8_388_608 } })
    expect(textOf(result)).toHaveLength(8_388_608)
  })
})

describe.each(MODES)('a client in %s mode whose call fails', (mode) => {
  let client: Client

  beforeAll(async () => {
    client = await connect(mode)
  })
  afterAll(() => client.close())

  test('receives the message of a ToolError', async () => {
    const result = await client.callTool({ name: 'test_error_handling' })
    expect(result.isError).toBe(true)
    expect(textOf(result)).toBe('This tool intentionally returns an error for testing')
  })

  test('receives the name of an invalid argument', async () => {
    const result = await client.callTool({ name: 'echo', arguments: { text: 5 } })
    expect(result.isError).toBe(true)
    expect(textOf(result)).toBe(
      'Invalid arguments for echo:\ntext: Invalid input: expected string, received number',
    )
  })

  test('receives an error for arguments that violate a JSON Schema', async () => {
    verifies('tools/inputs-are-validated')
    const call = (args: Record<string, unknown>) =>
      client.callTool({ name: 'json_schema_2020_12_tool', arguments: args })
    const accepted = await call({ contactMethod: 'phone', phone: '1', address: { city: 'Ulm' } })
    expect(accepted.isError).toBeUndefined()
    expect(textOf(accepted)).toBe('{"contactMethod":"phone","phone":"1","address":{"city":"Ulm"}}')
    expect((await call({ contactMethod: 'phone', email: 'a@b.c' })).isError).toBe(true)
    expect((await call({ email: 'a@b.c', address: { city: 1 } })).isError).toBe(true)
    expect((await call({ email: 'a@b.c', more: true })).isError).toBe(true)
  })

  test('receives a reference instead of the message of an unexpected error', async () => {
    const result = await client.callTool({ name: 'throw', arguments: { message: 'a password' } })
    expect(result.isError).toBe(true)
    expect(textOf(result)).toMatch(/^Tool throw failed \(reference [0-9a-f]{8}\)\.$/)
  })

  test.each(['undefined', 'string', 'cycle'])(
    'receives a reference when a tool throws: %s',
    async (kind) => {
      const result = await client.callTool({ name: 'throw_odd', arguments: { kind } })
      expect(result.isError).toBe(true)
      expect(textOf(result)).toMatch(/^Tool throw_odd failed \(reference [0-9a-f]{8}\)\.$/)
    },
  )

  test.each(['undefined', 'cycle', 'bigint'])(
    'receives a reference when a tool returns: %s',
    async (kind) => {
      const result = await client.callTool({ name: 'odd_result', arguments: { kind } })
      expect(result.isError).toBe(true)
      expect(textOf(result)).toMatch(/^Tool odd_result .*\(reference [0-9a-f]{8}\)\.$/)
    },
  )

  test('receives an error instead of a result that violates the output schema', async () => {
    verifies('tools/structured-content-conforms')
    const result = await client.callTool({ name: 'bad_result' })
    expect(result.isError).toBe(true)
    expect(result.structuredContent).toBeUndefined()
    expect(textOf(result)).toMatch(/^Tool bad_result returned a result that cannot be sent/)
  })

  test('receives an error for a tool that does not exist', async () => {
    await expect(client.callTool({ name: 'nope' })).rejects.toMatchObject({
      code: -32602,
      message: 'Unknown tool: nope',
    })
  })
})
