/** How long the URL of an upload can be used. */
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { keepHandler } from '../../support/session-server.ts'
import { taskServer } from '../../support/task-server.ts'
import { openApp } from '../../support/test-app.ts'

it('the URL of an upload ends with the request state, also when its tool asks for longer', async () => {
  const limits = { requestStateTtlMs: 300 }
  const app = openApp(taskServer, { sessionBinding: 'TASK_SESSION', limits }, env)
  const script = keepHandler(async (ctx) => {
    const { action } = await ctx.upload({ message: 'Your list, please', timeoutMs: 86_400_000 })
    return action
  })
  const { body } = await app.modern(
    'tools/call',
    { name: 'plain', arguments: script },
    { meta: { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { url: {} } } } },
  )
  const [asked] = Object.values<{ params: { url: string } }>(body.result.inputRequests)
  const url = asked?.params.url ?? ''
  await expect.poll(async () => (await app.fetch(new Request(url))).status).toBe(410)
})
