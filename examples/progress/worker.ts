/**
 * Progress: a long call that says how far it is, and that stops when nobody waits for it any more.
 *
 *     npx wrangler dev examples/progress/worker.ts
 */
import * as z from 'zod'
import { createEdgeway, McpServer, ToolError } from '../../src/index.ts'

const MAX_LINKS = 20

const server = new McpServer({ name: 'link-checker', version: '1.0.0' })

server.registerTool(
  'check_links',
  {
    title: 'Check links',
    description: 'Requests web addresses one after another and reports those that are broken',
    inputSchema: z.object({
      urls: z
        .array(z.url({ protocol: /^https$/ }))
        .min(1)
        .max(MAX_LINKS)
        .describe('https: addresses'),
    }),
    outputSchema: z.object({
      checked: z.int(),
      broken: z.array(z.object({ url: z.string(), why: z.string() })),
    }),
    annotations: { readOnlyHint: true, openWorldHint: true },
    timeoutMs: 120_000,
  },
  async ({ urls }, { progress, signal }) => {
    const broken: { url: string; why: string }[] = []
    for (const [index, url] of urls.entries()) {
      // The signal ends the request in flight when the client goes away or time is up.
      const why = await faultOf(url, signal)
      if (why !== undefined) broken.push({ url, why })
      // Awaiting paces the loop to a slow reader. Without a progress token nothing is sent.
      await progress(index + 1, urls.length, url)
    }
    return { checked: urls.length, broken }
  },
)

async function faultOf(url: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const response = await fetch(url, { redirect: 'manual', signal })
    await response.body?.cancel()
    return response.status < 400 ? undefined : `status ${response.status}`
  } catch {
    if (signal.aborted) throw new ToolError('Stopped before every address was checked.')
    return 'no answer'
  }
}

export default createEdgeway(server)
