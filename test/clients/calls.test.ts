/** Requests that ask nothing: tools, resources, prompts, completions, progress and log messages. */
import { describe, expect, test } from 'vitest'
import { verifies } from '../support/verifies.ts'
import { type Received, textOf } from './client-interface.ts'
import { connectClient, KINDS } from './connect-client.ts'
import { openClient } from './v2-client.ts'
import { messagesOf } from './wire.ts'

const WITH_ARGUMENTS = 'test_prompt_with_arguments'

describe.each(KINDS)('the official client %s', (kind) => {
  test('lists tools and calls one', async () => {
    verifies('http-sse/two-endpoints')
    const { client, call } = await connectClient(kind)
    const { tools } = await client.listTools()
    expect(tools[0]).toEqual({
      name: 'test_simple_text',
      title: 'Simple text',
      description: 'Answers one block of text.',
      inputSchema: { type: 'object', properties: {} },
    })
    expect(await call('echo', { text: 'é\u2028' })).toMatchObject({
      content: [{ type: 'text', text: 'é\u2028' }],
    })
  })

  test('receives structured output that conforms to the listed output schema', async () => {
    const { client, call } = await connectClient(kind)
    await client.listTools()
    const { structuredContent, content } = await call('count', { name: crypto.randomUUID() })
    expect(structuredContent).toEqual({ value: 1 })
    expect(content).toEqual([{ type: 'text', text: '{"value":1}' }])
  })

  test.each([
    ['test_image_content', ['image']],
    ['test_audio_content', ['audio']],
    ['test_embedded_resource', ['resource']],
    ['test_multiple_content_types', ['text', 'image', 'resource']],
  ])('accepts the content of %s', async (name, types) => {
    const { call } = await connectClient(kind)
    const { content, isError } = await call(name)
    expect([content.map(({ type }: Received) => type), isError]).toEqual([types, undefined])
  })

  test('receives the reason of a failed call', async () => {
    const { call } = await connectClient(kind)
    expect(await call('test_error_handling')).toMatchObject({
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
    const { call } = await connectClient(kind)
    const { content } = await call('big', { bytes: 8_388_608 })
    expect(content[0].text).toHaveLength(8_388_608)
  })

  test('receives text that looks like SSE framing unchanged on a stream', async () => {
    const { call, on, setLogLevel } = await connectClient(kind)
    const message = textOf(await call('unicode'))
    expect(message).toContain('\n\nretry: 1\r\rend')
    const messages: unknown[] = []
    on('notifications/message', ({ data }) => messages.push(data))
    await setLogLevel('error')
    await call('log', { level: 'error', message })
    expect(messages).toEqual([message])
  })

  test('receives the right answer for each of 20 concurrent calls', async () => {
    const { call } = await connectClient(kind)
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
    verifies('progress/token-is-unique')
    const { call, wire } = await connectClient(kind)
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
    const of = (total: number) =>
      Array.from({ length: total }, (_, index) => ({ progress: index + 1, total }))
    expect(seen).toEqual([of(2), of(3)])
  })

  test('receives log messages from the level that it sets', async () => {
    const { call, on, setLogLevel } = await connectClient(kind)
    const seen: string[] = []
    on('notifications/message', ({ level }) => seen.push(level))
    await call('test_logging_tool')
    expect(seen.splice(0)).toEqual(kind === 'v2, modern' ? [] : ['info', 'warning', 'error'])
    await setLogLevel('error')
    await call('test_logging_tool')
    expect(seen.splice(0)).toEqual(['error'])
    await setLogLevel('debug')
    await call('test_logging_tool')
    expect(seen).toEqual(['debug', 'info', 'warning', 'error'])
  })

  test('lists every resource over all pages', async () => {
    const { client, wire } = await connectClient(kind)
    const uris: string[] = []
    // The second generation fetches all pages when it is called without a cursor.
    let page: Received = await client.listResources()
    uris.push(...page.resources.map(({ uri }: { uri: string }) => uri))
    while (page.nextCursor !== undefined) {
      page = await client.listResources({ cursor: page.nextCursor })
      uris.push(...page.resources.map(({ uri }: { uri: string }) => uri))
    }
    expect(new Set(uris).size).toBe(uris.length)
    const sizes = messagesOf(wire).flatMap(({ result }) => result?.resources?.length ?? [])
    expect(sizes).toEqual([100, 100, 57])
    await expect(client.listResources({ cursor: 'bogus' })).rejects.toMatchObject({ code: -32602 })
  })

  test('reads texts and bytes, and receives an error for a resource that does not exist', async () => {
    verifies('resources/binary-data-is-encoded')
    const { client, wire } = await connectClient(kind)
    expect((await client.readResource({ uri: 'probe://static/a' })).contents).toEqual([
      { uri: 'probe://static/a', mimeType: 'text/plain', text: 'static a' },
    ])
    const { contents } = await client.readResource({ uri: 'test://static-binary' })
    expect(contents).toMatchObject([
      { mimeType: 'image/png', blob: expect.stringMatching(/^iVBO/) },
    ])
    const missing = client.readResource({ uri: 'probe://nope' })
    await expect(missing).rejects.toMatchObject({ data: { uri: 'probe://nope' } })
    // The second generation replaces the code that it received.
    const { error } = messagesOf(wire).at(-1)
    expect(error.code).toBe(kind === 'v2, modern' ? -32602 : -32002)
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates).toHaveLength(5)
  })

  test('lists prompts and gets each kind', async () => {
    verifies('prompts/embedded-resource', 'prompts/image-content')
    const { client } = await connectClient(kind)
    const { prompts } = await client.listPrompts()
    expect(prompts).toHaveLength(5)
    const { messages } = await client.getPrompt({
      name: WITH_ARGUMENTS,
      arguments: { arg1: 'a', arg2: 'b' },
    })
    const text = "Prompt with arguments: arg1='a', arg2='b'"
    expect(messages).toEqual([{ role: 'user', content: { type: 'text', text } }])
    const typesOf = async (name: string, args = {}) => {
      const prompt = await client.getPrompt({ name, arguments: args })
      return prompt.messages.map(({ content }: Received) => content.type)
    }
    const resourceUri = 'test://example'
    expect(await typesOf('test_prompt_with_embedded_resource', { resourceUri })).toEqual([
      'resource',
      'text',
    ])
    expect(await typesOf('test_prompt_with_image')).toEqual(['image', 'text'])
    await expect(client.getPrompt({ name: 'nope' })).rejects.toMatchObject({ code: -32602 })
  })

  test('receives completions, also those that depend on other arguments', async () => {
    const { complete } = await connectClient(kind)
    const ref = { type: 'ref/prompt', name: WITH_ARGUMENTS }
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

test('a modern client requests a cacheable resource once', async () => {
  let reads = 0
  const client = await openClient('v2, modern', {
    fetch: (input, init) => {
      if (String(init?.body).includes('"method":"resources/read"')) reads++
      return fetch(input, init)
    },
  })
  const read = () => client.readResource({ uri: 'test://static-text' })
  expect(await read()).toMatchObject({ ttlMs: 60_000, cacheScope: 'public' })
  expect((await read()).contents).toEqual((await read()).contents)
  expect(reads).toBe(1)
  await client.readResource({ uri: 'probe://static/a' })
  await client.readResource({ uri: 'probe://static/a' })
  expect(reads).toBe(3)
})
