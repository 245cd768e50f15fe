import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { read } from '../../support/door.ts'
import { openSession, openSessionDoor, textOf } from '../../support/session-client.ts'
import type { Handler } from '../../support/session-server.ts'

const ASKS_ROOTS: Handler = async ({ listRoots }) =>
  (await listRoots()).map(({ uri }) => uri).join(' ')

const ROOTS = { roots: [{ uri: 'file:///a' }] }

const STRAY = { type: 'leniency', name: 'unexpected-response', method: undefined }

/** A door and session of their own, so that what telemetry is told is theirs. */
async function pending(handler: Handler = ASKS_ROOTS) {
  const session = await openSession({}, openSessionDoor())
  const call = await session.stream(handler)
  return { session, call, question: await call.message(), events: session.door.events }
}

describe('a question', () => {
  it.each(['*/*', null])(
    'goes out to a client that accepts %j and can be asked',
    async (accept) => {
      const session = await openSession({}, openSessionDoor())
      const call = await session.stream(ASKS_ROOTS, { headers: { accept } })
      expect(await session.answer(await call.message(), ROOTS)).toBe(202)
      expect(textOf(await call.message())).toBe('file:///a')
    },
  )

  it('does not go out to one that rules streams out', async () => {
    const session = await openSession({}, openSessionDoor())
    for (const accept of ['application/json', '*/*, text/event-stream;q=0']) {
      const { body } = await read(await session.call(ASKS_ROOTS, { headers: { accept } }))
      expect(body.result.isError).toBe(true)
    }
  })
})

describe('an answer', () => {
  it('is accepted without a body, and completes the call', async () => {
    const { session, call, question, events } = await pending()
    const response = await session.post({ jsonrpc: '2.0', id: question.id, result: ROOTS })
    expect([response.status, await response.text(), response.headers.get('content-type')]).toEqual([
      202,
      '',
      null,
    ])
    expect(textOf(await call.message())).toBe('file:///a')
    expect(await call.message()).toBeUndefined()
    expect(events).toEqual([])
  })

  it('is taken once: a second one changes nothing, and is counted', async () => {
    const { session, call, question, events } = await pending()
    expect(await session.answer(question, ROOTS)).toBe(202)
    expect(await session.answer(question, { roots: [{ uri: 'file:///b' }] })).toBe(202)
    expect(textOf(await call.message())).toBe('file:///a')
    expect(events).toEqual([STRAY])
  })

  it('is taken once, however many come at the same time', async () => {
    const { session, call, question, events } = await pending()
    const statuses = await Promise.all(
      Array.from({ length: 8 }, () => session.answer(question, ROOTS)),
    )
    expect(new Set(statuses)).toEqual(new Set([202]))
    expect(await call.rest()).toHaveLength(1)
    expect(events).toEqual(Array(7).fill(STRAY))
  })

  it('that does not fit is asked for again, under another id', async () => {
    const { session, call, question, events } = await pending()
    expect(await session.answer(question, { roots: 'everywhere' })).toBe(202)
    const again = await call.message()
    expect([again.method, again.params]).toEqual(['roots/list', question.params])
    expect(again.id).not.toBe(question.id)
    expect(await session.answer(question, ROOTS)).toBe(202)
    expect(events).toEqual([STRAY])
    expect(await session.answer(again, ROOTS)).toBe(202)
    expect(textOf(await call.message())).toBe('file:///a')
  })

  it('that is an error ends the call with its words, where the handler lets it', async () => {
    const { session, call, question, events } = await pending()
    const error = { code: -1, message: 'User rejected the request' }
    expect(await session.answerWithError(question, error)).toBe(202)
    expect((await call.message()).result).toEqual({
      content: [
        {
          type: 'text',
          text: 'The client did not answer roots/list: User rejected the request.',
        },
      ],
      isError: true,
    })
    expect(events).toEqual([])
  })

  it('that is an error can be caught by the handler, which may go on and ask', async () => {
    const { session, call, question } = await pending(async (ctx) => {
      const refusal = await ctx.listRoots({ key: 'roots' }).catch((error) => String(error.message))
      const { action } = await ctx.elicit({ key: 'why', message: 'Why?', schema: z.object({}) })
      return `${refusal} ${action}`
    })
    await session.answerWithError(question, { code: -32601, message: 'x'.repeat(10_000) })
    const next = await call.message()
    expect(next.method).toBe('elicitation/create')
    await session.answer(next, { action: 'cancel' })
    const text = textOf(await call.message())
    expect(text).toMatch(/^The client did not answer roots\/list: x+.*\. cancel$/)
    expect(text.length).toBeLessThan(400)
  })

  it.each([
    ['without words', { code: -1 }],
    ['with words that are none', { code: -1, message: { a: 1 } }],
  ])('that is an error %s is told as it is', async (_, error) => {
    const { session, call, question } = await pending()
    await session.answerWithError(question, error)
    expect(textOf(await call.message())).toBe('The client did not answer roots/list.')
  })

  it('of another session is nothing to it, and disturbs nobody', async () => {
    const { session, call, question, events } = await pending()
    const stranger = await openSession({}, openSessionDoor())
    const theirs = await stranger.stream(ASKS_ROOTS)
    const own = await theirs.message()
    expect(await stranger.answer(question, { roots: [] })).toBe(202)
    expect(stranger.door.events).toEqual([STRAY])
    expect(await session.answer(question, ROOTS)).toBe(202)
    expect(textOf(await call.message())).toBe('file:///a')
    expect(await stranger.answer(own, { roots: [{ uri: 'file:///theirs' }] })).toBe(202)
    expect(textOf(await theirs.message())).toBe('file:///theirs')
    expect(events).toEqual([])
  })

  it('goes to the call that asked, whichever was asked first', async () => {
    const session = await openSession()
    const calls = await Promise.all([1, 2, 3].map(() => session.stream(ASKS_ROOTS)))
    const questions = await Promise.all(calls.map((call) => call.message()))
    expect(new Set(questions.map(({ id }) => id)).size).toBe(3)
    for (const at of [2, 0, 1]) {
      await session.answer(questions[at], { roots: [{ uri: `file:///${at}` }] })
    }
    const texts = await Promise.all(calls.map(async (call) => textOf(await call.message())))
    expect(texts).toEqual(['file:///0', 'file:///1', 'file:///2'])
  })

  it('without a session id is nothing to anybody', async () => {
    const { session, call, question } = await pending()
    const body = { jsonrpc: '2.0', id: question.id, result: { roots: [] } }
    expect((await session.post(body, { 'mcp-session-id': null })).status).toBe(202)
    await session.answer(question, ROOTS)
    expect(textOf(await call.message())).toBe('file:///a')
  })
})

const STRAYS: readonly (readonly [string, object])[] = [
  ['to nothing', { id: 'ask-0', result: {} }],
  ['with a number', { id: 1, result: {} }],
  ["with the id of the client's own request", { id: 'mine', result: {} }],
  ['that is an error without an id', { error: { code: -32700, message: 'Parse error' } }],
  ['that is an error with a null id', { id: null, error: { code: -32700, message: 'No' } }],
]

describe.each(STRAYS)('a response %s', (_, body) => {
  it('is accepted and counted, and disturbs no call', async () => {
    const { session, call, question, events } = await pending()
    const response = await session.post({ jsonrpc: '2.0', ...body })
    expect([response.status, await response.text()]).toEqual([202, ''])
    expect(events).toEqual([STRAY])
    await session.answer(question, ROOTS)
    expect(textOf(await call.message())).toBe('file:///a')
  })

  it('is refused where the endpoint is strict', async () => {
    const session = await openSession({}, openSessionDoor({ strict: true }))
    const { status, body: answer } = await read(await session.post({ jsonrpc: '2.0', ...body }))
    const id = 'id' in body && body.id !== null ? { id: body.id } : {}
    expect([status, answer]).toEqual([
      400,
      {
        jsonrpc: '2.0',
        ...id,
        error: {
          code: -32600,
          message: 'The server has sent no request with this id, or it is already answered',
        },
      },
    ])
  })
})

describe('a body that is no message', () => {
  it.each([
    ['a response with a result and an error', { id: 'a', result: {}, error: {} }],
    ['a response with neither', { id: 'a' }],
    ['a response whose result is a list', { id: 'a', result: [] }],
    ['a response without an id', { result: {} }],
    ['a request and a response in one', { id: 'a', method: 'ping', result: {} }],
  ])('is refused: %s', async (_, body) => {
    const session = await openSession()
    const { status, body: answer } = await read(await session.post({ jsonrpc: '2.0', ...body }))
    expect([status, answer.error.code]).toEqual([400, -32600])
  })
})
