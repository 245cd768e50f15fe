/** A server with authorization, code, search and tasks, whose tools need scopes, are concealed, ask and wait. */
// features: sessions, tasks, changes, code, search
import * as z from 'zod'
import { changes } from '../../../../../src/features/changes/index.ts'
import { sessions } from '../../../../../src/features/sessions/index.ts'
import { tasks } from '../../../../../src/features/tasks/index.ts'
import { createEdgeway } from '../../../../../src/index.ts'
import { FullServer } from '../../../../../test/support/full-server.ts'
import { trusting } from '../../../../../test/support/trusting.ts'
import { code } from '../../../src/code/index.ts'
import { search } from '../../../src/search/index.ts'

/** Subjects that do not see `concealed`, with any token. */
export const hiddenFrom = new Set<string>()

/** `hold` waits until the test adds its gate. */
export const openGates = new Set<string>()

function createServer(): FullServer {
  const server = new FullServer({ name: 'scoped', version: '1.0.0' })
  server.registerTool('scoped', { scopes: ['write'] }, () => 'the result of scoped')
  server.registerTool(
    'concealed',
    {
      visible: (auth) => auth?.scopes.includes('secret') === true && !hiddenFrom.has(auth.subject),
    },
    () => 'the result of concealed',
  )
  server.registerTool('ask', {}, async (ctx) => {
    const { action } = await ctx.elicit({ key: 'k', message: 'Sure?', schema: z.object({}) })
    return action
  })
  server.registerTool('hold', { inputSchema: { gate: z.string() } }, async ({ gate }) => {
    // A promise that another request resolves would be of another Durable Object.
    while (!openGates.has(gate)) await new Promise((resolve) => setTimeout(resolve, 20))
    return 'open'
  })
  // `call_tool` has tasks where one of the tools has.
  server.registerTool('slow', { task: 'optional' }, () => 'slow')
  return server
}

export const scopedApp = createEdgeway(createServer(), {
  auth: trusting('https://scoped.example.com'),
  features: [sessions(), tasks(), changes(), code(), search()],
})
