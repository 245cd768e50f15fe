/**
 * Durable tasks: `work` has one step or several, `wait` waits for an event. A request names its principal
 * as its credentials.
 */
import * as z from 'zod'
import { verifier } from '../../../../src/auth/index.ts'
import { tasks } from '../../../../src/features/tasks/index.ts'
import { createEdgeway, createServer } from '../../../../src/index.ts'
import { SERVER_INFO } from '../tools/lane-tool.ts'

/** More than any measurement creates. */
const MANY = 1_000_000

const inputSchema = { steps: z.int().min(1).default(1), sleeps: z.int().min(0).default(0) }

const server = createServer({ ...SERVER_INFO, uses: [tasks({ perPrincipal: MANY })] })
  .registerTool('work', { inputSchema, task: 'required' }, async ({ steps, sleeps }, ctx) => {
    for (let step = 0; step < steps; step++) await ctx.step(`step-${step}`, () => step)
    for (let nap = 0; nap < sleeps; nap++) await ctx.sleep(`nap-${nap}`, 1)
    return 'done'
  })
  .registerTool('wait', { task: 'required' }, async (ctx) =>
    JSON.stringify(await ctx.waitFor('event')),
  )

export const edgeway = createEdgeway(server, {
  auth: verifier((request) => ({ subject: request.headers.get('authorization') ?? '' })),
})

export default edgeway
export class McpObjects extends edgeway.Objects {}
