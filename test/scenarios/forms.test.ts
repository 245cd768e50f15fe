/** Elicitation by a form: its fields in the words of each revision, answers, and answers that do not fit. */
import { describe, expect } from 'vitest'
import * as z from 'zod'
import { jsonSchema } from '../../src/index.ts'
import { accept } from '../support/accept.ts'
import type { Handler } from '../support/session-server.ts'
import { verifies } from '../support/verifies.ts'
import {
  ASKED_NAME,
  ASKED_NAME_BEFORE,
  ASKS_NAME,
  asked,
  isBeforeRichAsks,
  NAME_FORM,
} from './asks-name.ts'
import type { Received } from './client.ts'
import { ANY, everyRow, scenario } from './scenario.ts'

const isTesting = ({ client }: { readonly client: string }) => client.startsWith('edgeway/testing')

describe('a client that is asked with a form', () => {
  const FORM = {
    type: 'object',
    properties: {
      name: { type: 'string', title: 'Name', description: 'Of a person', minLength: 1 },
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
  const EARLIER_FORM = {
    ...FORM,
    properties: {
      ...FORM.properties,
      titled: {
        type: 'string',
        title: 'Pick',
        enum: ['a', 'b'],
        enumNames: ['The A', 'The B'],
        default: 'a',
      },
    },
  }

  scenario('receives it in the words of its revision, and the tool continues with its fields', {
    rows: everyRow,
    cites: () => {
      verifies('elicitation/parameters', 'elicitation/form-parameters')
      verifies('base-protocol/request-has-an-id')
    },
    server: async ({ elicit }) => {
      const { action, content } = await elicit({ message: 'Who?', schema: jsonSchema(FORM) })
      return JSON.stringify([action, content])
    },
    answers: [accept({ name: 'Ada', titled: 'b', age: 36, stray: 'dropped' })],
    returns: '["accept",{"name":"Ada","age":36,"titled":"b"}]',
    asked: [asked('elicitation/create', { mode: 'form', message: 'Who?', requestedSchema: FORM })],
    differs: [
      {
        on: isBeforeRichAsks,
        because: 'mode and titled choices came with 2025-11-25',
        asked: [asked('elicitation/create', { message: 'Who?', requestedSchema: EARLIER_FORM })],
      },
    ],
  })

  for (const action of ['decline', 'cancel']) {
    scenario(`answers with the action ${action}`, {
      server: ASKS_NAME,
      answers: [{ action }],
      returns: `${action} undefined`,
      asked: ASKED_NAME,
      differs: [ASKED_NAME_BEFORE],
    })
  }

  scenario('is asked again with the fault, and the call fails the third time', {
    server: ASKS_NAME,
    answers: () => accept({ name: 7 }),
    returns: expect.stringMatching(/^The same answer .* did not fit 3 times:\nname: /),
    asked: ['^Who?$', '^Who?\n\nThe answer did not fit:\nname: ', '^Who?\n\n'].map((text) => ({
      method: 'elicitation/create',
      params: expect.objectContaining({
        message: expect.stringMatching(text.replaceAll('?', '\\?')),
        requestedSchema: NAME_FORM.requestedSchema,
      }),
    })),
  })

  scenario('receives the defaults of fields, and sends them where it applies defaults', {
    capabilities: { elicitation: { form: { applyDefaults: true } } },
    server: async ({ elicit }) => {
      const schema = { a: z.string().default('A'), b: z.number().default(2) }
      return JSON.stringify((await elicit({ message: 'Which?', schema })).content)
    },
    answers: [accept({ b: 3 })],
    returns: '{"a":"A","b":3}',
    asked: ANY,
  })

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
    const { content } = await elicit({ key: 'l', message: 'Which?', schema: jsonSchema(LISTS) })
    return JSON.stringify(content)
  }
  const fields = (...chosen: readonly string[]) =>
    accept(
      Object.fromEntries(
        ['tags[new]', 'tags[old]', 'tags[__proto__]', 'parts[a]', 'parts[b]'].map((name) => [
          name,
          chosen.includes(name),
        ]),
      ),
    )
  /** Answers in the form of the revision. */
  const choose = (params: Received) =>
    params.requestedSchema.properties.tags === undefined
      ? fields('parts[b]', 'tags[__proto__]', 'tags[new]')
      : accept({ tags: ['new', '__proto__'], parts: ['b'] })

  scenario('answers a multiple choice, which was one boolean for each choice before 2025-11-25', {
    rows: everyRow,
    server: ASKS_LISTS,
    answers: choose,
    does: async ({ text }) => JSON.parse(await text()),
    returns: { tags: ['new', '__proto__'], parts: ['b'] },
    asked: [
      asked('elicitation/create', { mode: 'form', message: 'Which?', requestedSchema: LISTS }),
    ],
    differs: [
      {
        on: isBeforeRichAsks,
        because: 'a field with several choices came with 2025-11-25',
        asked: [
          asked('elicitation/create', {
            message: 'Which?',
            requestedSchema: {
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
            },
          }),
        ],
      },
    ],
  })

  for (const [what, wrong] of [
    ['no choice where one is needed', fields()],
    ['too many choices', fields('tags[new]', 'tags[old]', 'tags[__proto__]')],
    ['a field that is no boolean', accept({ ...fields('tags[new]').content, 'tags[old]': 'yes' })],
    ['no fields', accept({})],
  ] as const) {
    scenario(`is asked for a multiple choice again after ${what}`, {
      rows: (row) => isTesting(row) && isBeforeRichAsks(row),
      server: ASKS_LISTS,
      answers: [wrong, fields('tags[new]')],
      does: async ({ text }) => JSON.parse(await text()),
      returns: { tags: ['new'], parts: [] },
      asked: ['Which?', expect.stringMatching(/^Which\?\n\nThe answer did not fit:\n.*tags/)].map(
        (message) => ({
          method: 'elicitation/create',
          params: { message, requestedSchema: expect.anything() },
        }),
      ),
    })
  }
})
