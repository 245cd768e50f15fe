/** Clients that do not send their session id: each request is served without a session. */
import { describe, expect, test } from 'vitest'
import { textOf } from '../connect.ts'
import type { Received } from './client-interface.ts'
import { connectSession, STREAMABLE_KINDS } from './connect-session.ts'
import { eventually } from './eventually.ts'
import { fetchWithoutSessionId } from './fetch-without-session-id.ts'
import { messagesOf } from './wire.ts'

const CAPABILITIES = { elicitation: {}, sampling: {}, roots: {} }
const CANNOT_ASK = 'The server cannot ask on this connection: it carries no questions.'

describe.each(STREAMABLE_KINDS)('the official client %s, without its session id,', (kind) => {
  const connect = () =>
    connectSession(kind, { capabilities: CAPABILITIES, fetch: fetchWithoutSessionId })

  test('is served without a session', async () => {
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

  test('cannot open a standalone stream, and works without one', async () => {
    const { wire, call, errors } = await connect()
    const streams = () => wire.exchanges.filter(({ method }) => method === 'GET')
    await eventually(() => streams().map(({ status }) => status)).toEqual([405])
    expect(textOf(await call('test_simple_text'))).toBe(
      'This is a simple text response for testing.',
    )
    expect(errors).toEqual([])
  })

  test('lists tools, reads a resource and gets a prompt', async () => {
    const { client } = await connect()
    expect((await client.listTools()).tools[0].name).toBe('test_simple_text')
    const uri = 'probe://static/a'
    expect((await client.readResource({ uri })).contents[0].text).toBe('static a')
    const { messages } = await client.getPrompt({ name: 'test_simple_prompt' })
    expect(messages).toHaveLength(1)
  })

  test('receives progress, and log messages from level info even after it sets another level', async () => {
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
    'receives an error of the tool %s, which cannot ask',
    async (name) => {
      const { call, wire } = await connect()
      const result = await call(name, { message: '?', prompt: '?' })
      expect(result.isError).toBe(true)
      expect(textOf(result)).toBe(CANNOT_ASK)
      expect(messagesOf(wire).filter(({ method }) => method !== undefined)).toEqual([])
    },
  )

  test('receives no ask of a tool that checks the client capabilities', async () => {
    const { call } = await connect()
    expect(textOf(await call('test_input_required_result_capabilities'))).toBe('Nobody to ask.')
  })

  test('receives an error when it subscribes to a resource', async () => {
    const { client } = await connect()
    await expect(client.subscribeResource({ uri: 'probe://static/a' })).rejects.toMatchObject({
      code: -32601,
    })
  })

  test('receives the answer of a tool that tries to close its stream', async () => {
    const { call } = await connect()
    expect(textOf(await call('close_then_finish', { ms: 150 }))).toBe('done')
  })
})
