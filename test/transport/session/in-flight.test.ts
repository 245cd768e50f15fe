import { describe, expect, it } from 'vitest'
import { createLatch } from '../../support/latch.ts'
import { openSession, openSessionApp, textOf } from '../../support/session-client.ts'
import type { Handler } from '../../support/session-server.ts'
import { read } from '../../support/test-app.ts'
import { verifies } from '../../support/verifies.ts'

const ASKS: Handler = async ({ listRoots }) => `${(await listRoots()).length} folders`

const IN_USE = {
  code: -32600,
  message: 'This id belongs to a request that is not finished. Use another id [request-id-in-use]',
}

describe('a request id', () => {
  it('is refused while its request runs, and accepted afterwards', async () => {
    verifies('base-protocol/request-id-is-new-in-its-session')
    const session = await openSession()
    const { wait, open } = createLatch()
    const call = await session.stream(
      async ({ log, signal }) => {
        await log('info', 'one')
        await wait(signal)
        return 'first'
      },
      { id: 'same' },
    )
    await call.message()
    const second = await read(await session.call(() => 'second', { id: 'same' }))
    expect([second.status, second.body]).toEqual([
      400,
      { jsonrpc: '2.0', id: 'same', error: IN_USE },
    ])
    open()
    expect(textOf((await call.rest())[0])).toBe('first')
    const third = await read(await session.call(() => 'third', { id: 'same' }))
    expect([third.status, textOf(third.body)]).toEqual([200, 'third'])
  })

  it('is refused while its request waits for a response of the client', async () => {
    verifies('base-protocol/request-id-is-new-in-its-session')
    const session = await openSession()
    const call = await session.stream(ASKS, { id: 7 })
    const question = await call.message()
    const second = await read(await session.send('ping', {}, { id: 7 }))
    expect([second.status, second.body.error]).toEqual([400, IN_USE])
    await session.answer(question, { roots: [] })
    expect(textOf(await call.message())).toBe('0 folders')
    expect((await session.send('ping', {}, { id: 7 })).status).toBe(200)
  })

  it('is refused while its request runs for a client that accepts only JSON', async () => {
    const session = await openSession()
    const { wait, open } = createLatch()
    const started: string[] = []
    const headers = { accept: 'application/json' }
    const handler: Handler = async ({ signal }) => {
      started.push('first')
      await wait(signal)
      return 'first'
    }
    const first = session.call(handler, { id: 0, headers })
    await expect.poll(() => started).toEqual(['first'])
    const second = await read(await session.call(() => 'second', { id: 0, headers }))
    expect([second.status, second.body.error]).toEqual([400, IN_USE])
    open()
    expect(textOf(await (await first).json())).toBe('first')
  })

  it('keeps its type and its characters: 1 and "1" are different ids', async () => {
    verifies('base-protocol/response-has-the-id-of-its-request')
    const session = await openSession()
    const own = [1, '1', 0, -1, '', '__proto__', 'a\u2028\n\r', 'x'.repeat(256)]
    const calls = await Promise.all(own.map((id) => session.stream(ASKS, { id })))
    const ids: unknown[] = []
    for (const call of calls) {
      await session.answer(await call.message(), { roots: [] })
      ids.push((await call.message()).id)
    }
    expect(ids).toEqual(own)
  })

  it('may be in use in two sessions at the same time', async () => {
    const [one, two] = [await openSession(), await openSession()]
    const first = await one.stream(ASKS, { id: 'same' })
    await first.message()
    expect((await two.send('ping', {}, { id: 'same' })).status).toBe(200)
  })
})

describe('the limit of unfinished requests', () => {
  it('is 64 by default, and allows another request when one has finished', async () => {
    verifies('ping/ping-is-answered')
    const session = await openSession()
    const calls = await Promise.all(Array.from({ length: 64 }, () => session.stream(ASKS)))
    const questions = await Promise.all(calls.map((call) => call.message()))
    const refused = await read(await session.send('tools/list', {}, { id: 'p' }))
    expect([refused.status, refused.headers.get('retry-after'), refused.body]).toEqual([
      429,
      '1',
      {
        jsonrpc: '2.0',
        id: 'p',
        error: {
          code: -32600,
          message:
            'This session has reached its limit of unfinished requests. Wait for one to finish [too-many-requests]',
        },
      },
    ])
    // A ping is answered regardless of the limit.
    expect((await session.send('ping')).status).toBe(200)
    const other = await openSession({}, session.app)
    expect((await other.send('tools/list')).status).toBe(200)
    expect(await session.notify('notifications/initialized', {})).toBe(202)
    expect(await session.answer(questions[0], { roots: [] })).toBe(202)
    expect(textOf(await calls[0]?.message())).toBe('0 folders')
    expect((await session.send('tools/list')).status).toBe(200)
  })

  it('counts running and waiting requests together', async () => {
    const session = await openSession()
    const { wait, open } = createLatch()
    const headers = { accept: 'text/event-stream' }
    const waiting = await Promise.all(Array.from({ length: 32 }, () => session.stream(ASKS)))
    const running = await Promise.all(
      Array.from({ length: 32 }, () =>
        session.stream(
          async ({ log, signal }) => {
            await log('info', 'one')
            await wait(signal)
            return 'done'
          },
          { headers },
        ),
      ),
    )
    for (const call of [...waiting, ...running]) await call.message()
    expect((await session.send('tools/list')).status).toBe(429)
    open()
    for (const call of running) expect(await call.rest()).toHaveLength(1)
    expect((await session.send('ping')).status).toBe(200)
  })
})

describe('the version header in a session', () => {
  const VERSIONS: readonly (readonly [string, string | undefined])[] = [
    ['2025-11-25', undefined],
    ['2025-06-18', 'protocol-version-header-mismatch'],
    ['2026-07-28', 'protocol-version-header-mismatch'],
    ['2031-01-01', 'protocol-version-header-unknown'],
    ['latest', 'protocol-version-header-unknown'],
    ['2025-11-25, 2025-11-25', 'protocol-version-header-repeated'],
  ]

  it.each(VERSIONS)(
    '%s does not change the revision, and is reported when it differs',
    async (version, name) => {
      verifies('lifecycle/negotiated-version-and-capabilities')
      const session = await openSession({}, openSessionApp())
      const headers = { 'mcp-protocol-version': version }
      const response = await session.call(({ client }) => client.protocolVersion, { headers })
      expect(textOf(await response.json())).toBe('2025-11-25')
      expect(session.app.events).toEqual(
        name === undefined ? [] : [{ type: 'leniency', name, method: 'tools/call' }],
      )
    },
  )

  it.each(VERSIONS)('%s is refused in strict mode when it differs', async (version, name) => {
    verifies('lifecycle/version-header-of-the-client', 'streamable-http/unsupported-version-header')
    const session = await openSession({}, openSessionApp({ strict: true }))
    const headers = { 'mcp-protocol-version': version }
    const { status, body } = await read(await session.call(() => 'served', { headers }))
    expect([status, body.error]).toEqual(
      name === undefined
        ? [200, undefined]
        : [
            400,
            {
              code: -32600,
              message:
                'MCP-Protocol-Version must be the version that initialize negotiated [message-malformed]',
            },
          ],
    )
  })

  it('may be missing in strict mode, because the session id contains the revision', async () => {
    const session = await openSession({ version: '2025-06-18' }, openSessionApp({ strict: true }))
    const headers = { 'mcp-protocol-version': null }
    const response = await session.call(({ client }) => client.protocolVersion, { headers })
    expect(textOf(await response.json())).toBe('2025-06-18')
  })
})
