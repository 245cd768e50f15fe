/** Clients that do not send their session id: each request is served without a session. */
import { describe, expect, test } from 'vitest'
import { type Received, textOf } from './client-interface.ts'
import { connectClient, STREAMABLE_KINDS } from './connect-client.ts'
import { eventually } from './eventually.ts'
import { fetchWithoutSessionId } from './fetch-without-session-id.ts'
import { messagesOf } from './wire.ts'

const CAPABILITIES = { elicitation: {}, sampling: {}, roots: {} }
const CANNOT_ASK =
  'The server cannot ask on this connection: it carries no questions. It does in a session whose client accepts text/event-stream, and in the newest revision. Do not repeat the call here: tell the person.'

describe.each(STREAMABLE_KINDS)('the official client %s, without its session id,', (kind) => {
  const connect = () =>
    connectClient(kind, { capabilities: CAPABILITIES, fetch: fetchWithoutSessionId })

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

  test('receives progress, and log messages from level info even after it sets another level', async () => {
    const { call, on, setLogLevel } = await connect()
    const seen: unknown[] = []
    on('notifications/message', ({ level }) => seen.push(level))
    const onprogress = ({ progress }: Received) => seen.push(progress)
    await call('progress', { count: 3, gapMs: 20 }, { onprogress })
    await setLogLevel('error')
    await call('test_logging_tool')
    expect(seen).toEqual([1, 2, 3, 'info', 'warning', 'error'])
  })

  test('receives an error of a tool that asks, and no ask', async () => {
    const { call, wire } = await connect()
    const result = await call('test_elicitation', { message: '?' })
    expect([result.isError, textOf(result)]).toEqual([true, CANNOT_ASK])
    expect(textOf(await call('test_input_required_result_capabilities'))).toBe('Nobody to ask.')
    expect(messagesOf(wire).filter(({ method }) => method !== undefined)).toEqual([])
  })
})
