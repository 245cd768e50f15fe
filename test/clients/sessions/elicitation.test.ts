/** Elicitation in a session: the call waits for its answer while the session serves other requests. */
import { describe, expect, test } from 'vitest'
import { accept } from '../../support/accept.ts'
import { textOf } from '../connect.ts'
import { NAME_FORM } from '../forms.ts'
import { connectSession, KINDS } from './connect-session.ts'
import { eventually } from './eventually.ts'
import { readCount } from './read-count.ts'
import { messagesOf, progressOf } from './wire.ts'

const CAPABILITIES = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }

describe.each(KINDS)('the official client %s', (kind) => {
  const connect = () => connectSession(kind, { capabilities: CAPABILITIES })

  describe('when it calls a tool that asks', () => {
    const name = 'test_input_required_result_elicitation'

    test('receives a result with the content of its answer', async () => {
      const { call, answer, errors } = await connect()
      const asked = answer('elicitation/create', () => accept({ name: 'Ada' }))
      expect(textOf(await call(name))).toBe('Hello, Ada!')
      expect(asked).toEqual([NAME_FORM])
      expect(errors).toEqual([])
    })

    test.each(['decline', 'cancel'])('receives a result with the action %s', async (action) => {
      const { call, answer } = await connect()
      answer('elicitation/create', () => ({ action }))
      expect(textOf(await call(name))).toBe(`No name: ${action}`)
    })

    test.each([
      { content: {} },
      { content: { name: 7 } },
      { content: { name: ['Ada'] } },
      { content: undefined },
    ])('is asked again after the invalid content $content', async ({ content }) => {
      const { call, answer } = await connect()
      const answers: object[] = [{ action: 'accept', content }, accept({ name: 'Ada' })]
      const asked = answer('elicitation/create', () => answers.shift() ?? { action: 'cancel' })
      expect(textOf(await call(name))).toBe('Hello, Ada!')
      const message = expect.stringMatching(/^What is your name\?\n\nThe answer did not fit:\n./)
      expect(asked).toEqual([NAME_FORM, { ...NAME_FORM, message }])
    })

    test('receives an error with its own message when it fails to answer', async () => {
      const { call, answer } = await connect()
      answer('elicitation/create', () => {
        throw new Error('The screen is broken')
      })
      const result = await call(name)
      expect(result.isError).toBe(true)
      expect(textOf(result)).toMatch(
        /^The client did not answer elicitation\/create: .*The screen is broken\.$/,
      )
    })

    test('receives an error when it declared the capability without a handler', async () => {
      const { call } = await connect()
      const result = await call(name)
      expect(result.isError).toBe(true)
      expect(textOf(result)).toBe('The client did not answer elicitation/create: Method not found.')
    })
  })

  test('receives no server request when it declared no capability', async () => {
    const session = await connectSession(kind)
    const { call, wire } = session
    const result = await call('test_input_required_result_elicitation')
    expect(result.isError).toBe(true)
    expect(textOf(result)).toBe('The client cannot answer elicitation/create.')
    expect(textOf(await call('test_input_required_result_capabilities'))).toBe('Nobody to ask.')
    expect(messagesOf(wire).filter(({ method }) => method === 'elicitation/create')).toEqual([])
  })

  test('calls a tool that uses the first answer in its second ask', async () => {
    const { call, answer } = await connect()
    const answers = [accept({ name: 'Ada' }), accept({ color: 'blue' })]
    const asked = answer('elicitation/create', () => answers.shift() ?? { action: 'cancel' })
    expect(textOf(await call('ask_two'))).toBe('Ada likes blue')
    expect(asked.map(({ message }) => message)).toEqual([
      'What is your name?',
      'Which color do you like, Ada?',
    ])
  })

  test.each(['left', 'right'])(
    'answers two concurrent asks of one tool, and the %s one last',
    async (last) => {
      const { call, answer } = await connect()
      const otherAnswered = Promise.withResolvers<void>()
      const answered: string[] = []
      const asked = answer('elicitation/create', async ({ message }) => {
        const side = message.includes('left') ? 'left' : 'right'
        if (side === last) await otherAnswered.promise
        else otherAnswered.resolve()
        answered.push(side)
        return accept({ [side]: `on the ${side}` })
      })
      expect(textOf(await call('ask_together'))).toBe('on the left on the right')
      expect(asked).toHaveLength(2)
      expect(answered.at(-1)).toBe(last)
    },
  )

  test('answers an elicitation, a sampling request and a roots request of one tool concurrently', async () => {
    const { call, answer } = await connect()
    answer('elicitation/create', () => accept({ name: 'Ada' }))
    answer('sampling/createMessage', () => ({
      role: 'assistant',
      model: 'm',
      content: { type: 'text', text: 'Hello!' },
    }))
    answer('roots/list', () => ({ roots: [{ uri: 'file:///home' }] }))
    const result = await call('test_input_required_result_multiple_inputs')
    expect(textOf(result)).toBe('action=accept, content={"name":"Ada"}; Hello!; file:///home')
  })

  test('answers the ask of a prompt', async () => {
    const { client, answer } = await connect()
    const asked = answer('elicitation/create', () => accept({ context: 'tests' }))
    const { messages } = await client.getPrompt({ name: 'test_input_required_result_prompt' })
    const content = { type: 'text', text: 'Use this context: tests' }
    expect(messages).toEqual([{ role: 'user', content }])
    expect(asked).toHaveLength(1)
  })

  test('answers the ask of a resource, which is not found after a decline', async () => {
    const { client, answer } = await connect()
    const answers = [accept({ text: 'I like it' }), { action: 'decline' }]
    const asked = answer('elicitation/create', () => answers.shift() ?? { action: 'cancel' })
    const uri = 'probe://asked/rain'
    const { contents } = await client.readResource({ uri })
    expect(contents).toEqual([{ uri, mimeType: 'text/plain', text: 'rain: I like it' }])
    expect(asked).toMatchObject([{ message: 'What do you say on rain?' }])
    await expect(client.readResource({ uri })).rejects.toThrow('Resource not found')
  })

  test.each(['accept', 'decline', 'cancel'])(
    'answers a URL elicitation with %s',
    async (action) => {
      const { call, answer } = await connect()
      const asked = answer('elicitation/create', () => ({ action }))
      expect(textOf(await call('ask_url'))).toBe(action)
      expect(asked).toEqual([
        {
          mode: 'url',
          message: 'Please fill in the form.',
          url: 'https://example.com/form',
          elicitationId: expect.stringMatching(/^[\x21-\x7e]{1,256}$/),
        },
      ])
    },
  )

  describe('while an ask is open', () => {
    test('can call other tools in its session', async () => {
      const { client, call, answer } = await connect()
      const pending = Promise.withResolvers<object>()
      const asked = answer('elicitation/create', () => pending.promise)
      const waiting = call('test_input_required_result_elicitation')
      await eventually(() => asked.length).toBe(1)
      expect(textOf(await call('echo', { text: 'meanwhile' }))).toBe('meanwhile')
      expect(await client.ping()).toEqual({})
      pending.resolve(accept({ name: 'Ada' }))
      expect(textOf(await waiting)).toBe('Hello, Ada!')
    })

    test('sees steps before the ask run once and steps after it not at all', async () => {
      const session = await connect()
      const { call, answer } = session
      const name = `session-steps-${crypto.randomUUID()}`
      const pending = Promise.withResolvers<object>()
      const asked = answer('elicitation/create', () => pending.promise)
      const waiting = call('ask_count', { name }, { onprogress: () => undefined })
      await eventually(() => asked.length).toBe(1)
      expect(await readCount(session, `${name}-first`)).toBe(1)
      expect(await readCount(session, `${name}-second`)).toBe(0)
      expect(progressOf(session.wire)).toEqual([1])
      pending.resolve(accept({ ok: true }))
      expect((await waiting).structuredContent).toEqual({ action: 'accept', ok: true })
      expect(await readCount(session, `${name}-first`)).toBe(1)
      expect(await readCount(session, `${name}-second`)).toBe(1)
      expect(progressOf(session.wire)).toEqual([1, 3])
    })

    test('continues with its own answer when another session has the same ask', async () => {
      const [one, other] = [await connect(), await connect()]
      const both = Promise.withResolvers<void>()
      let open = 0
      const answerWith = (name: string) => async () => {
        if (++open === 2) both.resolve()
        await both.promise
        return accept({ name })
      }
      one.answer('elicitation/create', answerWith('Ada'))
      other.answer('elicitation/create', answerWith('Grace'))
      const calls = [one, other].map(({ call }) => call('test_input_required_result_elicitation'))
      expect((await Promise.all(calls)).map(textOf)).toEqual(['Hello, Ada!', 'Hello, Grace!'])
    })
  })
})
