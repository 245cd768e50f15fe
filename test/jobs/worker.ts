/** The Worker of the tests of the examples with jobs, and of Workflows. It exports what the bindings name. */
import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from 'cloudflare:workers'
import transcriber from '../../examples/external-job/worker.ts'
import { edgeway as pages } from '../../examples/workflow/worker.ts'
import { objectsOf, ToolError } from '../../src/index.ts'
import { edgeway as workflows } from './workflows-server.ts'

export { Publication } from '../../examples/workflow/worker.ts'

export class McpObjects extends objectsOf(transcriber, pages, workflows) {}

type Order = { readonly how: 'return' | 'throw' | 'refuse' | 'wait' }

/** How often instances have begun. */
export const begun: string[] = []

export class Scripted extends WorkflowEntrypoint<unknown, Order> {
  override async run({ payload, instanceId }: WorkflowEvent<Order>, step: WorkflowStep) {
    begun.push(instanceId)
    const value = await step.do('first', async () => payload.how)
    if (value === 'throw') throw new Error('password=hunter2')
    if (value === 'refuse') throw new ToolError('The order cannot be served.')
    if (value === 'return') return { value }
    const event = await step.waitForEvent<{ ok: boolean }>('wait', { type: 'go', timeout: '1 day' })
    return { value: JSON.stringify(event.payload) }
  }
}

export default { fetch: () => new Response(null, { status: 404 }) }
