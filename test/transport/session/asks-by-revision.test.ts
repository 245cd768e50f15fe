import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { CreateMessageRequest } from '../../../src/index.ts'
import { jsonSchema } from '../../../src/index.ts'
import { askedIn } from '../../support/asked.ts'
import { openSession, textOf } from '../../support/session-client.ts'
import type { Handler } from '../../support/session-server.ts'
import { verifies } from '../../support/verifies.ts'

const REVISIONS = ['2025-03-26', '2025-06-18', '2025-11-25'] as const
const BEFORE_RICH_ASKS = ['2025-03-26', '2025-06-18'] as const

const FORM = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Name', description: 'Of a person', minLength: 1, maxLength: 9 },
    mail: { type: 'string', format: 'email' },
    age: { type: 'integer', minimum: 0, maximum: 150, default: 30 },
    ok: { type: 'boolean', default: true },
    plain: { type: 'string', enum: ['a', 'b'] },
    named: { type: 'string', enum: ['a', 'b'], enumNames: ['The A', 'The B'] },
    titled: {
      type: 'string',
      title: 'Pick',
      oneOf: [
        { const: 'a', title: 'The A' },
        { const: 'b', title: 'The B' },
      ],
      default: 'a',
    },
  },
  required: ['name', 'titled'],
} as const

const { titled: _, ...UNCHANGED } = FORM.properties

const ASKS_FORM: Handler = async ({ elicit }) => {
  const { action, content } = await elicit({ message: 'Who?', schema: jsonSchema(FORM) })
  return JSON.stringify([action, content])
}

describe('form elicitation', () => {
  it('has a mode and titled choices under 2025-11-25', async () => {
    verifies('elicitation/parameters', 'elicitation/form-parameters')
    const { question } = await askedIn('2025-11-25', ASKS_FORM)
    expect(question).toEqual({
      jsonrpc: '2.0',
      id: expect.stringMatching(/^ask-/),
      method: 'elicitation/create',
      params: { mode: 'form', message: 'Who?', requestedSchema: FORM },
    })
  })

  it.each(BEFORE_RICH_ASKS)(
    'has no mode, and enumNames instead of titled choices, under %s',
    async (version) => {
      verifies('elicitation/form-parameters')
      const { question } = await askedIn(version, ASKS_FORM)
      expect(question.params).toEqual({
        message: 'Who?',
        requestedSchema: {
          type: 'object',
          properties: {
            ...UNCHANGED,
            titled: {
              type: 'string',
              title: 'Pick',
              enum: ['a', 'b'],
              enumNames: ['The A', 'The B'],
              default: 'a',
            },
          },
          required: ['name', 'titled'],
        },
      })
    },
  )

  it.each(REVISIONS)('returns the accepted content to the handler under %s', async (version) => {
    const { session, call, question } = await askedIn(version, ASKS_FORM)
    const content = { name: 'Ada', titled: 'b', age: 36, stray: 'dropped' }
    await session.answer(question, { action: 'accept', content })
    expect(JSON.parse(textOf(await call.message()))).toEqual([
      'accept',
      { name: 'Ada', titled: 'b', age: 36 },
    ])
  })

  it.each(REVISIONS)(
    'is sent again under %s when the response is not one of its choices',
    async (version) => {
      const { session, call, question } = await askedIn(version, ASKS_FORM)
      await session.answer(question, { action: 'accept', content: { name: 'Ada', titled: 'c' } })
      const again = await call.message()
      const message = expect.stringMatching(/^.+\n\nThe answer did not fit:\n./)
      expect(again.params).toEqual({ ...question.params, message })
      await session.answer(again, { action: 'decline' })
      expect(JSON.parse(textOf(await call.message()))).toEqual(['decline', null])
    },
  )

  it('may contain a multiple choice under 2025-11-25', async () => {
    const several = {
      type: 'array',
      minItems: 1,
      items: { anyOf: [{ const: 'a', title: 'The A' }] },
    } as const
    const schema = { type: 'object', properties: { several } } as const
    const { session, call, question } = await askedIn('2025-11-25', async ({ elicit }) =>
      JSON.stringify((await elicit({ message: 'Which?', schema: jsonSchema(schema) })).content),
    )
    expect(question.params.requestedSchema.properties.several).toEqual(several)
    await session.answer(question, { action: 'accept', content: { several: ['a'] } })
    expect(textOf(await call.message())).toBe('{"several":["a"]}')
  })
})

describe('URL elicitation', () => {
  it('has a mode and an elicitation id under 2025-11-25', async () => {
    verifies('elicitation/parameters', 'elicitation/url-parameters')
    const { session, call, question } = await askedIn('2025-11-25', async ({ elicit }) => {
      const { action } = await elicit({ message: 'Log in', url: 'https://x.example/login?a=1' })
      return action
    })
    expect(question.params).toEqual({
      mode: 'url',
      message: 'Log in',
      url: 'https://x.example/login?a=1',
      elicitationId: expect.stringMatching(/^[\x21-\x7e]{16,256}$/),
    })
    await session.answer(question, { action: 'accept' })
    expect(textOf(await call.message())).toBe('accept')
  })

  it('has the elicitation id that the handler sets', async () => {
    const { question } = await askedIn('2025-11-25', async ({ elicit }) => {
      const ask = { message: 'Log in', url: 'https://x.example/', elicitationId: 'login-1' }
      return (await elicit(ask)).action
    })
    expect(question.params.elicitationId).toBe('login-1')
  })

  it('has a different elicitation id for each ask', async () => {
    const { call, question } = await askedIn('2025-11-25', async ({ elicit }) => {
      const go = (key: string) => elicit({ key, message: 'Go', url: 'https://x.example/' })
      return `${await Promise.all([go('a'), go('b')])}`
    })
    const second = await call.message()
    expect(second.params.elicitationId).not.toBe(question.params.elicitationId)
  })
})

const SAMPLE: CreateMessageRequest = {
  messages: [
    { role: 'user', content: { type: 'text', text: 'One' } },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Two' },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      ],
    },
    { role: 'assistant', content: { type: 'text', text: 'Three' } },
  ],
  maxTokens: 100,
  systemPrompt: 'Be brief',
  modelPreferences: { hints: [{ name: 'small' }], speedPriority: 1 },
  temperature: 0.5,
  stopSequences: ['.'],
  metadata: { trace: 'a' },
}

const { messages: MESSAGES, ...REST } = SAMPLE

const SAMPLES: Handler = async ({ sample }) => {
  const { model, role, content, stopReason } = await sample(SAMPLE)
  return JSON.stringify({ model, role, content, stopReason })
}

describe('sampling/createMessage', () => {
  it('contains several blocks in one message under 2025-11-25', async () => {
    verifies('sampling/messages-have-role-and-content')
    const { question } = await askedIn('2025-11-25', SAMPLES)
    expect([question.method, question.params]).toEqual([
      'sampling/createMessage',
      { messages: MESSAGES, ...REST },
    ])
  })

  it.each(BEFORE_RICH_ASKS)('contains one message per block under %s', async (version) => {
    const { question } = await askedIn(version, SAMPLES)
    expect(question.params).toEqual({
      messages: [
        { role: 'user', content: { type: 'text', text: 'One' } },
        { role: 'user', content: { type: 'text', text: 'Two' } },
        { role: 'user', content: { type: 'image', data: 'AAAA', mimeType: 'image/png' } },
        { role: 'assistant', content: { type: 'text', text: 'Three' } },
      ],
      ...REST,
    })
  })

  it.each(REVISIONS)(
    'returns the result of the client to the handler under %s',
    async (version) => {
      const { session, call, question } = await askedIn(version, SAMPLES)
      const answer = {
        role: 'assistant',
        content: { type: 'text', text: 'Four' },
        model: 'm-1',
        stopReason: 'endTurn',
      }
      await session.answer(question, answer)
      expect(JSON.parse(textOf(await call.message()))).toEqual(answer)
    },
  )

  it('may offer tools, and may be answered with several blocks', async () => {
    const tools = [{ name: 'add', inputSchema: { type: 'object' } }] as const
    const { session, call, question } = await askedIn('2025-11-25', async ({ sample }) =>
      JSON.stringify((await sample({ ...SAMPLE, tools, toolChoice: { mode: 'auto' } })).content),
    )
    expect([question.params.tools, question.params.toolChoice]).toEqual([tools, { mode: 'auto' }])
    const content = [
      { type: 'text', text: 'I add' },
      { type: 'tool_use', id: 't', name: 'add', input: { a: 1 } },
    ]
    await session.answer(question, {
      role: 'assistant',
      content,
      model: 'm',
      stopReason: 'toolUse',
    })
    expect(JSON.parse(textOf(await call.message()))).toEqual(content)
  })
})

describe.each(REVISIONS)('asks under %s', (version) => {
  it('request roots with empty params', async () => {
    const { session, call, question } = await askedIn(version, async ({ listRoots }) =>
      JSON.stringify(await listRoots()),
    )
    expect(question).toEqual({
      jsonrpc: '2.0',
      id: expect.stringMatching(/^ask-/),
      method: 'roots/list',
      params: {},
    })
    const roots = [{ uri: 'file:///a', name: 'A' }, { uri: 'file:///b' }]
    await session.answer(question, { roots })
    expect(JSON.parse(textOf(await call.message()))).toEqual(roots)
  })

  it('follow the notifications sent before them, which are not repeated after the response', async () => {
    const session = await openSession({ version })
    const call = await session.stream(
      async ({ progress, log, listRoots }) => {
        await progress(1, 2, 'asking')
        await log('warning', { at: 'first' }, 'test')
        await listRoots()
        await progress(2, 2)
        await log('warning', { at: 'second' }, 'test')
        return 'done'
      },
      { progressToken: 'p' },
    )
    const before = [await call.message(), await call.message(), await call.message()]
    expect(before.map(({ method }) => method)).toEqual([
      'notifications/progress',
      'notifications/message',
      'roots/list',
    ])
    expect(before[0].params).toEqual({
      progressToken: 'p',
      progress: 1,
      total: 2,
      message: 'asking',
    })
    await session.answer(before[2], { roots: [] })
    expect((await call.rest()).map(({ params, result }) => params ?? result)).toEqual([
      { progressToken: 'p', progress: 2, total: 2 },
      { level: 'warning', data: { at: 'second' }, logger: 'test' },
      { content: [{ type: 'text', text: 'done' }] },
    ])
  })

  it('are sent together when a handler makes several at once', async () => {
    const session = await openSession({ version })
    const field = (key: string) => ({ key, message: key, schema: z.object({ v: z.string() }) })
    const call = await session.stream(async ({ elicit, listRoots, sample }) => {
      const [a, roots, b] = await Promise.all([elicit(field('a')), listRoots(), sample(SAMPLE)])
      return JSON.stringify([a.content?.v, roots.length, b.model])
    })
    const questions = [await call.message(), await call.message(), await call.message()]
    expect(questions.map(({ method }) => method)).toEqual([
      'elicitation/create',
      'roots/list',
      'sampling/createMessage',
    ])
    const content = { type: 'text', text: 'x' }
    await session.answer(questions[2], { role: 'assistant', content, model: 'm' })
    await session.answer(questions[0], { action: 'accept', content: { v: 'x' } })
    await session.answer(questions[1], { roots: [] })
    expect(textOf(await call.message())).toBe('["x",0,"m"]')
  })
})
