/** Calls whose grant is revoked while they run: the stream of each ends with an answer that says so. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { Person, RESOURCE, send, withToken } from '../../support/authorized-person.ts'
import { authorizedEvents, unreachable } from '../../support/authorized-server.ts'
import { HttpSession } from '../../support/http-session.ts'
import { initializeHttpSse } from '../../support/http-sse-client.ts'
import { type Handler, keepHandler } from '../../support/session-server.ts'
import { SseReader, type WireMessage } from '../../support/sse-reader.ts'
import { MODERN } from '../../support/test-app.ts'

const CHECK_INTERVAL_MS = 30_000
const YES = { action: 'accept', content: { ok: true } }
const TEXT =
  'The access of the caller has ended before this call was complete. Connect again, and check before repeating the call.'
const ENDED = { content: [{ type: 'text', text: TEXT }], isError: true }
const CANCELLED = { type: 'cancelled', method: 'tools/call', reason: 'access-revoked' }

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  authorizedEvents.length = 0
})
afterEach(() => {
  vi.useRealTimers()
})

const passInterval = () => vi.advanceTimersByTime(CHECK_INTERVAL_MS)

/** A handler that reports once and then works until it is aborted. */
function endless() {
  const { promise: aborted, resolve } = Promise.withResolvers<string>()
  const handler: Handler = async (ctx) => {
    ctx.signal.addEventListener('abort', () => resolve(String(ctx.signal.reason)))
    await ctx.log('info', 'under way')
    return new Promise(() => undefined)
  }
  return { handler, aborted }
}

/** Waits for a person who never answers. */
const asking: Handler = async (ctx) => {
  await ctx.elicit({ key: 'ok', message: 'Sure?', schema: z.object({ ok: z.boolean() }) })
  return 'done'
}

async function revoke(person: Person, refresh: string): Promise<void> {
  expect((await person.client.post('/revoke', { token: refresh })).status).toBe(200)
}

function callModern(token: string, handler: Handler, method = 'tools/call', accept?: string) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/logLevel': 'debug',
  }
  const params = { _meta: meta, name: 'run', arguments: keepHandler(handler) }
  const request = new Request(RESOURCE, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: accept ?? 'application/json, text/event-stream',
      'mcp-protocol-version': MODERN,
      'mcp-method': method,
      'mcp-name': 'run',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }),
  })
  return send(withToken(request, token))
}

describe('a call of 2026-07-28 whose grant is revoked while it runs', () => {
  it('ends its stream with an error result, and its handler is aborted', async () => {
    const { person, tokens } = await Person.connect()
    const { handler, aborted } = endless()
    const call = new SseReader(await callModern(tokens.access, handler))
    expect((await call.message()).method).toBe('notifications/message')
    await revoke(person, tokens.refresh)
    passInterval()
    expect(await call.rest()).toEqual([
      { jsonrpc: '2.0', id: 7, result: expect.objectContaining(ENDED) },
    ])
    expect(await aborted).toBe('AbortError: The authorization of the caller was revoked')
    expect(authorizedEvents).toContainEqual(CANCELLED)
  })

  it('ends with a JSON-RPC error when it gets a prompt, and with JSON when no stream is accepted', async () => {
    const { person, tokens } = await Person.connect()
    const prompt = new SseReader(await callModern(tokens.access, endless().handler, 'prompts/get'))
    await prompt.message()
    const accept = 'application/json'
    const complete = await callModern(tokens.access, endless().handler, 'tools/call', accept)
    expect(complete.headers.get('content-type')).toBe(accept)
    await revoke(person, tokens.refresh)
    passInterval()
    const error = { code: -32603, message: TEXT }
    expect(await prompt.rest()).toEqual([{ jsonrpc: '2.0', id: 7, error }])
    expect(await complete.json()).toMatchObject({ id: 7, result: ENDED })
  })
})

describe('a call in a session whose grant is revoked while it runs', () => {
  it('ends its stream with an error result, and its handler is aborted', async () => {
    const { person, tokens } = await Person.connect()
    const { handler, aborted } = endless()
    const call = await person.stream(handler)
    expect((await call.message()).method).toBe('notifications/message')
    await revoke(person, tokens.refresh)
    passInterval()
    expect(await call.rest()).toEqual([{ jsonrpc: '2.0', id: 1, result: ENDED }])
    expect(await aborted).toBe('AbortError: The authorization of the caller was revoked')
    expect(authorizedEvents.filter(({ type }) => type === 'cancelled')).toEqual([CANCELLED])
  })

  it.each(['in memory', 'after an eviction'])(
    'ends its stream while it waits for a person, and withdraws the question (%s)',
    async (place) => {
      const { person, tokens } = await Person.connect()
      const call = await person.stream(asking)
      const question = await call.message()
      if (place !== 'in memory') await person.evict()
      await revoke(person, tokens.refresh)
      passInterval()
      expect(await call.rest()).toEqual([
        expect.objectContaining({
          method: 'notifications/cancelled',
          params: expect.objectContaining({ requestId: question.id }),
        }),
        { jsonrpc: '2.0', id: 1, result: ENDED },
      ])
      expect(authorizedEvents.filter(({ type }) => type === 'cancelled')).toEqual([CANCELLED])
    },
  )

  it('ends every call of a batch, with the id of each', async () => {
    const { person, tokens } = await Person.connect()
    const batch = [asking, asking].map((handler, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'run', arguments: keepHandler(handler) },
    }))
    const fetch = (request: Request) => send(withToken(request, tokens.access))
    const session = await HttpSession.open({ url: RESOURCE, fetch }, { version: '2025-03-26' })
    const call = new SseReader(await session.post(batch))
    await call.message()
    await call.message()
    await revoke(person, tokens.refresh)
    passInterval()
    const answers = (await call.rest()).filter(({ method }: WireMessage) => method === undefined)
    // The answers of a batch have no order.
    expect(answers.sort((a, b) => a.id - b.id)).toEqual([
      { jsonrpc: '2.0', id: 0, result: ENDED },
      { jsonrpc: '2.0', id: 1, result: ENDED },
    ])
  })

  it('ends a stream that its client has resumed with GET, with an event id', async () => {
    const { person, tokens } = await Person.connect()
    const call = await person.stream(asking)
    await call.message()
    const resumed = await person.session.listen(call.lastId)
    await call.leave()
    await revoke(person, tokens.refresh)
    passInterval()
    const messages = await resumed.rest()
    expect(messages.at(-1)).toEqual({ jsonrpc: '2.0', id: 1, result: ENDED })
    expect(resumed.lastId).toMatch(/~3$/)
    const { access } = await person.client.tokens()
    person.present(access)
    expect((await person.session.get(resumed.lastId)).status).toBe(405)
  })

  it('continues when only the grant of its reader was revoked, and is answered on the next stream', async () => {
    const { person } = await Person.connect()
    const call = await person.stream(asking)
    const question = await call.message()
    const other = await person.client.tokens()
    person.present(other.access)
    const reader = await person.session.listen(call.lastId)
    await revoke(person, other.refresh)
    passInterval()
    expect(await reader.rest()).toEqual([])
    const { access } = await person.client.tokens()
    person.present(access)
    expect(await person.session.answer(question, YES)).toBe(202)
    const messages = await (await person.session.listen(call.lastId)).rest()
    expect(messages.at(-1).result.content[0].text).toBe('done')
  })

  it('continues while its caller cannot be checked, so that no fault ends a call', async () => {
    const { person, tokens } = await Person.connect()
    const call = await person.stream(asking)
    const question = await call.message()
    await revoke(person, tokens.refresh)
    unreachable.renewals = 1
    passInterval()
    expect(await call.rest()).toEqual([])
    const { access } = await person.client.tokens()
    person.present(access)
    const again = await person.session.listen(call.lastId)
    expect(await person.session.answer(question, YES)).toBe(202)
    expect(await again.rest()).toEqual([{ jsonrpc: '2.0', id: 1, result: ENDED }])
  })
})

describe('a call of the 2024-11-05 transport whose grant is revoked while it runs', () => {
  it('ends with an error result on the stream, before the stream ends', async () => {
    const { person, tokens } = await Person.connect()
    const app = { fetch: (request: Request) => send(withToken(request, tokens.access)) }
    const client = await initializeHttpSse(app, {}, new URL('/sse', RESOURCE).href)
    const params = { name: 'run', arguments: keepHandler(endless().handler) }
    expect((await client.send('tools/call', params, 'c')).status).toBe(202)
    expect((await client.stream.message()).method).toBe('notifications/message')
    await revoke(person, tokens.refresh)
    passInterval()
    expect(await client.stream.rest()).toEqual([{ jsonrpc: '2.0', id: 'c', result: ENDED }])
  })
})

describe('the GET stream of a session whose grant is revoked', () => {
  it('ends without a message', async () => {
    const { person, tokens } = await Person.connect()
    const stream = await person.session.listen()
    await stream.next()
    await revoke(person, tokens.refresh)
    passInterval()
    expect(await stream.rest()).toEqual([])
  })
})
