/** Planted faults of tools and results, of an open server. */
import { onResult } from '../defects.ts'
import { type Defect, TOOL } from '../reference-server.ts'
import { both, type Planted } from './planted.ts'

const tool = (change: object): Defect =>
  onResult('tools/list', (result) => ({ ...result, tools: [{ ...TOOL, ...change }] }))

const structured = (value: unknown): Defect =>
  onResult('tools/call', (result) => ({
    ...result,
    content: [{ type: 'text', text: JSON.stringify(value) }],
    structuredContent: value,
  }))

const output = (outputSchema: object): Defect => both(tool({ outputSchema }), structured({ a: 1 }))

const OBJECT = { type: 'object', properties: { a: { type: 'number' } } }

export const TOOLS: readonly Planted[] = [
  {
    when: 'an inputSchema has 17,000 bytes',
    fault: 'tool-schema-too-large',
    defect: tool({
      inputSchema: { type: 'object', properties: { a: { description: 'x'.repeat(17_000) } } },
    }),
  },
  {
    when: 'an inputSchema has oneOf at its root',
    fault: 'tool-schema-composed',
    defect: tool({ inputSchema: { type: 'object', oneOf: [OBJECT, {}] } }),
  },
  {
    when: 'an outputSchema has anyOf at its root',
    fault: 'tool-output-not-object',
    defect: output({ anyOf: [OBJECT, { type: 'object' }] }),
  },
  {
    when: 'an outputSchema has oneOf at its root',
    fault: 'tool-output-not-object',
    defect: output({ oneOf: [OBJECT, { type: 'string' }] }),
  },
  {
    when: 'an outputSchema has anyOf beside "type": "object"',
    fault: 'tool-output-composed',
    defect: output({ type: 'object', anyOf: [OBJECT, {}] }),
  },
  {
    when: 'the root of an outputSchema is an array',
    fault: 'tool-output-not-object',
    defect: output({ type: 'array' }),
  },
  {
    when: 'the root of an outputSchema has several types',
    fault: 'tool-output-not-object',
    defect: output({ type: ['object', 'null'] }),
  },
  {
    when: 'an outputSchema is empty',
    fault: 'tool-output-not-object',
    defect: output({}),
  },
  {
    when: 'structuredContent is not repeated as text',
    fault: 'structured-without-text',
    defect: both(
      tool({ outputSchema: OBJECT }),
      onResult('tools/call', (result) => ({
        ...result,
        content: [],
        structuredContent: { a: 1 },
      })),
    ),
  },
  {
    when: 'a result has 160,000 characters',
    fault: 'result-too-long',
    defect: onResult('tools/call', (result) => ({
      ...result,
      content: [{ type: 'text', text: 'x'.repeat(160_000) }],
    })),
  },
  {
    when: 'two lists have another order',
    fault: 'list-order-changes',
    defect: (() => {
      let lists = 0
      const tools = ['a', 'b'].map((name) => ({ ...TOOL, name }))
      return onResult('tools/list', (result) => {
        lists += 1
        return { ...result, tools: lists % 2 === 1 ? tools : tools.toReversed() }
      })
    })(),
  },
  {
    when: 'the name of a tool has 70 characters',
    fault: 'tool-name-too-long',
    defect: tool({ name: 'n'.repeat(70) }),
  },
  {
    when: 'the name of a tool has a dot',
    fault: 'tool-name-characters',
    defect: tool({ name: 'say.hello' }),
  },
]
