/** Elicitation forms as a modern client receives them: defaults, choices, required fields. */
import { expect, test } from 'vitest'
import { accept } from '../support/accept.ts'
import { connectAnswering } from './answering-client.ts'
import { textOf } from './connect.ts'
import { CHOICES, CHOSEN, DEFAULTS, NOT_OFFERED } from './forms.ts'

function schemaOf(asked: readonly { readonly params: unknown }[]): unknown {
  return (asked[0]?.params as { requestedSchema?: unknown } | undefined)?.requestedSchema
}

test('a form contains its defaults, and a client that applies defaults sends them', async () => {
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
  expect(schemaOf(asked)).toEqual(DEFAULTS)
  await client.close()
})

test('a form contains every kind of choice', async () => {
  const { client, asked } = await connectAnswering({ elicit: () => accept(CHOSEN) })
  const result = await client.callTool({ name: 'test_elicitation_sep1330_enums' })
  expect(textOf(result)).toBe(
    'Elicitation completed: action=accept, content={"untitledSingle":"option1","titledSingle":"value1","legacyEnum":"opt1","untitledMulti":["option1","option2"],"titledMulti":["value1","value2"]}',
  )
  expect(schemaOf(asked)).toEqual(CHOICES)
  await client.close()
})

test.each(NOT_OFFERED)(
  'a modern client is asked again after the invalid choice %j',
  async (wrong) => {
    const answers = [accept({ ...CHOSEN, ...wrong }), accept(CHOSEN)]
    const { client, asked } = await connectAnswering({
      elicit: () => answers.shift() ?? { action: 'cancel' },
    })
    const result = await client.callTool({ name: 'test_elicitation_sep1330_enums' })
    expect(textOf(result)).toContain('"untitledSingle":"option1"')
    expect(asked).toHaveLength(2)
    await client.close()
  },
)

test('a modern client is asked again when a required field is missing', async () => {
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
