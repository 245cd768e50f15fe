/** Elicitation, sampling and roots: within the call of a session, and in the rounds of a modern call. */
import { MissingRequiredClientCapabilityError } from '@modelcontextprotocol/client'
import { describe, expect, test } from 'vitest'
import { accept } from '../support/accept.ts'
import { verifies } from '../support/verifies.ts'
import { textOf } from './client-interface.ts'
import { connectClient, KINDS, SESSION_KINDS } from './connect-client.ts'
import { eventually } from './eventually.ts'
import { CHOICES, CHOSEN, DEFAULTS, NAME_FORM } from './forms.ts'
import { readCount } from './read-count.ts'
import { openClient } from './v2-client.ts'
import { messagesOf, progressOf } from './wire.ts'

const CAPABILITIES = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {} },
  roots: { listChanged: true },
}

const ASKS_NAME = 'test_input_required_result_elicitation'

const sampled = (content: object) => ({ role: 'assistant', model: 'test-model', content })

/** Answers with each of these in turn. */
function inTurn(...answers: object[]): () => object {
  return () => answers.shift() ?? { action: 'cancel' }
}

/** The content that the tools of the forms report. */
function contentOf(result: Parameters<typeof textOf>[0]): unknown {
  const [, json = ''] = /: action=accept, content=(.+)$/.exec(textOf(result)) ?? []
  return JSON.parse(json)
}

describe.each(KINDS)('the official client %s', (kind) => {
  const connect = (capabilities: object = CAPABILITIES) => connectClient(kind, { capabilities })

  test('answers a form, and the tool continues with the content', async () => {
    const { call, answer, errors } = await connect()
    const asked = answer('elicitation/create', () => accept({ name: 'Ada' }))
    expect(textOf(await call(ASKS_NAME))).toBe('Hello, Ada!')
    expect(asked).toEqual([NAME_FORM])
    expect(errors).toEqual([])
  })

  test.each(['decline', 'cancel'])('answers a form with the action %s', async (action) => {
    const { call, answer } = await connect()
    answer('elicitation/create', () => ({ action }))
    expect(textOf(await call(ASKS_NAME))).toBe(`No name: ${action}`)
  })

  test('is asked again, with the reason, after content that does not fit', async () => {
    const { call, answer } = await connect()
    const asked = answer('elicitation/create', inTurn(accept({ name: 7 }), accept({ name: 'Ada' })))
    expect(textOf(await call(ASKS_NAME))).toBe('Hello, Ada!')
    const message = expect.stringMatching(/^What is your name\?\n\nThe answer did not fit:\n./)
    expect(asked).toEqual([NAME_FORM, { ...NAME_FORM, message }])
  })

  test('receives the defaults of a form, and sends them when it applies defaults', async () => {
    const { call, answer } = await connect({ elicitation: { form: { applyDefaults: true } } })
    const asked = answer('elicitation/create', () => accept({ age: 41 }))
    expect(contentOf(await call('test_elicitation_sep1034_defaults'))).toEqual({
      name: 'John Doe',
      age: 41,
      score: 95.5,
      status: 'active',
      verified: true,
    })
    expect(asked[0]?.requestedSchema).toEqual(DEFAULTS)
  })

  test('receives every kind of choice in a form', async () => {
    const { call, answer } = await connect()
    const asked = answer('elicitation/create', () => accept(CHOSEN))
    expect(contentOf(await call('test_elicitation_sep1330_enums'))).toEqual(CHOSEN)
    expect(asked[0]?.requestedSchema).toEqual(CHOICES)
  })

  test('answers a URL elicitation', async () => {
    const { call, answer } = await connect()
    const asked = answer('elicitation/create', () => ({ action: 'accept' }))
    expect(textOf(await call('ask_url'))).toBe('accept')
    expect(asked).toMatchObject([
      { mode: 'url', message: 'Please fill in the form.', url: 'https://example.com/form' },
    ])
    const hasId = expect.stringMatching(/^[\x21-\x7e]{1,256}$/)
    expect(asked[0]?.elicitationId).toEqual(kind === 'v2, modern' ? undefined : hasId)
  })

  test('answers two asks of a tool in sequence', async () => {
    const { call, answer } = await connect()
    const answers = inTurn(accept({ name: 'Ada' }), accept({ color: 'blue' }))
    const asked = answer('elicitation/create', answers)
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
      const asked = answer('elicitation/create', async ({ message }) => {
        const side = message.includes('left') ? 'left' : 'right'
        if (side === last) await otherAnswered.promise
        else otherAnswered.resolve()
        return accept({ [side]: `on the ${side}` })
      })
      expect(textOf(await call('ask_together'))).toBe('on the left on the right')
      expect(asked).toHaveLength(2)
    },
  )

  test('answers an elicitation, a sampling request and a roots request of one tool', async () => {
    const { call, answer } = await connect()
    answer('elicitation/create', () => accept({ name: 'Ada' }))
    answer('sampling/createMessage', () => sampled({ type: 'text', text: 'Hello!' }))
    answer('roots/list', () => ({ roots: [{ uri: 'file:///home' }] }))
    const result = await call('test_input_required_result_multiple_inputs')
    expect(textOf(result)).toBe('action=accept, content={"name":"Ada"}; Hello!; file:///home')
  })

  test('answers the ask of a prompt, and that of a resource', async () => {
    const { client, answer } = await connect()
    const answers = inTurn(accept({ context: 'tests' }), accept({ text: 'I like it' }))
    const asked = answer('elicitation/create', answers)
    const { messages } = await client.getPrompt({ name: 'test_input_required_result_prompt' })
    const content = { type: 'text', text: 'Use this context: tests' }
    expect(messages).toEqual([{ role: 'user', content }])
    const uri = 'probe://asked/rain'
    const { contents } = await client.readResource({ uri })
    expect(contents).toEqual([{ uri, mimeType: 'text/plain', text: 'rain: I like it' }])
    expect(asked).toHaveLength(2)
  })

  test('sees each step and each progress of a tool that asks once', async () => {
    const session = await connect()
    const { call, answer } = session
    const name = `steps-${crypto.randomUUID()}`
    const pending = Promise.withResolvers<object>()
    const answers = inTurn(accept({}), accept({ ok: true }))
    const asked = answer('elicitation/create', async () => {
      await pending.promise
      return answers()
    })
    const waiting = call('ask_count', { name }, { onprogress: () => undefined })
    await eventually(() => asked.length).toBe(1)
    expect(await readCount(session, `${name}-first`)).toBe(1)
    expect(await readCount(session, `${name}-second`)).toBe(0)
    pending.resolve({})
    expect((await waiting).structuredContent).toEqual({ action: 'accept', ok: true })
    expect(asked).toHaveLength(2)
    expect(await readCount(session, `${name}-first`)).toBe(1)
    expect(await readCount(session, `${name}-second`)).toBe(1)
    expect(progressOf(session.wire)).toEqual([1, 3])
  })

  test('answers a sampling request with tool calls, and then with text', async () => {
    verifies('sampling/tool-uses-are-answered', 'sampling/tool-result-names-its-use')
    const { call, answer } = await connect()
    const asked = answer('sampling/createMessage', ({ messages }) => {
      const [block] = [messages.at(-1).content].flat()
      return block.type === 'tool_result'
        ? { ...sampled({ type: 'text', text: 'Five and fifty.' }), stopReason: 'endTurn' }
        : {
            ...sampled([
              { type: 'tool_use', id: 'call-1', name: 'add', input: { a: 2, b: 3 } },
              { type: 'tool_use', id: 'call-2', name: 'add', input: { a: 20, b: 30 } },
            ]),
            stopReason: 'toolUse',
          }
    })
    expect(textOf(await call('sample_with_tools', { prompt: 'Add.' }))).toBe('Five and fifty.')
    expect(asked).toHaveLength(2)
    expect(asked[0]).toMatchObject({ tools: [{ name: 'add' }], toolChoice: { mode: 'auto' } })
    expect(asked[1].messages).toMatchObject([
      { role: 'user', content: { type: 'text', text: 'Add.' } },
      { role: 'assistant', content: [{ id: 'call-1' }, { id: 'call-2' }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', toolUseId: 'call-1', content: [{ type: 'text', text: '5' }] },
          { type: 'tool_result', toolUseId: 'call-2', content: [{ type: 'text', text: '50' }] },
        ],
      },
    ])
  })

  test('answers roots requests, also after its roots changed', async () => {
    verifies('roots/list-changes-are-reported')
    const { client, call, answer } = await connect()
    let roots = [{ uri: 'file:///home/ada' }, { uri: 'file:///tmp', name: 'Scratch' }]
    const asked = answer('roots/list', () => ({ roots }))
    expect(textOf(await call('list_roots'))).toBe('file:///home/ada\nfile:///tmp')
    roots = []
    // A modern client is asked for its roots in each call, and reports no change of them.
    if (kind !== 'v2, modern') await client.sendRootsListChanged()
    expect(textOf(await call('list_roots'))).toBe('')
    expect(asked).toHaveLength(2)
  })

  test('receives no server request when it declared no capability', async () => {
    const { call, wire } = await connect({})
    expect(textOf(await call('test_input_required_result_capabilities'))).toBe('Nobody to ask.')
    const refused = call('sample_once', { prompt: '?' })
    if (kind === 'v2, modern') {
      await expect(refused).rejects.toMatchObject({ code: -32021 })
      await expect(refused).rejects.toBeInstanceOf(MissingRequiredClientCapabilityError)
    } else {
      expect(textOf(await refused)).toBe(
        'The client cannot answer sampling/createMessage: it has not declared sampling. Clients that declare it: VS Code and Copilot CLI. Do not call it again from this client: tell the person.',
      )
    }
    const asks = messagesOf(wire).filter(({ id, method }) => id !== undefined && method)
    expect(asks).toEqual([])
  })
})

describe.each(SESSION_KINDS)('the official client %s', (kind) => {
  const connect = () => connectClient(kind, { capabilities: CAPABILITIES })

  test('rejects a server request, and the tool reports its message', async () => {
    const { call, answer } = await connect()
    answer('sampling/createMessage', () => {
      throw new Error('User rejected sampling request')
    })
    const result = await call('sample_once', { prompt: '?' })
    expect(result.isError).toBe(true)
    expect(textOf(result)).toContain('User rejected sampling request')
    expect(textOf(await call(ASKS_NAME))).toBe(
      'The client did not answer elicitation/create: Method not found.',
    )
  })

  test('can call other tools in its session while an ask is open', async () => {
    const { client, call, answer } = await connect()
    const pending = Promise.withResolvers<object>()
    const asked = answer('elicitation/create', () => pending.promise)
    const waiting = call(ASKS_NAME)
    await eventually(() => asked.length).toBe(1)
    expect(textOf(await call('echo', { text: 'meanwhile' }))).toBe('meanwhile')
    expect(await client.ping()).toEqual({})
    pending.resolve(accept({ name: 'Ada' }))
    expect(textOf(await waiting)).toBe('Hello, Ada!')
  })
})

test('a modern client receives the asks that it can answer', async () => {
  const client = await openClient('v2, modern', { capabilities: { elicitation: {}, roots: {} } })
  const asked: string[] = []
  client.setRequestHandler('elicitation/create', ({ method }) => {
    asked.push(method)
    return accept({ name: 'Ada' })
  })
  client.setRequestHandler('roots/list', ({ method }) => {
    asked.push(method)
    return { roots: [] }
  })
  await client.callTool({ name: 'test_input_required_result_capabilities' })
  expect(asked.sort()).toEqual(['elicitation/create', 'roots/list'])
})
