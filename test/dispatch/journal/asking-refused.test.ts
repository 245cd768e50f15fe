/** Asks that a client cannot answer, and answers that do not fit. */
// features: asks
import { describe, expect, it } from 'vitest'
import { UrlElicitationRequiredError } from '../../../src/index.ts'
import { verifies } from '../../support/verifies.ts'
import { accept, form, type Handler, said, serve } from './serve-handler.ts'

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
      verifies('base-protocol/reserved-error-codes', 'meta/undeclared-capabilities-are-not-used')
      verifies('meta/missing-capability-is-named', 'mrtr/undeclared-input-requests')
      verifies('elicitation/capability-in-each-request', 'elicitation/supported-modes-only')
      verifies('roots/capability-in-each-request', 'sampling/capability-in-each-request')
      verifies('sampling/tools-for-capable-clients-only')
      const { send } = serve(async (ctx) => {
        try {
          return await handler(ctx)
        } catch {
          return 'swallowed'
        }
      })
      const { status, error, result } = await send({ name: 't' }, capabilities)
      if (required === undefined) {
        expect(result.resultType).toBe('input_required')
        return
      }
      const data = { requiredCapabilities: required }
      expect([status, error.code, error.data]).toEqual([400, -32021, data])
      expect(error.message).toMatch(/Do not call it again from this client: tell the person\.$/)
    },
  )

  it('is refused without its capability, although an earlier request declared it', async () => {
    verifies('statelessness/no-context-of-earlier-requests')
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
    verifies('elicitation/refusals-are-handled')
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
  expect(last.result.content[0].text).toBe(
    'The questions of this call changed in 3 rounds, so it was stopped. Do not repeat it: tell the person.',
  )
})

describe('a UrlElicitationRequiredError', () => {
  it('is a question to a modern client, and the call continues when the client has opened the URL', async () => {
    verifies('base-protocol/error-codes-of-earlier-revisions')
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
      params: { mode: 'url', ...login },
    })
    signedIn = true
    const inputResponses = { [String(key)]: { action: 'accept' } }
    const { requestState } = result
    expect(said(await send({ name: 't', requestState, inputResponses }))).toBe('signed in')
  })
})
