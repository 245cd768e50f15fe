import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { openSession, openSessionApp, textOf } from '../../support/session-client.ts'
import type { Handler } from '../../support/session-server.ts'
import { read } from '../../support/test-app.ts'
import { verifies } from '../../support/verifies.ts'

const ASKS_ROOTS: Handler = async ({ listRoots }) =>
  (await listRoots()).map(({ uri }) => uri).join(' ')

const ROOTS = { roots: [{ uri: 'file:///a' }] }

const UNEXPECTED = { type: 'leniency', name: 'unexpected-response', method: undefined }

/** Opens a session on its own server, so that `events` contains only its events. */
async function pending(handler: Handler = ASKS_ROOTS) {
  const session = await openSession({}, openSessionApp())
  const call = await session.stream(handler)
  return { session, call, question: await call.message(), events: session.app.events }
}

describe('a server request', () => {
  it.each(['*/*', null])(
    'is sent to a client with the capability and Accept: %j',
    async (accept) => {
      const session = await openSession({}, openSessionApp())
      const call = await session.stream(ASKS_ROOTS, { headers: { accept } })
      expect(await session.answer(await call.message(), ROOTS)).toBe(202)
      expect(textOf(await call.message())).toBe('file:///a')
    },
  )

  it('is not sent to a client whose Accept excludes event streams', async () => {
    const session = await openSession({}, openSessionApp())
    for (const accept of ['application/json', '*/*, text/event-stream;q=0']) {
      const { body } = await read(await session.call(ASKS_ROOTS, { headers: { accept } }))
      expect(body.result.isError).toBe(true)
    }
  })
})

describe('a response to a server request', () => {
  it('is accepted with an empty 202, and completes the call', async () => {
    verifies('streamable-http/accepted-messages-have-202')
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

  it('is accepted once: a second response has no effect and is reported', async () => {
    const { session, call, question, events } = await pending()
    expect(await session.answer(question, ROOTS)).toBe(202)
    expect(await session.answer(question, { roots: [{ uri: 'file:///b' }] })).toBe(202)
    expect(textOf(await call.message())).toBe('file:///a')
    expect(events).toEqual([UNEXPECTED])
  })

  it('is accepted once when several arrive at the same time', async () => {
    const { session, call, question, events } = await pending()
    const statuses = await Promise.all(
      Array.from({ length: 8 }, () => session.answer(question, ROOTS)),
    )
    expect(new Set(statuses)).toEqual(new Set([202]))
    expect(await call.rest()).toHaveLength(1)
    expect(events).toEqual(Array(7).fill(UNEXPECTED))
  })

  it('is requested again under another id when it does not match the schema', async () => {
    verifies('base-protocol/request-id-is-new-in-its-session')
    const { session, call, question, events } = await pending()
    expect(await session.answer(question, { roots: 'everywhere' })).toBe(202)
    const again = await call.message()
    expect([again.method, again.params]).toEqual(['roots/list', question.params])
    expect(again.id).not.toBe(question.id)
    expect(await session.answer(question, ROOTS)).toBe(202)
    expect(events).toEqual([UNEXPECTED])
    expect(await session.answer(again, ROOTS)).toBe(202)
    expect(textOf(await call.message())).toBe('file:///a')
  })

  it('fails the call with its message when it is an error', async () => {
    verifies('elicitation/refusals-are-handled')
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

  it('can be caught by the handler when it is an error, and the handler can ask again', async () => {
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
    ['without a message', { code: -1 }],
    ['with an object as message', { code: -1, message: { a: 1 } }],
  ])('fails the call without a message when it is an error %s', async (_, error) => {
    const { session, call, question } = await pending()
    await session.answerWithError(question, error)
    expect(textOf(await call.message())).toBe('The client did not answer roots/list.')
  })

  it('is unexpected in another session, and affects no call there', async () => {
    verifies('elicitation/state-belongs-to-a-user')
    const { session, call, question, events } = await pending()
    const second = await openSession({}, openSessionApp())
    const theirs = await second.stream(ASKS_ROOTS)
    const own = await theirs.message()
    expect(await second.answer(question, { roots: [] })).toBe(202)
    expect(second.app.events).toEqual([UNEXPECTED])
    expect(await session.answer(question, ROOTS)).toBe(202)
    expect(textOf(await call.message())).toBe('file:///a')
    expect(await second.answer(own, { roots: [{ uri: 'file:///theirs' }] })).toBe(202)
    expect(textOf(await theirs.message())).toBe('file:///theirs')
    expect(events).toEqual([])
  })

  it('completes the call that asked, in any order of calls', async () => {
    verifies('base-protocol/request-id-is-new-in-its-session')
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

  it('has no effect without a session id', async () => {
    const { session, call, question } = await pending()
    const body = { jsonrpc: '2.0', id: question.id, result: { roots: [] } }
    expect((await session.post(body, { 'mcp-session-id': null })).status).toBe(202)
    await session.answer(question, ROOTS)
    expect(textOf(await call.message())).toBe('file:///a')
  })
})

const UNEXPECTED_RESPONSES: readonly (readonly [string, object])[] = [
  ['with an unknown id', { id: 'ask-0', result: {} }],
  ['with a number as id', { id: 1, result: {} }],
  ['with an empty id', { id: '', result: {} }],
  ['with the id __proto__', { id: '__proto__', result: {} }],
  ["with the id of the client's own request", { id: 'mine', result: {} }],
  ['that is an error without an id', { error: { code: -32700, message: 'Parse error' } }],
  ['that is an error with a null id', { id: null, error: { code: -32700, message: 'No' } }],
]

describe.each(UNEXPECTED_RESPONSES)('a response %s', (_, body) => {
  it('is accepted and reported, and affects no call', async () => {
    const { session, call, question, events } = await pending()
    const response = await session.post({ jsonrpc: '2.0', ...body })
    expect([response.status, await response.text()]).toEqual([202, ''])
    expect(events).toEqual([UNEXPECTED])
    await session.answer(question, ROOTS)
    expect(textOf(await call.message())).toBe('file:///a')
  })

  it('is refused in strict mode', async () => {
    const session = await openSession({}, openSessionApp({ strict: true }))
    const { status, body: answer } = await read(await session.post({ jsonrpc: '2.0', ...body }))
    const id = 'id' in body && body.id !== null ? { id: body.id } : {}
    expect([status, answer]).toEqual([
      400,
      {
        jsonrpc: '2.0',
        ...id,
        error: {
          code: -32600,
          message:
            'The server has sent no request with this id, or it is already answered [unexpected-response]',
        },
      },
    ])
  })
})

describe('an invalid response', () => {
  it.each([
    ['a response with a result and an error', { id: 'a', result: {}, error: {} }],
    ['a response without result and error', { id: 'a' }],
    ['a response with an array as result', { id: 'a', result: [] }],
    ['a response with an empty error', { id: 'a', error: {} }],
    ['a response with an error without a code', { id: 'a', error: { message: 'x' } }],
    ['a response without an id', { result: {} }],
    ['a message with a method and a result', { id: 'a', method: 'ping', result: {} }],
  ])('is refused with 400: %s', async (_, body) => {
    verifies('base-protocol/response-has-a-result-or-an-error', {
      row: 'a response without result and error',
    })
    verifies('base-protocol/response-has-one-of-result-and-error', {
      row: 'a response with a result and an error',
    })
    verifies('streamable-http/refused-messages-have-an-error-status')
    const session = await openSession()
    const { status, body: answer } = await read(await session.post({ jsonrpc: '2.0', ...body }))
    expect([status, answer.error.code]).toEqual([400, -32600])
    const without = await read(await session.app.post({ jsonrpc: '2.0', ...body }))
    expect([without.status, without.body.error.code]).toEqual([400, -32600])
  })
})
