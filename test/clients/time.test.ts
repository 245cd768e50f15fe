/** Calls that are given up or run out of time, and state that expires, on a server with short limits. */
import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FixtureServer, startFixtureServer } from '../support/node/fixture-server.ts'
import { accept, callRound, connectAnswering, readCount, stateOf } from './answering.ts'
import { connect, MODES, type Mode, textOf } from './connect.ts'

let server: FixtureServer

beforeAll(async () => {
  server = await startFixtureServer({ short: true })
})
afterAll(() => server.stop())

/** A client whose call of `tool` is given up as soon as its answer has begun to stream. */
async function abandonOnceStreaming(mode: Mode, tool: string, ms: number): Promise<void> {
  const abandon = new AbortController()
  const client = await connect(mode, {
    url: server.url,
    fetch: async (input, init) => {
      const response = await fetch(input, init)
      if (String(init?.body).includes(`"name":"${tool}"`)) abandon.abort(new Error('enough'))
      return response
    },
  })
  const call = client.callTool({ name: tool, arguments: { ms } }, { signal: abandon.signal })
  await expect(call).rejects.toThrow('enough')
  await client.close()
}

test('the limits in force are printed', () => {
  expect(server.limits).toMatchObject({
    handlerTimeoutMs: 3000,
    requestStateTtlMs: 3000,
    listenLifetimeMs: 5000,
    keepAliveMs: 1000,
    stateTtlMs: 2000,
    bodyBytes: 4_194_304,
  })
})

test('what a modern client gives up is cancelled', async () => {
  const client = await connect('modern', { url: server.url })
  expect(await readCount(client, 'slow-cancelled')).toBe(0)
  await abandonOnceStreaming('modern', 'slow', 60_000)
  await expect
    .poll(() => readCount(client, 'slow-cancelled'), { timeout: 10_000, interval: 100 })
    .toBe(1)
  await client.close()
})

test('what a client of the session era leaves is finished all the same', async () => {
  const client = await connect('session', { url: server.url })
  expect(await readCount(client, 'reads-only-runs')).toBe(0)
  await abandonOnceStreaming('session', 'reads_only', 1500)
  await expect
    .poll(() => readCount(client, 'reads-only-runs'), { timeout: 10_000, interval: 100 })
    .toBe(1)
  await client.close()
})

test('what a client may not read of an error, the operator finds under its reference', async () => {
  const client = await connect('modern', { url: server.url })
  const result = await client.callTool({ name: 'throw', arguments: { message: 'a password' } })
  const [, reference = ''] = /reference ([0-9a-f]{8})/.exec(textOf(result)) ?? []
  await expect
    .poll(() =>
      server
        .log()
        .split('\n')
        .find((line) => line.includes(reference)),
    )
    .toContain('canary-7f3a a password')
  await client.close()
})

describe.concurrent.each(MODES)('a client in %s mode', (mode) => {
  let client: Client

  beforeAll(async () => {
    client = await connect(mode, { url: server.url })
  })
  afterAll(() => client.close())

  test('is told when a handler has run out of time', async () => {
    const result = await client.callTool({ name: 'never' })
    expect(result.isError).toBe(true)
    expect(textOf(result)).toBe('Tool never exceeded its timeout and was stopped.')
  })

  test('finds a state until it expires', async () => {
    const kept = await client.callTool({ name: 'set_state', arguments: { value: 7 } })
    const { handle } = kept.structuredContent as { handle: string }
    const get = () => client.callTool({ name: 'get_state', arguments: { handle } })
    expect((await get()).structuredContent).toEqual({ value: 7 })
    await expect
      .poll(async () => (await get()).isError, { timeout: 10_000, interval: 200 })
      .toBe(true)
  })
})

test.concurrent('a question is answered in time or has to be asked anew', async ({ expect }) => {
  const { client } = await connectAnswering({}, { url: server.url })
  const call = { name: 'ask_count', arguments: { name: 'expiry' } }
  const requestState = await stateOf(client, call)
  // Bringing no answer only asks again.
  const bringNothing = () =>
    callRound(client, { ...call, requestState }).then(
      () => 'asked again',
      (error: Error) => error.message,
    )
  expect(await bringNothing()).toBe('asked again')
  await expect
    .poll(bringNothing, { timeout: 10_000, interval: 200 })
    .toBe('params.requestState has expired: call again without it')
  const inputResponses = { confirm: accept({ ok: true }) }
  await expect(callRound(client, { ...call, requestState, inputResponses })).rejects.toMatchObject({
    code: -32602,
  })
  expect(await readCount(client, 'expiry-second')).toBe(0)
  await client.close()
})

test.concurrent('a question in a session that nobody answers in time ends its call in words', async ({
  expect,
}) => {
  const client = await connect('session', {
    url: server.url,
    client: { capabilities: { elicitation: {} } },
  })
  const taken = Promise.withResolvers<string>()
  client.setRequestHandler('elicitation/create', (_, { mcpReq: { signal } }) => {
    signal.addEventListener('abort', () => taken.resolve(String(signal.reason)))
    return new Promise<never>(() => {})
  })
  const result = await client.callTool({ name: 'ask_count', arguments: { name: 'unanswered' } })
  expect(result.isError).toBe(true)
  expect(textOf(result)).toBe('The question was not answered in time. The call may be repeated.')
  expect(await taken.promise).toContain('The request has ended')
  expect(await readCount(client, 'unanswered-second')).toBe(0)
  await client.close()
})

test.concurrent('a subscription ends in an orderly way, and is opened anew', async ({ expect }) => {
  const client = await connect('modern', { url: server.url })
  const errors: Error[] = []
  client.onerror = (error) => errors.push(error)
  const heard: string[] = []
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    heard.push(params.uri)
  })
  const filter = { resourceSubscriptions: ['probe://static/a'] }
  const opened = performance.now()
  const subscription = await client.listen(filter)
  expect(await subscription.closed).toBe('graceful')
  expect(performance.now() - opened).toBeGreaterThan(4900)
  const again = await client.listen(filter)
  await client.callTool({ name: 'touch_resource', arguments: { uri: 'probe://static/a' } })
  await expect.poll(() => heard).toEqual(['probe://static/a'])
  await again.close()
  expect(errors).toEqual([])
  await client.close()
})
