/** What a form can say, as the official client reads it: defaults, choices, texts. */
import { expect, test } from 'vitest'
import { accept, connectAnswering } from './answering.ts'
import { textOf } from './connect.ts'

function schemaOf(asked: readonly { readonly params: unknown }[]): unknown {
  return (asked[0]?.params as { requestedSchema?: unknown } | undefined)?.requestedSchema
}

test('a form carries its defaults, and a client that applies them sends them back', async () => {
  const { client, asked } = await connectAnswering(
    { elicit: () => accept({ age: 41 }) },
    { client: { capabilities: { elicitation: { form: { applyDefaults: true } } } } },
  )
  const result = await client.callTool({ name: 'test_elicitation_sep1034_defaults' })
  const [, content = ''] = /^Elicitation completed: action=accept, content=(.+)$/.exec(
    textOf(result),
  ) ?? ['']
  expect(JSON.parse(content)).toEqual({
    name: 'John Doe',
    age: 41,
    score: 95.5,
    status: 'active',
    verified: true,
  })
  expect(schemaOf(asked)).toEqual({
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
  })
  await client.close()
})

const CHOSEN = {
  untitledSingle: 'option1',
  titledSingle: 'value1',
  legacyEnum: 'opt1',
  untitledMulti: ['option1', 'option2'],
  titledMulti: ['value1', 'value2'],
}

test('a form offers every kind of choice', async () => {
  const { client, asked } = await connectAnswering({ elicit: () => accept(CHOSEN) })
  const result = await client.callTool({ name: 'test_elicitation_sep1330_enums' })
  expect(textOf(result)).toBe(
    'Elicitation completed: action=accept, content={"untitledSingle":"option1","titledSingle":"value1","legacyEnum":"opt1","untitledMulti":["option1","option2"],"titledMulti":["value1","value2"]}',
  )
  expect(schemaOf(asked)).toEqual({
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
  })
  await client.close()
})

test.each([
  { untitledSingle: 'option4' },
  { titledSingle: 'First Option' },
  { legacyEnum: 'Option One' },
  { untitledMulti: [] },
  { untitledMulti: ['option1', 'option4'] },
  { titledMulti: ['value1', 'value2', 'value3', 'value1'] },
])('a choice that was not offered is asked for again: %j', async (wrong) => {
  const answers = [accept({ ...CHOSEN, ...wrong }), accept(CHOSEN)]
  const { client, asked } = await connectAnswering({
    elicit: () => answers.shift() ?? { action: 'cancel' },
  })
  const result = await client.callTool({ name: 'test_elicitation_sep1330_enums' })
  expect(textOf(result)).toContain('"untitledSingle":"option1"')
  expect(asked).toHaveLength(2)
  await client.close()
})

test('a form without defaults has to be filled in', async () => {
  const answers = [
    accept({ username: 'ada' }),
    accept({ username: 'ada', email: 'ada@example.com' }),
  ]
  const { client, asked } = await connectAnswering({
    elicit: () => answers.shift() ?? { action: 'cancel' },
  })
  const result = await client.callTool({
    name: 'test_elicitation',
    arguments: { message: 'Who are you?' },
  })
  expect(textOf(result)).toBe(
    'User response: action=accept, content={"username":"ada","email":"ada@example.com"}',
  )
  expect(asked).toHaveLength(2)
  await client.close()
})
