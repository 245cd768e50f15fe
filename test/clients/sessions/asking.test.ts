/** People who are asked in the middle of a call: the call waits, and its session goes on meanwhile. */
import { describe, expect, test } from 'vitest'
import { eventually } from './eventually.ts'
import { connectSession, KINDS, type Received, type SessionClient } from './session-client.ts'
import { messagesOf } from './wire.ts'

const CAPABILITIES = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }

const NAME_QUESTION = {
  mode: 'form',
  message: 'What is your name?',
  requestedSchema: {
    type: 'object',
    properties: { name: { type: 'string' } },
    required: ['name'],
  },
}

const accept = (content: object) => ({ action: 'accept', content })

const textOf = ({ content }: Received): string => content[0].text

const countOf = async ({ call }: SessionClient, name: string): Promise<number> =>
  (await call('read_count', { name })).structuredContent.value

describe.each(KINDS)('%s', (kind) => {
  const connect = () => connectSession(kind, { capabilities: CAPABILITIES })

  describe('a tool that asks', () => {
    const name = 'test_input_required_result_elicitation'

    test('goes on with what the person wrote', async () => {
      const { call, answer, errors } = await connect()
      const asked = answer('elicitation/create', () => accept({ name: 'Ada' }))
      expect(textOf(await call(name))).toBe('Hello, Ada!')
      expect(asked).toEqual([NAME_QUESTION])
      expect(errors).toEqual([])
    })

    test.each(['decline', 'cancel'])('is told of a %s', async (action) => {
      const { call, answer } = await connect()
      answer('elicitation/create', () => ({ action }))
      expect(textOf(await call(name))).toBe(`No name: ${action}`)
    })

    test.each([
      { content: {} },
      { content: { name: 7 } },
      { content: { name: ['Ada'] } },
      { content: undefined },
    ])('asks again after an answer that does not fit: $content', async ({ content }) => {
      const { call, answer } = await connect()
      const answers: object[] = [{ action: 'accept', content }, accept({ name: 'Ada' })]
      const asked = answer('elicitation/create', () => answers.shift() ?? { action: 'cancel' })
      expect(textOf(await call(name))).toBe('Hello, Ada!')
      expect(asked).toEqual([NAME_QUESTION, NAME_QUESTION])
    })

    test('is told in words of a client that fails to answer', async () => {
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

    test('is told in words of a client that has declared what it cannot do', async () => {
      const { call } = await connect()
      const result = await call(name)
      expect(result.isError).toBe(true)
      expect(textOf(result)).toBe('The client did not answer elicitation/create: Method not found.')
    })
  })

  test('a client that has declared nothing is not asked', async () => {
    const session = await connectSession(kind)
    const { call, wire } = session
    const result = await call('test_input_required_result_elicitation')
    expect(result.isError).toBe(true)
    expect(textOf(result)).toBe('The client cannot answer elicitation/create.')
    expect(textOf(await call('test_input_required_result_capabilities'))).toBe('Nobody to ask.')
    expect(messagesOf(wire).filter(({ method }) => method === 'elicitation/create')).toEqual([])
  })

  test('a tool asks twice, and knows the first answer when it asks again', async () => {
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
    'a tool asks two questions at once, and what is %s is answered last',
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

  test('a tool asks a person, a model and for the roots, all at once', async () => {
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

  test('a prompt asks', async () => {
    const { client, answer } = await connect()
    const asked = answer('elicitation/create', () => accept({ context: 'tests' }))
    const { messages } = await client.getPrompt({ name: 'test_input_required_result_prompt' })
    const content = { type: 'text', text: 'Use this context: tests' }
    expect(messages).toEqual([{ role: 'user', content }])
    expect(asked).toHaveLength(1)
  })

  test('a resource asks, and is not there for who declines', async () => {
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
    'a person who is sent to an address may %s',
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

  describe('while a person thinks', () => {
    test('the session serves other calls', async () => {
      const { client, call, answer } = await connect()
      const thinking = Promise.withResolvers<object>()
      const asked = answer('elicitation/create', () => thinking.promise)
      const waiting = call('test_input_required_result_elicitation')
      await eventually(() => asked.length).toBe(1)
      expect(textOf(await call('echo', { text: 'meanwhile' }))).toBe('meanwhile')
      expect(await client.ping()).toEqual({})
      thinking.resolve(accept({ name: 'Ada' }))
      expect(textOf(await waiting)).toBe('Hello, Ada!')
    })

    test('nothing after the question happens, and before it everything once', async () => {
      const session = await connect()
      const { call, answer } = session
      const name = `session-steps-${crypto.randomUUID()}`
      const thinking = Promise.withResolvers<object>()
      const asked = answer('elicitation/create', () => thinking.promise)
      const waiting = call('ask_count', { name }, { onprogress: () => undefined })
      await eventually(() => asked.length).toBe(1)
      expect(await countOf(session, `${name}-first`)).toBe(1)
      expect(await countOf(session, `${name}-second`)).toBe(0)
      const reported = () =>
        messagesOf(session.wire)
          .filter(({ method }) => method === 'notifications/progress')
          .map(({ params }) => params.progress)
      expect(reported()).toEqual([1])
      thinking.resolve(accept({ ok: true }))
      expect((await waiting).structuredContent).toEqual({ action: 'accept', ok: true })
      expect(await countOf(session, `${name}-first`)).toBe(1)
      expect(await countOf(session, `${name}-second`)).toBe(1)
      expect(reported()).toEqual([1, 3])
    })

    test('another session is asked the same, and each goes on with its own answer', async () => {
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
