/** Sampling and roots in the modern era. */
import { expect, test } from 'vitest'
import { verifies } from '../support/verifies.ts'
import { type AskHandlers, connectAnswering } from './answering-client.ts'
import { textOf } from './connect.ts'

test('a tool uses the answer to its sampling request', async () => {
  const { client, asked } = await connectAnswering({
    sample: () => ({
      role: 'assistant',
      model: 'test-model',
      stopReason: 'endTurn',
      content: { type: 'text', text: 'Paris' },
    }),
  })
  const prompt = 'What is the capital of France?'
  expect(textOf(await client.callTool({ name: 'sample_once', arguments: { prompt } }))).toBe(
    'Paris',
  )
  expect(asked).toEqual([
    {
      method: 'sampling/createMessage',
      params: {
        messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
        maxTokens: 100,
      },
    },
  ])
  await client.close()
})

test('a tool uses a sampling answer of several blocks', async () => {
  const { client } = await connectAnswering({
    sample: () => ({
      role: 'assistant',
      model: 'test-model',
      content: [
        { type: 'text', text: 'one' },
        { type: 'image', data: 'AA==', mimeType: 'image/png' },
        { type: 'text', text: 'two' },
      ],
    }),
  })
  const call = { name: 'sample_once', arguments: { prompt: 'Count.' } }
  expect(textOf(await client.callTool(call))).toBe('one\ntwo')
  await client.close()
})

test('a tool runs the tool calls of a sampling answer and samples again', async () => {
  verifies('sampling/tool-uses-are-answered', 'sampling/tool-result-names-its-use')
  const sample: AskHandlers['sample'] = ({ messages }) => {
    const [block] = [messages.at(-1)?.content ?? []].flat()
    if (block?.type !== 'tool_result') {
      return {
        role: 'assistant',
        model: 'test-model',
        stopReason: 'toolUse',
        content: [
          { type: 'tool_use', id: 'call-1', name: 'add', input: { a: 2, b: 3 } },
          { type: 'tool_use', id: 'call-2', name: 'add', input: { a: 20, b: 30 } },
        ],
      }
    }
    return {
      role: 'assistant',
      model: 'test-model',
      stopReason: 'endTurn',
      content: { type: 'text', text: 'Five and fifty.' },
    }
  }
  const { client, asked } = await connectAnswering({ sample })
  const call = { name: 'sample_with_tools', arguments: { prompt: 'Add.' } }
  expect(textOf(await client.callTool(call))).toBe('Five and fifty.')
  expect(asked).toHaveLength(2)
  expect(asked[0]?.params).toMatchObject({
    tools: [{ name: 'add' }],
    toolChoice: { mode: 'auto' },
  })
  expect(asked[1]?.params).toMatchObject({
    messages: [
      { role: 'user', content: { type: 'text', text: 'Add.' } },
      { role: 'assistant', content: [{ id: 'call-1' }, { id: 'call-2' }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', toolUseId: 'call-1', content: [{ type: 'text', text: '5' }] },
          { type: 'tool_result', toolUseId: 'call-2', content: [{ type: 'text', text: '50' }] },
        ],
      },
    ],
  })
  await client.close()
})

test.each([
  {
    roots: [{ uri: 'file:///home/ada' }, { uri: 'file:///tmp', name: 'Scratch' }],
    text: 'file:///home/ada\nfile:///tmp',
  },
  { roots: [], text: '' },
])('a tool lists the roots "$text"', async ({ roots, text }) => {
  const { client, asked } = await connectAnswering({ roots: () => ({ roots }) })
  expect(textOf(await client.callTool({ name: 'list_roots' }))).toBe(text)
  expect(asked).toEqual([{ method: 'roots/list', params: {} }])
  await client.close()
})
