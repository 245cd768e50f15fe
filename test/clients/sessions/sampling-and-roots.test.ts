/** Sampling and roots in a session. */
import { describe, expect, test } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { textOf } from '../connect.ts'
import { connectSession, KINDS } from './connect-session.ts'

const CAPABILITIES = { sampling: { tools: {} }, roots: { listChanged: true } }

const messageOf = (content: object) => ({ role: 'assistant', model: 'test-model', content })

describe.each(KINDS)('the official client %s', (kind) => {
  const connect = () => connectSession(kind, { capabilities: CAPABILITIES })

  test('answers a sampling request, and the tool uses the answer', async () => {
    const { call, answer } = await connect()
    const asked = answer('sampling/createMessage', () => ({
      ...messageOf({ type: 'text', text: 'Paris' }),
      stopReason: 'endTurn',
    }))
    const prompt = 'What is the capital of France?'
    expect(textOf(await call('sample_once', { prompt }))).toBe('Paris')
    const messages = [{ role: 'user', content: { type: 'text', text: prompt } }]
    expect(asked).toEqual([{ messages, maxTokens: 100 }])
  })

  test('answers a sampling request with tool calls, and then with text', async () => {
    const { call, answer } = await connect()
    const asked = answer('sampling/createMessage', ({ messages }) => {
      const [block] = [messages.at(-1).content].flat()
      return block.type === 'tool_result'
        ? { ...messageOf({ type: 'text', text: 'Five and fifty.' }), stopReason: 'endTurn' }
        : {
            ...messageOf([
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

  test('rejects a sampling request, and the tool reports its message', async () => {
    const { call, answer } = await connect()
    answer('sampling/createMessage', () => {
      throw new Error('User rejected sampling request')
    })
    const result = await call('sample_once', { prompt: '?' })
    expect(result.isError).toBe(true)
    expect(textOf(result)).toContain('User rejected sampling request')
  })

  test.each([
    { tool: 'sample_once', capabilities: {}, method: 'sampling/createMessage' },
    { tool: 'sample_with_tools', capabilities: { sampling: {} }, method: 'sampling/createMessage' },
    { tool: 'list_roots', capabilities: { sampling: {} }, method: 'roots/list' },
    { tool: 'ask_url', capabilities: { elicitation: {} }, method: 'elicitation/create' },
  ])(
    'receives an error of $tool when its capabilities are $capabilities',
    async ({ tool, capabilities, method }) => {
      const { call } = await connectSession(kind, { capabilities })
      const result = await call(tool, { prompt: '?' })
      expect(result.isError).toBe(true)
      expect(textOf(result)).toBe(`The client cannot answer ${method}.`)
    },
  )

  test('answers roots requests, also after its roots changed', async () => {
    verifies('roots/list-changes-are-reported')
    const { client, call, answer } = await connect()
    let roots = [{ uri: 'file:///home/ada' }, { uri: 'file:///tmp', name: 'Scratch' }]
    const asked = answer('roots/list', () => ({ roots }))
    expect(textOf(await call('list_roots'))).toBe('file:///home/ada\nfile:///tmp')
    roots = [{ uri: 'file:///srv' }]
    await client.sendRootsListChanged()
    expect(textOf(await call('list_roots'))).toBe('file:///srv')
    roots = []
    await client.sendRootsListChanged()
    expect(textOf(await call('list_roots'))).toBe('')
    expect(asked).toHaveLength(3)
  })
})
