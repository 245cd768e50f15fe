/** What a form can say, as a client in a session reads it: defaults, choices, texts. */
import { describe, expect, test } from 'vitest'
import { connectSession, KINDS, type Received } from './session-client.ts'

const DEFAULTS = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'User name', default: 'John Doe' },
    age: { type: 'integer', description: 'User age', default: 30 },
    score: { type: 'number', description: 'User score', default: 95.5 },
    status: {
      type: 'string',
      description: 'User status',
      enum: ['active', 'inactive', 'pending'],
      default: 'active',
    },
    verified: { type: 'boolean', description: 'Verification status', default: true },
  },
}

const CHOICES = {
  type: 'object',
  properties: {
    untitledSingle: {
      type: 'string',
      description: 'Choose one option',
      enum: ['option1', 'option2', 'option3'],
    },
    titledSingle: {
      type: 'string',
      description: 'Choose one titled option',
      oneOf: [
        { const: 'value1', title: 'First Option' },
        { const: 'value2', title: 'Second Option' },
        { const: 'value3', title: 'Third Option' },
      ],
    },
    legacyEnum: {
      type: 'string',
      description: 'Choose one option with a display name',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: {
      type: 'array',
      description: 'Choose one to three options',
      minItems: 1,
      maxItems: 3,
      items: { type: 'string', enum: ['option1', 'option2', 'option3'] },
    },
    titledMulti: {
      type: 'array',
      description: 'Choose one to three titled options',
      minItems: 1,
      maxItems: 3,
      items: {
        anyOf: [
          { const: 'value1', title: 'First Choice' },
          { const: 'value2', title: 'Second Choice' },
          { const: 'value3', title: 'Third Choice' },
        ],
      },
    },
  },
}

const CHOSEN = {
  untitledSingle: 'option1',
  titledSingle: 'value1',
  legacyEnum: 'opt1',
  untitledMulti: ['option1', 'option2'],
  titledMulti: ['value1', 'value2'],
}

const accept = (content: object) => ({ action: 'accept', content })

/** What the tool says that it was given. */
function contentOf({ content }: Received): unknown {
  const [, json = ''] = /: action=accept, content=(.+)$/.exec(content[0].text) ?? []
  return JSON.parse(json)
}

describe.each(KINDS)('%s', (kind) => {
  const connect = (form: object = {}) =>
    connectSession(kind, { capabilities: { elicitation: { form } } })

  test('is shown the defaults, and sends them back where it applies them', async () => {
    const { call, answer } = await connect({ applyDefaults: true })
    const asked = answer('elicitation/create', () => accept({ age: 41 }))
    const result = await call('test_elicitation_sep1034_defaults')
    expect(contentOf(result)).toEqual({
      name: 'John Doe',
      age: 41,
      score: 95.5,
      status: 'active',
      verified: true,
    })
    expect(asked[0]?.requestedSchema).toEqual(DEFAULTS)
  })

  test('need not fill in what has a default', async () => {
    const { call, answer } = await connect()
    answer('elicitation/create', () => accept({}))
    expect(contentOf(await call('test_elicitation_sep1034_defaults'))).toEqual({})
  })

  test('is offered every kind of choice', async () => {
    const { call, answer } = await connect()
    const asked = answer('elicitation/create', () => accept(CHOSEN))
    expect(contentOf(await call('test_elicitation_sep1330_enums'))).toEqual(CHOSEN)
    expect(asked[0]?.requestedSchema).toEqual(CHOICES)
  })

  test.each([
    { untitledSingle: 'option4' },
    { titledSingle: 'First Option' },
    { legacyEnum: 'Option One' },
    { untitledMulti: [] },
    { untitledMulti: ['option1', 'option4'] },
    { titledMulti: ['value1', 'value2', 'value3', 'value1'] },
  ])('is asked again after a choice that was not offered: %j', async (wrong) => {
    const { call, answer } = await connect()
    const answers = [accept({ ...CHOSEN, ...wrong }), accept(CHOSEN)]
    const asked = answer('elicitation/create', () => answers.shift() ?? { action: 'cancel' })
    expect(contentOf(await call('test_elicitation_sep1330_enums'))).toEqual(CHOSEN)
    expect(asked).toHaveLength(2)
  })

  test('has to fill in what is required', async () => {
    const { call, answer } = await connect()
    const filled = { username: 'ada', email: 'ada@example.com' }
    const answers = [accept({ username: 'ada' }), accept(filled)]
    const asked = answer('elicitation/create', () => answers.shift() ?? { action: 'cancel' })
    expect(contentOf(await call('test_elicitation', { message: 'Who are you?' }))).toEqual(filled)
    expect(asked.map(({ message }) => message)).toEqual(['Who are you?', 'Who are you?'])
  })
})
