/** The tools of the example: one that reads, and one that acts at both services. */
import * as z from 'zod'
import { type ContextOf, ToolError } from '../../src/index.ts'
import { chat, tracker } from './services.ts'
import type { server } from './worker.ts'

const ISSUES = z.object({ issues: z.array(z.string()) })

async function readIssues(ctx: ContextOf<typeof server>) {
  const { fetch } = await ctx.connect('tracker')
  const response = await fetch(`${tracker.url}/issues`)
  if (!response.ok) throw new ToolError('The tracker does not return the issues now.')
  return ISSUES.parse(await response.json())
}

export function registerTools(to: typeof server): void {
  to.registerTool(
    'list_issues',
    {
      title: 'List issues',
      description: 'Returns the open issues of the person in their tracker.',
      outputSchema: ISSUES,
      annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: true },
      connection: 'tracker',
    },
    readIssues,
  )

  to.registerTool(
    'post_standup',
    {
      title: 'Post a stand-up',
      description: 'Posts the open issues of the person in their chat.',
      inputSchema: z.object({ greeting: z.string().max(200) }),
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
      connection: 'chat',
    },
    async ({ greeting }, ctx) => {
      // Both accounts first: an ask may repeat the call, and the post must not be repeated.
      const { account, fetch } = await ctx.connect('chat', { reason: 'To post your stand-up.' })
      const { issues } = await readIssues(ctx)
      const body = `${greeting} ${issues.join(', ')}`
      const isPosted = await ctx.step('post', async () => {
        const { ok } = await fetch(`${chat.url}/posts`, { method: 'POST', body })
        return ok
      })
      return isPosted ? `Posted as ${account.label}.` : 'The chat has refused the post.'
    },
  )
}
