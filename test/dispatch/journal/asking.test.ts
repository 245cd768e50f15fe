// features: asks
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { jsonSchema } from '../../../src/index.ts'
import { verifies } from '../../support/verifies.ts'
import { accept, form, said, serve } from './serve-handler.ts'

describe('a handler with one ask', () => {
  it('is answered with the question, and the next round runs it with the answer', async () => {
    verifies('base-protocol/required-components-of-modern-servers')
    verifies('base-protocol/result-has-a-result-type', 'statelessness/server-sends-no-requests')
    verifies('mrtr/asks-are-input-requests', 'mrtr/requests-or-state')
    verifies('elicitation/form-parameters')
    const { send } = serve(async (ctx) => ctx.elicit(form('name')))
    const first = await send({ name: 't' })
    expect(first.status).toBe(200)
    expect(first.result).toEqual({
      resultType: 'input_required',
      inputRequests: {
        name: {
          method: 'elicitation/create',
          params: {
            mode: 'form',
            message: 'Say name',
            requestedSchema: {
              type: 'object',
              properties: { value: { type: 'string' } },
              required: ['value'],
            },
          },
        },
      },
      requestState: expect.stringMatching(/^[\w.-]+$/),
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'asking', version: '1' } },
    })
    const { requestState } = first.result
    const inputResponses = { name: accept({ value: 'Ada' }) }
    expect(said(await send({ name: 't', requestState, inputResponses }))).toEqual(
      accept({ value: 'Ada' }),
    )
    // A client that does not return the state is served too: this handler needs only the answer.
    expect(said(await send({ name: 't', inputResponses }))).toEqual(accept({ value: 'Ada' }))
  })

  it('asks again when the answer does not match the schema', async () => {
    verifies('mrtr/inputs-before-the-retry')
    const { send } = serve(async (ctx) => ctx.elicit(form('name')))
    const { result } = await send({ name: 't' })
    for (const answer of [
      12345,
      null,
      'x',
      [],
      {},
      { action: 'yes' },
      { action: '__proto__' },
      { action: 'accept' },
      { action: 'accept', content: [] },
      [accept({ value: 'x' })],
      { roots: [] },
      accept({}),
      accept({ value: 1 }),
      { action: 'accept', content: null },
    ]) {
      const again = await send({
        name: 't',
        requestState: result.requestState,
        inputResponses: { name: answer },
      })
      expect(again.result.inputRequests.name.method).toBe('elicitation/create')
    }
    for (const inputResponses of [
      {},
      { wrong_key: accept({ value: 'x' }) },
      { constructor: accept({ value: 'x' }) },
    ]) {
      const again = await send({ name: 't', requestState: result.requestState, inputResponses })
      expect(Object.keys(again.result.inputRequests)).toEqual(['name'])
    }
  })

  it.each([null, 5, 'x', []])('rejects %j as inputResponses', async (inputResponses) => {
    const { send } = serve(async (ctx) => ctx.elicit(form('name')))
    expect((await send({ name: 't', inputResponses })).error.code).toBe(-32602)
  })

  it('ignores answers to questions that were not asked', async () => {
    const { send } = serve(async (ctx) => ctx.elicit(form('name')))
    const inputResponses = { name: accept({ value: 'x' }), other: 5, __proto__: { polluted: 1 } }
    expect(said(await send({ name: 't', inputResponses }))).toEqual(accept({ value: 'x' }))
  })

  it('accepts a long answer, unless the answer must be carried to a second question', async () => {
    const { app, send } = serve(async (ctx) => {
      const { content } = await ctx.elicit(form('name'))
      if (content?.value?.startsWith('long')) await ctx.elicit(form('other'))
      return content
    })
    const answer = (value: string) => ({ name: accept({ value }) })
    const last = await send({ name: 't', inputResponses: answer('x'.repeat(500_000)) })
    expect(said(last).value).toHaveLength(500_000)
    const refused = await send({ name: 't', inputResponses: answer(`long${'漢'.repeat(40_000)}`) })
    expect(refused.error).toEqual({
      code: -32602,
      message: 'The answers are too long to be carried to the next question',
    })
    expect(app.events).toEqual([])
  })

  it('drops unknown members of an answer in every round', async () => {
    const { send } = serve(async (ctx) => {
      const { content } = await ctx.elicit({
        key: 'name',
        message: 'x',
        schema: jsonSchema({ type: 'object', properties: { value: { type: 'string' } } }),
      })
      await ctx.elicit(form('other'))
      return content
    })
    const name = { ...accept({ value: 'x', junk: 'y'.repeat(100_000) }), junk: 'z'.repeat(100_000) }
    const first = await send({ name: 't', inputResponses: { name } })
    expect(first.result.requestState.length).toBeLessThan(1000)
    const { requestState } = first.result
    const second = await send({
      name: 't',
      requestState,
      inputResponses: { other: accept({ value: '' }) },
    })
    expect(said(second)).toEqual({ value: 'x' })
  })

  it('suspends even if it catches all errors', async () => {
    let after = 0
    const { send } = serve(async (ctx) => {
      try {
        await ctx.elicit(form('name'))
      } catch {
        after++
      } finally {
        after++
      }
      return 'swallowed'
    })
    expect((await send({ name: 't' })).result.resultType).toBe('input_required')
    expect(after).toBe(0)
  })
})

describe('a handler with several asks', () => {
  it('sends questions of any kind together when they are asked together', async () => {
    verifies('mrtr/asks-are-input-requests', 'mrtr/keys-are-unique', 'mrtr/kinds-of-input-requests')
    verifies('elicitation/parameters', 'elicitation/url-parameters')
    const { send } = serve(async (ctx) =>
      Promise.all([
        ctx.elicit(form('name')),
        ctx.sample({
          key: 'greeting',
          messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }],
          maxTokens: 50,
        }),
        ctx.listRoots({ key: 'folders' }),
        ctx.elicit({ key: 'go', message: 'Go', url: 'https://example.com/form' }),
      ]),
    )
    const first = await send({ name: 't' })
    expect(first.result.inputRequests).toMatchObject({
      name: { method: 'elicitation/create', params: { mode: 'form' } },
      greeting: { method: 'sampling/createMessage', params: { maxTokens: 50 } },
      folders: { method: 'roots/list', params: {} },
      go: {
        method: 'elicitation/create',
        params: { mode: 'url', message: 'Go', url: 'https://example.com/form' },
      },
    })
    const answers = {
      name: accept({ value: 'Ada' }),
      greeting: {
        role: 'assistant',
        content: { type: 'text', text: 'Hello' },
        model: 'm',
        stopReason: 'endTurn',
      },
      folders: { roots: [{ uri: 'file:///a', name: 'A' }] },
      go: { action: 'accept' },
    }
    // Half of the answers first: the others are asked again, and those received are kept.
    const { name, folders, ...rest } = answers
    const half = await send({
      name: 't',
      requestState: first.result.requestState,
      inputResponses: { name, folders },
    })
    expect(Object.keys(half.result.inputRequests)).toEqual(['greeting', 'go'])
    const all = await send({
      name: 't',
      requestState: half.result.requestState,
      inputResponses: rest,
    })
    expect(said(all)).toEqual([answers.name, answers.greeting, answers.folders.roots, answers.go])
  })

  it('matches answers to asks without keys by content and asks again after a changed order', async () => {
    let flip = false
    const { app, send } = serve(async (ctx) => {
      const ask = (text: string) =>
        ctx.elicit({ message: text, schema: z.object({ value: z.string() }) })
      const [a, b] = flip ? ['B?', 'A?'] : ['A?', 'B?']
      return [(await ask(a)).content, (await ask(b)).content]
    })
    const one = await send({ name: 't' })
    const [key = ''] = Object.keys(one.result.inputRequests)
    expect(key).toMatch(/^elicit-1-[0-9a-f]{16}$/)
    flip = true
    const two = await send({
      name: 't',
      requestState: one.result.requestState,
      inputResponses: { [key]: accept({ value: 'for A' }) },
    })
    expect(Object.values(two.result.inputRequests)).toMatchObject([{ params: { message: 'B?' } }])
    expect(app.events).toMatchObject([{ type: 'journal-order-changed', method: 'tools/call' }])
  })
})

describe('answers to sampling and roots asks', () => {
  it.each([
    [{ role: 'system', content: { type: 'text', text: 'x' }, model: 'm' }],
    [{ role: 'assistant', content: { type: 'text' }, model: 'm' }],
    [{ role: 'assistant', content: [], model: 'm' }],
    [{ role: 'assistant', content: [[{ type: 'text', text: 'x' }]], model: 'm' }],
    [{ role: 'assistant', content: { type: 'tool_use', id: '1', name: 'x' }, model: 'm' }],
    [{ role: 'assistant', content: { type: 'text', text: 'x' } }],
    [{ role: 'assistant', content: { type: 'constructor' }, model: 'm' }],
    [accept({ value: 'x' })],
    [null],
  ])('are asked again when the sampling answer is %j', async (answer) => {
    const { send } = serve(async (ctx) =>
      ctx.sample({
        key: 's',
        messages: [{ role: 'user', content: { type: 'text', text: 'x' } }],
        maxTokens: 1,
      }),
    )
    expect((await send({ name: 't', inputResponses: { s: answer } })).result.resultType).toBe(
      'input_required',
    )
  })

  it.each([
    {},
    { roots: 'x' },
    { roots: [{}] },
    { roots: [{ uri: 'https://x' }] },
    { roots: [{ uri: 'file:///a', name: 1 }] },
  ])('are asked again when the roots answer is %j', async (answer) => {
    verifies('roots/root-is-a-file-uri')
    const { send } = serve(async (ctx) => ctx.listRoots({ key: 'r' }))
    expect((await send({ name: 't', inputResponses: { r: answer } })).result.resultType).toBe(
      'input_required',
    )
  })
})
