/** Elicitation forms in a session: defaults, choices, required fields. */
import { describe, expect, test } from 'vitest'
import { accept } from '../../support/accept.ts'
import { CHOICES, CHOSEN, DEFAULTS, NOT_OFFERED } from '../forms.ts'
import type { Received } from './client-interface.ts'
import { connectSession, KINDS } from './connect-session.ts'

/** The content that the tool reports as received. */
function contentOf({ content }: Received): unknown {
  const [, json = ''] = /: action=accept, content=(.+)$/.exec(content[0].text) ?? []
  return JSON.parse(json)
}

describe.each(KINDS)('the official client %s', (kind) => {
  const connect = (form: object = {}) =>
    connectSession(kind, { capabilities: { elicitation: { form } } })

  test('receives the defaults of a form, and sends them when it applies defaults', async () => {
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

  test('may omit fields that have a default', async () => {
    const { call, answer } = await connect()
    answer('elicitation/create', () => accept({}))
    expect(contentOf(await call('test_elicitation_sep1034_defaults'))).toEqual({})
  })

  test('receives every kind of choice in a form', async () => {
    const { call, answer } = await connect()
    const asked = answer('elicitation/create', () => accept(CHOSEN))
    expect(contentOf(await call('test_elicitation_sep1330_enums'))).toEqual(CHOSEN)
    expect(asked[0]?.requestedSchema).toEqual(CHOICES)
  })

  test.each(NOT_OFFERED)('is asked again after the invalid choice %j', async (wrong) => {
    const { call, answer } = await connect()
    const answers = [accept({ ...CHOSEN, ...wrong }), accept(CHOSEN)]
    const asked = answer('elicitation/create', () => answers.shift() ?? { action: 'cancel' })
    expect(contentOf(await call('test_elicitation_sep1330_enums'))).toEqual(CHOSEN)
    expect(asked).toHaveLength(2)
  })

  test('is asked again when a required field is missing', async () => {
    const { call, answer } = await connect()
    const filled = { username: 'ada', email: 'ada@example.com' }
    const answers = [accept({ username: 'ada' }), accept(filled)]
    const asked = answer('elicitation/create', () => answers.shift() ?? { action: 'cancel' })
    expect(contentOf(await call('test_elicitation', { message: 'Who are you?' }))).toEqual(filled)
    const again = expect.stringMatching(/^Who are you\?\n\nThe answer did not fit:\n.*email/)
    expect(asked.map(({ message }) => message)).toEqual(['Who are you?', again])
  })
})
