/** Clients that never send back the id of their session: each request is served by itself. */
import { describe, expect, test } from 'vitest'
import { eventually } from './eventually.ts'
import { forgetfulFetch } from './forgetful-fetch.ts'
import { connectSession, type Received, STREAMABLE_KINDS } from './session-client.ts'
import { messagesOf } from './wire.ts'

const CAPABILITIES = { elicitation: {}, sampling: {}, roots: {} }
const NO_QUESTIONS = 'The server cannot ask on this connection: it carries no questions.'

const textOf = ({ content }: Received): string => content[0].text

describe.each(STREAMABLE_KINDS)('%s', (kind) => {
  const connect = () => connectSession(kind, { capabilities: CAPABILITIES, fetch: forgetfulFetch })

  test('is served, in no session', async () => {
    const { client, call } = await connect()
    expect(await client.ping()).toEqual({})
    expect((await call('whoami')).structuredContent).toEqual({
      subject: null,
      clientId: null,
      scopes: [],
      sessionId: null,
      protocolVersion: '2025-11-25',
      era: 'session',
    })
  })

  test('has no stream of its own, and does without', async () => {
    const { wire, call, errors } = await connect()
    const streams = () => wire.exchanges.filter(({ method }) => method === 'GET')
    await eventually(() => streams().map(({ status }) => status)).toEqual([405])
    expect(textOf(await call('test_simple_text'))).toBe(
      'This is a simple text response for testing.',
    )
    expect(errors).toEqual([])
  })

  test('lists, reads and gets', async () => {
    const { client } = await connect()
    expect((await client.listTools()).tools[0].name).toBe('test_simple_text')
    const uri = 'probe://static/a'
    expect((await client.readResource({ uri })).contents[0].text).toBe('static a')
    const { messages } = await client.getPrompt({ name: 'test_simple_prompt' })
    expect(messages).toHaveLength(1)
  })

  test('receives progress, and log messages from level info on whatever it sets', async () => {
    const { client, call, on } = await connect()
    const seen: unknown[] = []
    on('notifications/message', ({ level }) => seen.push(level))
    const onprogress = ({ progress }: Received) => seen.push(progress)
    await call('progress', { count: 3, gapMs: 20 }, { onprogress })
    expect(await client.setLoggingLevel('error')).toEqual({})
    await call('test_logging_tool')
    expect(seen).toEqual([1, 2, 3, 'info', 'warning', 'error'])
  })

  test.each(['test_elicitation', 'test_elicitation_sep1330_enums', 'test_sampling', 'list_roots'])(
    'is told by %s that it cannot be asked, and is not',
    async (name) => {
      const { call, wire } = await connect()
      const result = await call(name, { message: '?', prompt: '?' })
      expect(result.isError).toBe(true)
      expect(textOf(result)).toBe(NO_QUESTIONS)
      expect(messagesOf(wire).filter(({ method }) => method !== undefined)).toEqual([])
    },
  )

  test('is asked nothing by a tool that looks first', async () => {
    const { call } = await connect()
    expect(textOf(await call('test_input_required_result_capabilities'))).toBe('Nobody to ask.')
  })

  test('cannot subscribe to anything, and is told so', async () => {
    const { client } = await connect()
    await expect(client.subscribeResource({ uri: 'probe://static/a' })).rejects.toMatchObject({
      code: -32601,
    })
  })

  test('waits for a tool that would close its stream', async () => {
    const { call } = await connect()
    expect(textOf(await call('close_then_finish', { ms: 150 }))).toBe('done')
  })
})
