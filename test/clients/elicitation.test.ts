/** Elicitation in the modern era: single, sequential, concurrent, and by URL. */
import type { ElicitResult } from '@modelcontextprotocol/client'
import { describe, expect, test } from 'vitest'
import { accept } from '../support/accept.ts'
import { verifies } from '../support/verifies.ts'
import { callRound, connectAnswering, readCount, stateOf } from './answering-client.ts'
import { connect, textOf } from './connect.ts'
import { NAME_FORM } from './forms.ts'

const NAME_ASK = { method: 'elicitation/create', params: NAME_FORM }

describe('a tool that asks', () => {
  const name = 'test_input_required_result_elicitation'

  test('continues with the content of the answer', async () => {
    const { client, asked } = await connectAnswering({ elicit: () => accept({ name: 'Ada' }) })
    expect(textOf(await client.callTool({ name }))).toBe('Hello, Ada!')
    expect(asked).toEqual([NAME_ASK])
    await client.close()
  })

  test.each(['decline', 'cancel'] as const)('receives the action %s', async (action) => {
    const { client } = await connectAnswering({ elicit: () => ({ action }) })
    expect(textOf(await client.callTool({ name }))).toBe(`No name: ${action}`)
    await client.close()
  })

  test.each([
    { content: {} },
    { content: { name: 7 } },
    { content: { name: ['Ada'] } },
    { content: undefined },
  ])('asks again after the invalid content $content', async ({ content }) => {
    const answers: ElicitResult[] = [accept(content as never), accept({ name: 'Ada' })]
    const { client, asked } = await connectAnswering({
      elicit: () => answers.shift() ?? { action: 'cancel' },
    })
    expect(textOf(await client.callTool({ name }))).toBe('Hello, Ada!')
    const message = expect.stringMatching(/\n\nThe answer did not fit:\n./)
    expect(asked).toEqual([NAME_ASK, { ...NAME_ASK, params: { ...NAME_ASK.params, message } }])
    await client.close()
  })

  test('uses an answer that comes with the first call, and ignores unknown keys', async () => {
    const client = await connect('modern', { client: { capabilities: { elicitation: {} } } })
    const inputResponses = { user_name: accept({ name: 'Ada' }), unknown: 5 }
    expect(await callRound(client, { name, inputResponses })).toMatchObject({
      content: [{ type: 'text', text: 'Hello, Ada!' }],
    })
    await client.close()
  })
})

describe('a tool that asks twice', () => {
  test('uses the first answer in its second ask', async () => {
    const answers = [accept({ name: 'Ada' }), accept({ color: 'blue' })]
    const { client, asked } = await connectAnswering({
      elicit: () => answers.shift() ?? { action: 'cancel' },
    })
    expect(textOf(await client.callTool({ name: 'ask_two' }))).toBe('Ada likes blue')
    expect(asked.map(({ params }) => (params as { message: string }).message)).toEqual([
      'What is your name?',
      'Which color do you like, Ada?',
    ])
    await client.close()
  })

  test.each([
    { answers: [{ action: 'cancel' as const }], text: 'No name: cancel' },
    {
      answers: [accept({ name: 'Ada' }), { action: 'decline' as const }],
      text: 'No color: decline',
    },
  ])('ends with "$text" when the client declines or cancels', async ({ answers, text }) => {
    const left = [...answers]
    const { client, asked } = await connectAnswering({
      elicit: () => left.shift() ?? { action: 'accept' },
    })
    expect(textOf(await client.callTool({ name: 'ask_two' }))).toBe(text)
    expect(asked).toHaveLength(answers.length)
    await client.close()
  })

  test('returns another request state in each round', async () => {
    const { client } = await connectAnswering({})
    const name = 'test_input_required_result_multi_round'
    const first = await callRound(client, { name })
    expect(first).toMatchObject({ inputRequests: { step1: { method: 'elicitation/create' } } })
    const state = await stateOf(client, { name })
    const answered = {
      name,
      requestState: state,
      inputResponses: { step1: accept({ name: 'Ada' }) },
    }
    const second = await callRound(client, answered)
    expect(Object.keys((second as { inputRequests: object }).inputRequests)).toEqual(['step2'])
    const requestState = await stateOf(client, answered)
    expect(requestState).not.toBe(state)
    const inputResponses = { step2: accept({ color: 'blue' }) }
    expect(await callRound(client, { name, requestState, inputResponses })).toMatchObject({
      content: [{ type: 'text', text: 'Ada likes blue' }],
    })
    await client.close()
  })
})

describe('a tool with two concurrent asks', () => {
  test('receives both answers in one round', async () => {
    const { client, asked } = await connectAnswering({
      elicit: ({ message }) =>
        message.includes('left') ? accept({ left: 'L' }) : accept({ right: 'R' }),
    })
    const first = await callRound(client, { name: 'ask_together' })
    expect(Object.keys((first as { inputRequests: object }).inputRequests)).toEqual([
      'left',
      'right',
    ])
    expect(textOf(await client.callTool({ name: 'ask_together' }))).toBe('L R')
    expect(asked).toHaveLength(2)
    await client.close()
  })

  test('keeps the first answer while it asks for the second one', async () => {
    const { client } = await connectAnswering({})
    const requestState = await stateOf(client, { name: 'ask_together' })
    const half = {
      name: 'ask_together',
      requestState,
      inputResponses: { right: accept({ right: 'R' }) },
    }
    const second = await callRound(client, half)
    expect(Object.keys((second as { inputRequests: object }).inputRequests)).toEqual(['left'])
    expect(
      await callRound(client, {
        name: 'ask_together',
        requestState: await stateOf(client, half),
        inputResponses: { left: accept({ left: 'L' }) },
      }),
    ).toMatchObject({ content: [{ type: 'text', text: 'L R' }] })
    await client.close()
  })

  test('receives a different action for each ask', async () => {
    const { client } = await connectAnswering({
      elicit: ({ message }) =>
        message.includes('left') ? { action: 'decline' } : accept({ right: 'R' }),
    })
    expect(textOf(await client.callTool({ name: 'ask_together' }))).toBe('decline R')
    await client.close()
  })
})

test('a tool combines an elicitation, a sampling request and a roots request in one round', async () => {
  const { client, asked } = await connectAnswering({
    elicit: () => accept({ name: 'Ada' }),
    sample: () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: 'Hello!' } }),
    roots: () => ({ roots: [{ uri: 'file:///home' }] }),
  })
  const result = await client.callTool({ name: 'test_input_required_result_multiple_inputs' })
  expect(textOf(result)).toBe('action=accept, content={"name":"Ada"}; Hello!; file:///home')
  expect(asked.map(({ method }) => method).sort()).toEqual([
    'elicitation/create',
    'roots/list',
    'sampling/createMessage',
  ])
  await client.close()
})

test('a prompt receives the answer to its ask', async () => {
  const { client, asked } = await connectAnswering({ elicit: () => accept({ context: 'tests' }) })
  const { messages } = await client.getPrompt({ name: 'test_input_required_result_prompt' })
  expect(messages).toEqual([
    { role: 'user', content: { type: 'text', text: 'Use this context: tests' } },
  ])
  expect(asked).toHaveLength(1)
  await client.close()
})

test('a resource receives the answer to its ask, and is not found after a decline', async () => {
  verifies('resources/missing-resource-is-not-empty')
  const answers: ElicitResult[] = [accept({ text: 'I like it' }), { action: 'decline' }]
  const { client, asked } = await connectAnswering({
    elicit: () => answers.shift() ?? { action: 'cancel' },
  })
  const uri = 'probe://asked/rain'
  const { contents } = await client.readResource({ uri })
  expect(contents).toEqual([{ uri, mimeType: 'text/plain', text: 'rain: I like it' }])
  expect(asked).toMatchObject([{ params: { message: 'What do you say on rain?' } }])
  await expect(client.readResource({ uri })).rejects.toMatchObject({
    code: -32602,
    message: 'Resource not found',
  })
  await client.close()
})

test.each(['accept', 'decline', 'cancel'] as const)(
  'a URL elicitation returns the action %s',
  async (action) => {
    const { client, asked } = await connectAnswering({ elicit: () => ({ action }) })
    expect(textOf(await client.callTool({ name: 'ask_url' }))).toBe(action)
    expect(asked).toEqual([
      {
        method: 'elicitation/create',
        params: {
          mode: 'url',
          message: 'Please fill in the form.',
          url: 'https://example.com/form',
        },
      },
    ])
    await client.close()
  },
)

describe('the steps of a tool that asks', () => {
  test('run once each, and progress is sent once', async () => {
    const name = `steps-${crypto.randomUUID()}`
    const answers = [accept({}), accept({ ok: true })]
    const { client, asked } = await connectAnswering({
      elicit: () => answers.shift() ?? { action: 'cancel' },
    })
    const progress: unknown[] = []
    const result = await client.callTool(
      { name: 'ask_count', arguments: { name } },
      { onprogress: (step) => progress.push(step) },
    )
    expect(result.structuredContent).toEqual({ action: 'accept', ok: true })
    expect(asked).toHaveLength(2)
    expect(await readCount(client, `${name}-first`)).toBe(1)
    expect(await readCount(client, `${name}-second`)).toBe(1)
    // The client reports each round as progress without a total.
    expect(progress.filter((step) => Object.hasOwn(step as object, 'total'))).toEqual([
      { progress: 1, total: 3 },
      { progress: 3, total: 3 },
    ])
    await client.close()
  })

  test.each([
    { answer: accept({ ok: false }), structured: { action: 'accept', ok: false } },
    { answer: { action: 'decline' as const }, structured: { action: 'decline', ok: null } },
    { answer: { action: 'cancel' as const }, structured: { action: 'cancel', ok: null } },
  ])('continue after the answer $structured', async ({ answer, structured }) => {
    const name = `steps-${crypto.randomUUID()}`
    const { client } = await connectAnswering({ elicit: () => answer })
    const result = await client.callTool({ name: 'ask_count', arguments: { name } })
    expect(result.structuredContent).toEqual(structured)
    expect(await readCount(client, `${name}-second`)).toBe(1)
    await client.close()
  })

  test('do not run after the ask while it is open', async () => {
    verifies('mrtr/no-assumption-of-a-retry')
    const name = `steps-${crypto.randomUUID()}`
    const { client } = await connectAnswering({})
    await stateOf(client, { name: 'ask_count', arguments: { name } })
    expect(await readCount(client, `${name}-first`)).toBe(1)
    expect(await readCount(client, `${name}-second`)).toBe(0)
    await client.close()
  })

  test('run once each when there is no ask', async () => {
    const name = `ten-${crypto.randomUUID()}`
    const { client } = await connectAnswering({})
    expect(
      textOf(await client.callTool({ name: 'ten_steps', arguments: { name, gapMs: 1 } })),
    ).toBe('done')
    const counts = Array.from({ length: 11 }, (_, index) =>
      readCount(client, `${name}-${index + 1}`),
    )
    expect(await Promise.all(counts)).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0])
    await client.close()
  })
})
