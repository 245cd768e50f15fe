/** Requests in a session that ask nothing: tools, resources, prompts, completions, progress and logging. */
import { describe, expect, test } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import type { Received } from './client-interface.ts'
import { connectSession, KINDS } from './connect-session.ts'
import { messagesOf } from './wire.ts'

describe.each(KINDS)('the official client %s', (kind) => {
  test('lists tools and calls one', async () => {
    verifies('http-sse/two-endpoints')
    const { client, call } = await connectSession(kind)
    const { tools } = await client.listTools()
    expect(tools[0]).toEqual({
      name: 'test_simple_text',
      title: 'Simple text',
      description: 'Answers one block of text.',
      inputSchema: { type: 'object', properties: {} },
    })
    expect(await call('echo', { text: 'é\u2028' })).toEqual({
      content: [{ type: 'text', text: 'é\u2028' }],
    })
  })

  test('receives structured output that conforms to the listed output schema', async () => {
    const { client, call } = await connectSession(kind)
    await client.listTools()
    const name = `calls-${crypto.randomUUID()}`
    expect(await call('count', { name })).toEqual({
      structuredContent: { value: 1 },
      content: [{ type: 'text', text: '{"value":1}' }],
    })
  })

  test('receives the reason of a failed call', async () => {
    const { call } = await connectSession(kind)
    expect(await call('test_error_handling')).toEqual({
      content: [{ type: 'text', text: 'This tool intentionally returns an error for testing' }],
      isError: true,
    })
    expect(await call('echo')).toMatchObject({ isError: true })
    await expect(call('nope')).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('Unknown tool: nope'),
    })
  })

  test('receives eight million characters', async () => {
    const { call } = await connectSession(kind)
    const { content } = await call('big', { bytes: 8_388_608 })
    expect(content[0].text).toHaveLength(8_388_608)
  })

  test('receives text that looks like SSE framing unchanged on a stream', async () => {
    const { call } = await connectSession(kind)
    const plain = await call('unicode')
    const messages: unknown[] = []
    const logging = await connectSession(kind)
    logging.on('notifications/message', ({ data }) => messages.push(data))
    const message = plain.content[0].text
    await logging.call('log', { level: 'error', message })
    expect(messages).toEqual([message])
  })

  test('receives the right answer for each of 20 concurrent calls', async () => {
    const { call } = await connectSession(kind)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        index % 2 === 0 ? call('echo', { text: `${index}` }) : call('slow', { ms: 150 }),
      ),
    )
    expect(answers.map(({ content }) => content[0].text)).toEqual(
      Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? `${index}` : 'done')),
    )
  })

  test('receives the progress of concurrent calls in order, before each answer', async () => {
    const { call, wire } = await connectSession(kind)
    const progressOf = async (count: number) => {
      const seen: object[] = []
      const onprogress = (progress: object) => seen.push(progress)
      const result = await call('progress', { count, gapMs: 5 }, { onprogress })
      expect(result.content[0].text).toBe('done')
      return seen
    }
    const seen = await Promise.all([progressOf(2), progressOf(3)])
    const calls = messagesOf(wire).flatMap(({ id, method, params, result }) => {
      if (method === 'notifications/progress') return [[params.progressToken, params.progress]]
      return result?.content === undefined ? [] : [[id, 'done']]
    })
    // Both generations use the request id as progress token.
    const ids = [...new Set(calls.map(([id]) => id))].sort()
    expect(
      ids.map((id) => calls.filter(([call]) => call === id).map(([, value]) => value)),
    ).toEqual([
      [1, 2, 'done'],
      [1, 2, 3, 'done'],
    ])
    // The HTTP+SSE client drops a progress notification that it reads together with the answer.
    if (kind === 'v1 over HTTP+SSE') return
    expect(seen).toEqual([
      [
        { progress: 1, total: 2 },
        { progress: 2, total: 2 },
      ],
      [
        { progress: 1, total: 3 },
        { progress: 2, total: 3 },
        { progress: 3, total: 3 },
      ],
    ])
  })

  test('receives log messages from level info, and from another level after it sets one', async () => {
    const { client, call, on } = await connectSession(kind)
    const seen: string[] = []
    on('notifications/message', ({ level }) => seen.push(level))
    await call('test_logging_tool')
    expect(seen.splice(0)).toEqual(['info', 'warning', 'error'])
    expect(await client.setLoggingLevel('error')).toEqual({})
    await call('test_logging_tool')
    expect(seen.splice(0)).toEqual(['error'])
    await client.setLoggingLevel('debug')
    await call('test_logging_tool')
    expect(seen).toEqual(['debug', 'info', 'warning', 'error'])
  })

  test('sets a log level for its own session only', async () => {
    const [quiet, loud] = [await connectSession(kind), await connectSession(kind)]
    await quiet.client.setLoggingLevel('error')
    const seen: string[] = []
    loud.on('notifications/message', ({ level }) => seen.push(level))
    await loud.call('test_logging_tool')
    expect(seen).toEqual(['info', 'warning', 'error'])
  })

  test('lists every resource over all pages', async () => {
    const { client } = await connectSession(kind)
    const uris: string[] = []
    // The second generation fetches all pages when it is called without a cursor.
    let page: Received = await client.listResources()
    uris.push(...page.resources.map(({ uri }: { uri: string }) => uri))
    while (page.nextCursor !== undefined) {
      page = await client.listResources({ cursor: page.nextCursor })
      uris.push(...page.resources.map(({ uri }: { uri: string }) => uri))
    }
    expect(uris).toHaveLength(257)
    expect(new Set(uris).size).toBe(257)
    await expect(client.listResources({ cursor: 'bogus' })).rejects.toMatchObject({ code: -32602 })
  })

  test('reads a resource, and receives -32002 for one that does not exist', async () => {
    const { client, wire } = await connectSession(kind)
    expect(await client.readResource({ uri: 'probe://static/a' })).toEqual({
      contents: [{ uri: 'probe://static/a', mimeType: 'text/plain', text: 'static a' }],
    })
    const missing = client.readResource({ uri: 'probe://nope' })
    await expect(missing).rejects.toMatchObject({ data: { uri: 'probe://nope' } })
    // The second generation replaces the code that it received.
    expect(messagesOf(wire).at(-1).error.code).toBe(-32002)
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates).toHaveLength(5)
  })

  test('lists prompts and gets one', async () => {
    const { client } = await connectSession(kind)
    const { prompts } = await client.listPrompts()
    expect(prompts).toHaveLength(5)
    const name = 'test_prompt_with_arguments'
    const { messages } = await client.getPrompt({ name, arguments: { arg1: 'a', arg2: 'b' } })
    const text = "Prompt with arguments: arg1='a', arg2='b'"
    expect(messages).toEqual([{ role: 'user', content: { type: 'text', text } }])
  })

  test('receives completions, also those that depend on other arguments', async () => {
    const { complete } = await connectSession(kind)
    const ref = { type: 'ref/prompt', name: 'test_prompt_with_arguments' }
    const first = await complete({ ref, argument: { name: 'arg1', value: 'tes' } })
    expect(first.completion.values).toEqual(['testing', 'tested', 'test'])
    const second = await complete({
      ref,
      argument: { name: 'arg2', value: 'toast-' },
      context: { arguments: { arg1: 'toast' } },
    })
    expect(second.completion.values).toEqual(['toast-one', 'toast-two'])
    const template = { type: 'ref/resource', uri: 'probe://item/{id}' }
    const third = await complete({ ref: template, argument: { name: 'id', value: 'b' } })
    expect(third.completion.values).toEqual(['beta'])
  })
})
