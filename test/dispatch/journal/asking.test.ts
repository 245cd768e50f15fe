import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { UrlElicitationRequiredError } from '../../../src/index.ts'
import { ALL, accept, form, type Handler, said, serve } from './serve-handler.ts'

describe('a handler with one ask', () => {
  it('is answered with the question, and the next round runs it with the answer', async () => {
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

  it.each(['decline', 'cancel'])('receives the action %s', async (action) => {
    const { send } = serve(async (ctx) => ctx.elicit(form('name')))
    const { result } = await send({ name: 't' })
    const again = {
      name: 't',
      requestState: result.requestState,
      inputResponses: { name: { action, content: { value: 'x' } } },
    }
    expect(said(await send(again))).toEqual({ action })
  })

  it('asks again when the answer does not match the schema', async () => {
    const { send } = serve(async (ctx) => ctx.elicit(form('name')))
    const { result } = await send({ name: 't' })
    for (const answer of [
      12345,
      null,
      'x',
      [],
      {},
      { action: 'yes' },
      { action: 'accept' },
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
        schema: { type: 'object', properties: { value: { type: 'string' } } },
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

  it('may be a prompt or a resource', async () => {
    const { send } = serve(async (ctx) => ctx.elicit(form('name')))
    for (const [method, params] of [
      ['prompts/get', { name: 't' }],
      ['resources/read', { uri: 'asking://t' }],
    ] as const) {
      const first = await send(params, ALL, method)
      expect(first.result.resultType).toBe('input_required')
      expect(first.result.ttlMs).toBeUndefined()
      const { requestState } = first.result
      const second = await send(
        { ...params, requestState, inputResponses: { name: accept({ value: 'x' }) } },
        ALL,
        method,
      )
      expect(second.result.resultType).toBe('complete')
    }
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
  it('sends sequential questions one by one, each with a new state', async () => {
    const { send } = serve(async (ctx) => {
      const first = await ctx.elicit(form('first'))
      const second = await ctx.elicit({
        ...form('second'),
        message: `After ${JSON.stringify(first.content)}`,
      })
      return [first.content, second.content]
    })
    const one = await send({ name: 't' })
    const two = await send({
      name: 't',
      requestState: one.result.requestState,
      inputResponses: { first: accept({ value: '1' }) },
    })
    expect(Object.keys(two.result.inputRequests)).toEqual(['second'])
    expect(two.result.inputRequests.second.params.message).toBe('After {"value":"1"}')
    expect(two.result.requestState).not.toBe(one.result.requestState)
    const three = await send({
      name: 't',
      requestState: two.result.requestState,
      inputResponses: { second: accept({ value: '2' }) },
    })
    expect(said(three)).toEqual([{ value: '1' }, { value: '2' }])
  })

  it('sends questions of any kind together when they are asked together', async () => {
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
    const { send } = serve(async (ctx) => ctx.listRoots({ key: 'r' }))
    expect((await send({ name: 't', inputResponses: { r: answer } })).result.resultType).toBe(
      'input_required',
    )
  })
})

describe('an ask that the client cannot answer', () => {
  const sample = {
    messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'x' } }],
    maxTokens: 1,
  }
  const tools = [{ name: 'x', inputSchema: { type: 'object' } }]
  const TABLE: readonly [string, Handler, object, object | undefined][] = [
    [
      'a form, to a client without elicitation',
      (ctx) => ctx.elicit(form('k')),
      {},
      { elicitation: { form: {} } },
    ],
    [
      'a form, to a client with addresses only',
      (ctx) => ctx.elicit(form('k')),
      { elicitation: { url: {} } },
      { elicitation: { form: {} } },
    ],
    [
      'a form, to a client that says no more',
      (ctx) => ctx.elicit(form('k')),
      { elicitation: {} },
      undefined,
    ],
    [
      'an address, to a client with forms',
      (ctx) => ctx.elicit({ message: 'x', url: 'https://x.example' }),
      { elicitation: {} },
      { elicitation: { url: {} } },
    ],
    [
      'a sample, to a client without sampling',
      (ctx) => ctx.sample(sample),
      { elicitation: {} },
      { sampling: {} },
    ],
    [
      'a sample with tools, to a client without them',
      (ctx) => ctx.sample({ ...sample, tools }),
      { sampling: {} },
      { sampling: { tools: {} } },
    ],
    ['roots, to a client without them', (ctx) => ctx.listRoots(), { roots: 'yes' }, { roots: {} }],
  ]
  it.each(TABLE)(
    'is answered with the missing capability: %s',
    async (_, handler, capabilities, required) => {
      const { send } = serve(async (ctx) => {
        try {
          return await handler(ctx)
        } catch {
          return 'swallowed'
        }
      })
      const { status, error, result } = await send({ name: 't' }, capabilities)
      if (required === undefined) expect(result.resultType).toBe('input_required')
      else
        expect([status, error.code, error.data]).toEqual([
          400,
          -32021,
          { requiredCapabilities: required },
        ])
    },
  )

  it('is refused without its capability, although an earlier request declared it', async () => {
    const { send } = serve(async (ctx) => ctx.elicit(form('k')))
    const { result } = await send({ name: 't' }, { elicitation: {} })
    const answered = {
      name: 't',
      requestState: result.requestState,
      inputResponses: { other: accept({ value: 'x' }) },
    }
    for (const params of [{ name: 't' }, answered]) {
      const { status, error } = await send(params, {})
      expect([status, error.code]).toEqual([400, -32021])
    }
  })

  it('is reported to the model when the connection cannot carry questions', async () => {
    const { app } = serve(async (ctx) => ctx.elicit(form('k')))
    const { body } = await app.session('tools/call', { name: 't' })
    expect(body.result.isError).toBe(true)
    expect(body.result.content[0].text).toMatch(/^The server cannot ask on this connection/)
  })
})

describe('an answer that does not fit', () => {
  const asking: Handler = async (ctx) => ctx.elicit(form('name'))

  it('is named in the question that is asked again, and the handler continues after a better one', async () => {
    const { send } = serve(asking)
    const { result } = await send({ name: 't' })
    const answer = (requestState: unknown, value: unknown) =>
      send({ name: 't', requestState, inputResponses: { name: accept({ value }) } })
    const again = await answer(result.requestState, 5)
    expect(again.result.inputRequests.name.params.message).toBe(
      'Say name\n\nThe answer did not fit:\nvalue: Invalid input: expected string, received number',
    )
    expect(said(await answer(again.result.requestState, 'x'))).toEqual(accept({ value: 'x' }))
  })

  it.each([
    ['a value of another type', accept({ value: 5 }), 'value: Invalid input'],
    ['no content', { action: 'accept' }, 'content must be an object'],
    ['an unknown action', { action: 'yes' }, 'action must be accept, decline or cancel'],
  ])('with %s ends the call when it is given three times', async (_, answer, why) => {
    const { send } = serve(asking)
    let { result } = await send({ name: 't' })
    for (let round = 1; round < 3; round++) {
      const { requestState } = result
      result = (await send({ name: 't', requestState, inputResponses: { name: answer } })).result
      expect(result.inputRequests.name.params.message).toContain(why)
    }
    const { requestState } = result
    const last = await send({ name: 't', requestState, inputResponses: { name: answer } })
    expect(last.result.isError).toBe(true)
    expect(last.result.content[0].text).toContain(
      'The same answer to a question of this call did not fit 3 times:',
    )
    expect(last.result.content[0].text).toContain(why)
  })

  it('is asked for again as long as it changes', async () => {
    const { send } = serve(asking)
    let { result } = await send({ name: 't' })
    for (let round = 1; round <= 6; round++) {
      const { requestState } = result
      const inputResponses = { name: accept({ value: round }) }
      result = (await send({ name: 't', requestState, inputResponses })).result
      expect(Object.keys(result.inputRequests)).toEqual(['name'])
    }
  })
})

it('a call whose questions without a key change in three rounds ends with an error', async () => {
  let asked = 0
  const { send } = serve(async (ctx) => {
    const { schema } = form('name')
    return ctx.elicit({ message: `Question ${++asked}`, schema })
  })
  let { result } = await send({ name: 't' })
  for (let round = 1; round < 3; round++) {
    const [key = ''] = Object.keys(result.inputRequests)
    const inputResponses = { [key]: accept({ value: 'x' }) }
    result = (await send({ name: 't', requestState: result.requestState, inputResponses })).result
  }
  const [key = ''] = Object.keys(result.inputRequests)
  const inputResponses = { [key]: accept({ value: 'x' }) }
  const last = await send({ name: 't', requestState: result.requestState, inputResponses })
  expect(last.result.content[0].text).toBe('The questions of this call changed in 3 rounds.')
})

describe('a UrlElicitationRequiredError', () => {
  it('is a question to a modern client, and the call continues when the client has opened the URL', async () => {
    let signedIn = false
    const login = { elicitationId: 'login', message: 'Log in', url: 'https://x.example/login' }
    const { send } = serve(async () => {
      if (!signedIn) throw new UrlElicitationRequiredError([login])
      return 'signed in'
    })
    const { error, result } = await send({ name: 't' })
    expect(error).toBeUndefined()
    const [[key, request] = []] = Object.entries<object>(result.inputRequests)
    expect(request).toEqual({
      method: 'elicitation/create',
      params: { mode: 'url', message: 'Log in', url: 'https://x.example/login' },
    })
    signedIn = true
    const inputResponses = { [String(key)]: { action: 'accept' } }
    const { requestState } = result
    expect(said(await send({ name: 't', requestState, inputResponses }))).toBe('signed in')
  })
})
