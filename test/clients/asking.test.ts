/** People who are asked in the middle of a call: once, in sequence, together, and by an address. */
import type { ElicitResult } from '@modelcontextprotocol/client'
import { describe, expect, test } from 'vitest'
import { accept, callRound, connectAnswering, readCount, stateOf } from './answering.ts'
import { connect, textOf } from './connect.ts'

const NAME_QUESTION = {
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message: 'What is your name?',
    requestedSchema: {
      type: 'object',
      properties: { name: { type: 'string' } },
      required: ['name'],
    },
  },
}

describe('a tool that asks', () => {
  const name = 'test_input_required_result_elicitation'

  test('goes on with what the person wrote', async () => {
    const { client, asked } = await connectAnswering({ elicit: () => accept({ name: 'Ada' }) })
    expect(textOf(await client.callTool({ name }))).toBe('Hello, Ada!')
    expect(asked).toEqual([NAME_QUESTION])
    await client.close()
  })

  test.each(['decline', 'cancel'] as const)('is told of a %s', async (action) => {
    const { client } = await connectAnswering({ elicit: () => ({ action }) })
    expect(textOf(await client.callTool({ name }))).toBe(`No name: ${action}`)
    await client.close()
  })

  test.each([
    { content: {} },
    { content: { name: 7 } },
    { content: { name: ['Ada'] } },
    { content: undefined },
  ])('asks again after an answer that does not fit: $content', async ({ content }) => {
    const answers: ElicitResult[] = [accept(content as never), accept({ name: 'Ada' })]
    const { client, asked } = await connectAnswering({
      elicit: () => answers.shift() ?? { action: 'cancel' },
    })
    expect(textOf(await client.callTool({ name }))).toBe('Hello, Ada!')
    expect(asked).toEqual([NAME_QUESTION, NAME_QUESTION])
    await client.close()
  })

  test('takes an answer that comes with the first call, and ignores what it never asked', async () => {
    const client = await connect('modern', { client: { capabilities: { elicitation: {} } } })
    const inputResponses = { user_name: accept({ name: 'Ada' }), unknown: 5 }
    expect(await callRound(client, { name, inputResponses })).toMatchObject({
      content: [{ type: 'text', text: 'Hello, Ada!' }],
    })
    await client.close()
  })
})

describe('a tool that asks twice', () => {
  test('knows the first answer when it asks the second question', async () => {
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
  ])('stops where a person stops: $text', async ({ answers, text }) => {
    const left = [...answers]
    const { client, asked } = await connectAnswering({
      elicit: () => left.shift() ?? { action: 'accept' },
    })
    expect(textOf(await client.callTool({ name: 'ask_two' }))).toBe(text)
    expect(asked).toHaveLength(answers.length)
    await client.close()
  })

  test('changes its state from round to round', async () => {
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

describe('a tool that asks two questions at once', () => {
  test('gets both answers in one round', async () => {
    const { client, asked } = await connectAnswering({
      elicit: ({ message }) => accept(message.includes('left') ? { left: 'L' } : { right: 'R' }),
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

  test('keeps the answer it has while it asks for the other', async () => {
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

  test('hears a different thing from each', async () => {
    const { client } = await connectAnswering({
      elicit: ({ message }) =>
        message.includes('left') ? { action: 'decline' } : accept({ right: 'R' }),
    })
    expect(textOf(await client.callTool({ name: 'ask_together' }))).toBe('decline R')
    await client.close()
  })
})

test('a tool asks a person, a model and for the roots, all at once', async () => {
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

test('a prompt asks', async () => {
  const { client, asked } = await connectAnswering({ elicit: () => accept({ context: 'tests' }) })
  const { messages } = await client.getPrompt({ name: 'test_input_required_result_prompt' })
  expect(messages).toEqual([
    { role: 'user', content: { type: 'text', text: 'Use this context: tests' } },
  ])
  expect(asked).toHaveLength(1)
  await client.close()
})

test('a resource asks, and is not there for who declines', async () => {
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
  'a person who is sent to an address may %s',
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

describe('what happens around a question', () => {
  test('each step happens once and progress is told once', async () => {
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
    // The client tells of each round by itself, without a total.
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
  ])('the handler goes on after $structured', async ({ answer, structured }) => {
    const name = `steps-${crypto.randomUUID()}`
    const { client } = await connectAnswering({ elicit: () => answer })
    const result = await client.callTool({ name: 'ask_count', arguments: { name } })
    expect(result.structuredContent).toEqual(structured)
    expect(await readCount(client, `${name}-second`)).toBe(1)
    await client.close()
  })

  test('nothing after the question happens while nobody answers', async () => {
    const name = `steps-${crypto.randomUUID()}`
    const { client } = await connectAnswering({})
    await stateOf(client, { name: 'ask_count', arguments: { name } })
    expect(await readCount(client, `${name}-first`)).toBe(1)
    expect(await readCount(client, `${name}-second`)).toBe(0)
    await client.close()
  })

  test('ten steps are done once each', async () => {
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
