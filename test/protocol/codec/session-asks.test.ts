/** The params of asks in the wire forms of the session revisions. */

import { describe, expect, it } from 'vitest'
import { askParams } from '../../../src/protocol/codec/ask-params.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { type ByRevision, cases, codecOf } from './by-revision.ts'

const same = (params: JsonObject): ByRevision => ({
  '2025-11-25': params,
  '2025-06-18': params,
  '2025-03-26': params,
  '2024-11-05': params,
})

/** The newest session revision keeps the params; the others have them narrowed. */
const narrowed = (params: JsonObject, older: JsonObject): ByRevision => ({
  ...same(older),
  '2025-11-25': params,
})

describe('an elicitation', () => {
  const form = (properties: JsonObject | undefined): JsonObject => ({
    mode: 'form',
    message: 'Who?',
    requestedSchema: { type: 'object', ...(properties && { properties }), required: ['a'] },
  })
  const older = (properties: JsonObject | undefined): JsonObject => ({
    message: 'Who?',
    requestedSchema: { type: 'object', ...(properties && { properties }), required: ['a'] },
  })
  const PLAIN = {
    a: { type: 'string', title: 'A', format: 'email' },
    b: { type: 'integer', minimum: 0 },
    c: { type: 'string', enum: ['x', 'y'] },
  }
  const URL_MODE = { mode: 'url', message: 'Go', url: 'https://a.example/' }

  const forms: readonly (readonly [string, JsonObject, ByRevision])[] = [
    ['a form of plain fields', form(PLAIN), narrowed(form(PLAIN), older(PLAIN))],
    [
      'a form with titled choices',
      form({
        a: {
          type: 'string',
          title: 'Pick',
          oneOf: [
            { const: 'x', title: 'X' },
            { const: 'y', title: 'Y' },
          ],
        },
      }),
      narrowed(
        form({
          a: {
            type: 'string',
            title: 'Pick',
            oneOf: [
              { const: 'x', title: 'X' },
              { const: 'y', title: 'Y' },
            ],
          },
        }),
        older({ a: { type: 'string', title: 'Pick', enum: ['x', 'y'], enumNames: ['X', 'Y'] } }),
      ),
    ],
    [
      'a form with choices that are malformed',
      form({ a: { oneOf: [{}, 'x', { const: 'y' }] } }),
      narrowed(
        form({ a: { oneOf: [{}, 'x', { const: 'y' }] } }),
        older({ a: { enum: [null, 'y'], enumNames: [null, null] } }),
      ),
    ],
    [
      'a form with a field that is no object',
      form({ a: true, b: undefined }),
      narrowed(form({ a: true, b: undefined }), older({ a: true, b: {} })),
    ],
    ['a form without properties', form(undefined), narrowed(form(undefined), { message: 'Who?' })],
    [
      'a form without a schema',
      { mode: 'form', message: 'Who?' },
      narrowed({ mode: 'form', message: 'Who?' }, { message: 'Who?' }),
    ],
    ['a URL without an id', URL_MODE, same({ ...URL_MODE, elicitationId: 'made-up-id' })],
    [
      'a URL with an id of its own',
      { ...URL_MODE, elicitationId: 'own-id' },
      same({ ...URL_MODE, elicitationId: 'own-id' }),
    ],
  ]
  it.each(cases(forms))('is written for %s: %s', (version, _, params, expected) => {
    const written = askParams(codecOf(version).revision, 'elicitation/create', params, 'made-up-id')
    expect(written).toEqual(expected)
  })
})

describe('sampling', () => {
  const TEXT = { type: 'text', text: 'a' }
  const USE = { type: 'tool_use', id: '1', name: 'add', input: {} }
  const requests: readonly (readonly [string, JsonObject, ByRevision])[] = [
    [
      'a message of one block',
      { messages: [{ role: 'user', content: TEXT }], maxTokens: 5 },
      same({ messages: [{ role: 'user', content: TEXT }], maxTokens: 5 }),
    ],
    [
      'a message of several blocks',
      {
        messages: [
          { role: 'user', content: [TEXT, USE] },
          { role: 'assistant', content: TEXT },
        ],
      },
      narrowed(
        {
          messages: [
            { role: 'user', content: [TEXT, USE] },
            { role: 'assistant', content: TEXT },
          ],
        },
        {
          messages: [
            { role: 'user', content: TEXT },
            { role: 'user', content: USE },
            { role: 'assistant', content: TEXT },
          ],
        },
      ),
    ],
    [
      'tools and how to choose among them',
      { messages: [{ role: 'user', content: TEXT }], tools: [{ name: 'add' }], toolChoice: {} },
      same({
        messages: [{ role: 'user', content: TEXT }],
        tools: [{ name: 'add' }],
        toolChoice: {},
      }),
    ],
    [
      'a message of no blocks',
      { messages: [{ role: 'user', content: [] }] },
      narrowed({ messages: [{ role: 'user', content: [] }] }, { messages: [] }),
    ],
    [
      'messages that are malformed',
      { messages: ['x', {}] },
      narrowed({ messages: ['x', {}] }, { messages: ['x', { role: null, content: null }] }),
    ],
    ['no list of messages', { messages: 'x', a: 1 }, narrowed({ messages: 'x', a: 1 }, { a: 1 })],
  ]
  it.each(cases(requests))('is written for %s: %s', (version, _, params, expected) => {
    expect(askParams(codecOf(version).revision, 'sampling/createMessage', params, 'id')).toEqual(
      expected,
    )
  })
})

describe('a request for roots', () => {
  it.each(cases([['no params', {}, same({})]]))(
    'is written for %s: %s',
    (version, _, params, expected) => {
      expect(askParams(codecOf(version).revision, 'roots/list', params, 'id')).toEqual(expected)
    },
  )
})
