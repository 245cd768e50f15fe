import { evictDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { CreateMessageRequest } from '../../../src/index.ts'
import { openSession, textOf } from '../../support/session-client.ts'
import type { Handler } from '../../support/session-server.ts'

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
  const { action, content } = await elicit({ message: 'Who?', schema: FORM })
  return JSON.stringify([action, content])
}

/** Opens a session of a revision, calls the handler, and returns its first server request. */
async function asked(version: string, handler: Handler) {
  const session = await openSession({ version })
  const call = await session.stream(handler)
  return { session, call, question: await call.message() }
}

describe('form elicitation', () => {
  it('has a mode and titled choices under 2025-11-25', async () => {
    const { question } = await asked('2025-11-25', ASKS_FORM)
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
      const { question } = await asked(version, ASKS_FORM)
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
    const { session, call, question } = await asked(version, ASKS_FORM)
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
      const { session, call, question } = await asked(version, ASKS_FORM)
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
    const { session, call, question } = await asked('2025-11-25', async ({ elicit }) =>
      JSON.stringify((await elicit({ message: 'Which?', schema })).content),
    )
    expect(question.params.requestedSchema.properties.several).toEqual(several)
    await session.answer(question, { action: 'accept', content: { several: ['a'] } })
    expect(textOf(await call.message())).toBe('{"several":["a"]}')
  })
})

describe('a multiple choice in a form', () => {
  const LISTS = {
    type: 'object',
    properties: {
      tags: {
        type: 'array',
        title: 'Tags',
        description: 'Of the note',
        minItems: 1,
        maxItems: 2,
        items: { type: 'string', enum: ['new', 'old', '__proto__'] },
        default: ['old'],
      },
      parts: {
        type: 'array',
        items: {
          anyOf: [
            { const: 'a', title: 'The A' },
            { const: 'b', title: 'The B' },
          ],
        },
      },
    },
    required: ['tags'],
  } as const

  const ASKS_LISTS: Handler = async ({ elicit }) => {
    const { action, content } = await elicit({ key: 'lists', message: 'Which?', schema: LISTS })
    return JSON.stringify([action, content])
  }

  const choose = (...names: readonly string[]) => ({
    action: 'accept',
    content: Object.fromEntries(
      ['tags[new]', 'tags[old]', 'tags[__proto__]', 'parts[a]', 'parts[b]'].map((name) => [
        name,
        names.includes(name),
      ]),
    ),
  })

  it.each(BEFORE_RICH_ASKS)('is one boolean field for each choice under %s', async (version) => {
    const { question } = await asked(version, ASKS_LISTS)
    expect(question.params.requestedSchema).toEqual({
      type: 'object',
      properties: {
        'tags[new]': {
          type: 'boolean',
          title: 'Tags: new',
          description: 'Of the note (choose at least 1, at most 2)',
          default: false,
        },
        'tags[old]': { type: 'boolean', title: 'Tags: old', default: true },
        'tags[__proto__]': { type: 'boolean', title: 'Tags: __proto__', default: false },
        'parts[a]': { type: 'boolean', title: 'parts: The A' },
        'parts[b]': { type: 'boolean', title: 'parts: The B' },
      },
      required: ['tags[new]', 'tags[old]', 'tags[__proto__]'],
    })
  })

  it.each([
    [['tags[new]'], { tags: ['new'], parts: [] }],
    [['parts[b]', 'tags[__proto__]', 'tags[new]'], { tags: ['new', '__proto__'], parts: ['b'] }],
  ])('is a list again for the handler, when the client has chosen %s', async (chosen, content) => {
    const { session, call, question } = await asked('2025-06-18', ASKS_LISTS)
    await session.answer(question, choose(...chosen))
    expect(JSON.parse(textOf(await call.message()))).toEqual(['accept', content])
  })

  it('is a list again when the object was evicted between the question and the answer', async () => {
    const { session, call, question } = await asked('2025-06-18', async (ctx) => {
      const lists = await ASKS_LISTS(ctx)
      await ctx.elicit({ key: 'sure', message: 'Sure?', schema: { ok: z.boolean() } })
      return lists
    })
    await evictDurableObject(await session.stub())
    await session.answer(question, choose('tags[old]', 'parts[a]'))
    const second = await call.message()
    await evictDurableObject(await session.stub())
    await session.answer(second, { action: 'accept', content: { ok: true } })
    expect(JSON.parse(textOf(await call.message()))).toEqual([
      'accept',
      { tags: ['old'], parts: ['a'] },
    ])
  })

  it.each([
    ['no choice where one is needed', choose()],
    ['too many choices', choose('tags[new]', 'tags[old]', 'tags[__proto__]')],
    [
      'a field that is no boolean',
      { action: 'accept', content: { ...choose('tags[new]').content, 'tags[old]': 'yes' } },
    ],
    ['no fields', { action: 'accept', content: {} }],
  ])('is asked again after %s', async (_, answer) => {
    const { session, call, question } = await asked('2025-06-18', ASKS_LISTS)
    await session.answer(question, answer)
    const again = await call.message()
    expect(again.params.message).toMatch(/^Which\?\n\nThe answer did not fit:\n.*tags/)
    expect(again.params.requestedSchema).toEqual(question.params.requestedSchema)
    await session.answer(again, choose('tags[new]'))
    expect(JSON.parse(textOf(await call.message()))).toEqual([
      'accept',
      { tags: ['new'], parts: [] },
    ])
  })

  it('that is optional and not empty is left out when nothing is chosen', async () => {
    const { session, call, question } = await asked('2025-06-18', async ({ elicit }) => {
      const { tags } = LISTS.properties
      const schema = { type: 'object', properties: { tags } } as const
      return JSON.stringify((await elicit({ message: 'Which?', schema })).content)
    })
    await session.answer(question, choose())
    expect(textOf(await call.message())).toBe('{}')
  })
})

describe('URL elicitation', () => {
  it('has a mode and an elicitation id under 2025-11-25', async () => {
    const { session, call, question } = await asked('2025-11-25', async ({ elicit }) => {
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
    const { question } = await asked('2025-11-25', async ({ elicit }) => {
      const ask = { message: 'Log in', url: 'https://x.example/', elicitationId: 'login-1' }
      return (await elicit(ask)).action
    })
    expect(question.params.elicitationId).toBe('login-1')
  })

  it('has a different elicitation id for each ask', async () => {
    const { call, question } = await asked('2025-11-25', async ({ elicit }) => {
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
    const { question } = await asked('2025-11-25', SAMPLES)
    expect([question.method, question.params]).toEqual([
      'sampling/createMessage',
      { messages: MESSAGES, ...REST },
    ])
  })

  it.each(BEFORE_RICH_ASKS)('contains one message per block under %s', async (version) => {
    const { question } = await asked(version, SAMPLES)
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
      const { session, call, question } = await asked(version, SAMPLES)
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
    const { session, call, question } = await asked('2025-11-25', async ({ sample }) =>
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
    const { session, call, question } = await asked(version, async ({ listRoots }) =>
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
