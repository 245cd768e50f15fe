import { evictDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { jsonSchema } from '../../../src/index.ts'
import { askedIn } from '../../support/asked.ts'
import { textOf } from '../../support/session-client.ts'
import type { Handler } from '../../support/session-server.ts'

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
    const { action, content } = await elicit({
      key: 'lists',
      message: 'Which?',
      schema: jsonSchema(LISTS),
    })
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

  it.each(['2025-03-26', '2025-06-18'])(
    'is one boolean field for each choice under %s',
    async (version) => {
      const { question } = await askedIn(version, ASKS_LISTS)
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
    },
  )

  it.each([
    [['tags[new]'], { tags: ['new'], parts: [] }],
    [['parts[b]', 'tags[__proto__]', 'tags[new]'], { tags: ['new', '__proto__'], parts: ['b'] }],
  ])('is a list again for the handler, when the client has chosen %s', async (chosen, content) => {
    const { session, call, question } = await askedIn('2025-06-18', ASKS_LISTS)
    await session.answer(question, choose(...chosen))
    expect(JSON.parse(textOf(await call.message()))).toEqual(['accept', content])
  })

  it('is a list again when the object was evicted between the question and the answer', async () => {
    const { session, call, question } = await askedIn('2025-06-18', async (ctx) => {
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
    const { session, call, question } = await askedIn('2025-06-18', ASKS_LISTS)
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
    const { session, call, question } = await askedIn('2025-06-18', async ({ elicit }) => {
      const { tags } = LISTS.properties
      const schema = { type: 'object', properties: { tags } } as const
      return JSON.stringify(
        (await elicit({ message: 'Which?', schema: jsonSchema(schema) })).content,
      )
    })
    await session.answer(question, choose())
    expect(textOf(await call.message())).toBe('{}')
  })
})
