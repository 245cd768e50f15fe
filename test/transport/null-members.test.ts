/** Members that clients send as null for what is not set: they count as absent in every revision. */
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { connect } from '../../packages/testing/src/index.ts'
import { completable } from '../../src/index.ts'
import { createFullEdgeway } from '../support/full-app.ts'
import { FullServer } from '../support/full-server.ts'

const server = new FullServer({ name: 'nulls', version: '1.0.0' })
server.registerTool('tool', {}, () => 'called')
server.registerPrompt(
  'prompt',
  {
    argsSchema: {
      a: completable(z.string(), (_, { arguments: given }) => [JSON.stringify(given ?? {})]),
      b: z.string().optional(),
    },
  },
  (given) => JSON.stringify(given),
)

const app = createFullEdgeway(server)

const ROWS: readonly (readonly [string, string, unknown, RegExp])[] = [
  ['params', 'tools/list', null, /"name":"tool"/],
  ['a cursor', 'tools/list', { cursor: null }, /"name":"tool"/],
  ['arguments', 'tools/call', { name: 'tool', arguments: null }, /called/],
  ['a task', 'tools/call', { name: 'tool', task: null }, /called/],
  ['a progress token', 'tools/call', { name: 'tool', _meta: { progressToken: null } }, /called/],
  [
    'an argument of a prompt',
    'prompts/get',
    { name: 'prompt', arguments: { a: 'x', b: null } },
    /\{\\"a\\":\\"x\\"\}/,
  ],
  [
    'a context',
    'completion/complete',
    {
      ref: { type: 'ref/prompt', name: 'prompt' },
      argument: { name: 'a', value: '' },
      context: null,
    },
    /values/,
  ],
  [
    'an argument of a context',
    'completion/complete',
    {
      ref: { type: 'ref/prompt', name: 'prompt' },
      argument: { name: 'a', value: '' },
      context: { arguments: { b: null } },
    },
    /values/,
  ],
]

describe.concurrent.for([
  '2026-07-28',
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
] as const)('in %s', (revision) => {
  // A modern request has `_meta` in its params.
  const rows = revision === '2026-07-28' ? ROWS.slice(1) : ROWS
  it.for(rows)('%s that is null counts as absent', async ([, method, params, expected]) => {
    const client = await connect(app as never, { revision } as never)
    const result = await client.request(method, params as never)
    expect(JSON.stringify(result)).toMatch(expected)
  })
})
