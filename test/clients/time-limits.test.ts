/** Cancelled calls, timeouts and expiry, on a server with short limits. */
import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accept } from '../support/accept.ts'
import { type FixtureServer, startFixtureServer } from '../support/node/fixture-server.ts'
import { verifies } from '../support/verifies.ts'
import { callRound, connectAnswering, readCount, stateOf } from './answering-client.ts'
import { connect, MODES, type Mode, textOf } from './connect.ts'

let server: FixtureServer

beforeAll(async () => {
  server = await startFixtureServer({ short: true })
})
afterAll(() => server.stop())

/** Calls a tool and aborts the call as soon as its response has begun. */
async function abortWhenStreaming(mode: Mode, tool: string, ms: number): Promise<void> {
  const controller = new AbortController()
  const client = await connect(mode, {
    url: server.url,
    fetch: async (input, init) => {
      const response = await fetch(input, init)
      if (String(init?.body).includes(`"name":"${tool}"`))
        controller.abort(new Error('aborted by the test'))
      return response
    },
  })
  const call = client.callTool({ name: tool, arguments: { ms } }, { signal: controller.signal })
  await expect(call).rejects.toThrow('aborted by the test')
  await client.close()
}

test('the fixture server prints its limits', () => {
  expect(server.limits).toMatchObject({
    handlerTimeoutMs: 3000,
    requestStateTtlMs: 3000,
    listenLifetimeMs: 5000,
    keepAliveMs: 1000,
    stateTtlMs: 2000,
    bodyBytes: 4_194_304,
  })
})

test('a call is cancelled when a modern client aborts it', async () => {
  const client = await connect('modern', { url: server.url })
  expect(await readCount(client, 'slow-cancelled')).toBe(0)
  await abortWhenStreaming('modern', 'slow', 60_000)
  await expect
    .poll(() => readCount(client, 'slow-cancelled'), { timeout: 60_000, interval: 100 })
    .toBe(1)
  await client.close()
})

test('a read-only call completes when a client of the session era aborts it', async () => {
  const client = await connect('session', { url: server.url })
  expect(await readCount(client, 'reads-only-runs')).toBe(0)
  await abortWhenStreaming('session', 'reads_only', 1500)
  await expect
    .poll(() => readCount(client, 'reads-only-runs'), { timeout: 60_000, interval: 100 })
    .toBe(1)
  await client.close()
})

test('the server log contains the message of an error under the reference that the client receives', async () => {
  const client = await connect('modern', { url: server.url })
  const result = await client.callTool({ name: 'throw', arguments: { message: 'a password' } })
  const [, reference = ''] = /reference ([0-9a-f]{8})/.exec(textOf(result)) ?? []
  await expect
    .poll(() => {
      const lines = server.log().split('\n')
      // The text of an error begins on the next line.
      const at = lines.findIndex((line) => line.includes(reference))
      return lines.slice(at, at + 2).join('\n')
    })
    .toContain('canary-7f3a a password')
  await client.close()
})

describe.concurrent.each(MODES)('a client in %s mode', (mode) => {
  let client: Client

  beforeAll(async () => {
    client = await connect(mode, { url: server.url })
  })
  afterAll(() => client.close())

  test('receives an error when a handler exceeds its timeout', async () => {
    const result = await client.callTool({ name: 'never' })
    expect(result.isError).toBe(true)
    expect(textOf(result)).toBe('Tool never exceeded its timeout and was stopped.')
  })

  test('can read a stored value until it expires', async () => {
    const stored = await client.callTool({ name: 'set_state', arguments: { value: 7 } })
    const { handle } = stored.structuredContent as { handle: string }
    const get = () => client.callTool({ name: 'get_state', arguments: { handle } })
    expect((await get()).structuredContent).toEqual({ value: 7 })
    await expect
      .poll(async () => (await get()).isError, { timeout: 60_000, interval: 200 })
      .toBe(true)
  })
})

test.concurrent('a request state expires, and the call must start again', async ({ expect }) => {
  verifies('mrtr/no-assumption-of-a-retry')
  const { client } = await connectAnswering({}, { url: server.url })
  const call = { name: 'ask_count', arguments: { name: 'expiry' } }
  const requestState = await stateOf(client, call)
  // A round without an answer repeats the ask.
  const callWithoutAnswer = () =>
    callRound(client, { ...call, requestState }).then(
      () => 'asked again',
      (error: Error) => error.message,
    )
  expect(await callWithoutAnswer()).toBe('asked again')
  await expect
    .poll(callWithoutAnswer, { timeout: 60_000, interval: 200 })
    .toBe('params.requestState has expired: call again without it')
  const inputResponses = { confirm: accept({ ok: true }) }
  await expect(callRound(client, { ...call, requestState, inputResponses })).rejects.toMatchObject({
    code: -32602,
  })
  expect(await readCount(client, 'expiry-second')).toBe(0)
  await client.close()
})

test.concurrent('a call in a session ends with an error when its ask is not answered in time', async ({
  expect,
}) => {
  const client = await connect('session', {
    url: server.url,
    client: { capabilities: { elicitation: {} } },
  })
  const aborted = Promise.withResolvers<string>()
  client.setRequestHandler('elicitation/create', (_, { mcpReq: { signal } }) => {
    signal.addEventListener('abort', () => aborted.resolve(String(signal.reason)))
    return new Promise<never>(() => {})
  })
  const result = await client.callTool({ name: 'ask_count', arguments: { name: 'unanswered' } })
  expect(result.isError).toBe(true)
  expect(textOf(result)).toBe('The question was not answered in time. The call may be repeated.')
  expect(await aborted.promise).toContain('The request has ended')
  expect(await readCount(client, 'unanswered-second')).toBe(0)
  await client.close()
})

test.concurrent('a subscription ends gracefully at its maximum lifetime, and can be opened again', async ({
  expect,
}) => {
  const client = await connect('modern', { url: server.url })
  const errors: Error[] = []
  client.onerror = (error) => errors.push(error)
  const received: string[] = []
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    received.push(params.uri)
  })
  const filter = { resourceSubscriptions: ['probe://static/a'] }
  const opened = performance.now()
  const subscription = await client.listen(filter)
  expect(await subscription.closed).toBe('graceful')
  expect(performance.now() - opened).toBeGreaterThan(4900)
  const again = await client.listen(filter)
  await client.callTool({ name: 'touch_resource', arguments: { uri: 'probe://static/a' } })
  await expect.poll(() => received).toEqual(['probe://static/a'])
  await again.close()
  expect(errors).toEqual([])
  await client.close()
})
