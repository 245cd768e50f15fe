/** A server whose tools note that they were called. */
// features: code, rate-limits, tasks

import * as z from 'zod'
import { rateLimits } from '../../../../../src/features/rate-limits/index.ts'
import { tasks } from '../../../../../src/features/tasks/index.ts'
import { createEdgeway, jsonSchema, McpServer } from '../../../../../src/index.ts'
import { code } from '../../../src/code/index.ts'

/** The tools that were called, in this order. */
export const calledTools: string[] = []

const server = new McpServer({ name: 'attacked', version: '1.0.0' })
const anything = jsonSchema<Record<string, unknown>>({ type: 'object' })
server.registerTool(
  'add',
  { inputSchema: { a: z.number(), b: z.number() } },
  ({ a, b }) => `${a + b}`,
)
server.registerTool('echo', { inputSchema: anything, outputSchema: anything }, (args) => {
  calledTools.push('echo')
  return args
})
server.registerTool('fail', {}, () => {
  calledTools.push('fail')
  throw new Error('secret')
})
for (const name of ['hidden', 'left_out', 'long', 'limited'] as const) {
  server.registerTool(
    name,
    {
      ...(name === 'hidden' && { visible: () => false }),
      ...(name === 'long' && { task: 'required' as const }),
      ...(name === 'limited' && { limitClass: 'few' }),
    },
    () => {
      calledTools.push(name)
      return name
    },
  )
}

export const attackedApp = createEdgeway(server, {
  features: [
    code({ maxCalls: 20, tools: ({ name }) => name !== 'left_out' }),
    tasks(),
    rateLimits({ classes: { few: { limit: 2, periodSeconds: 60 } } }),
  ],
})
