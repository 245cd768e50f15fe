/**
 * Progress: a long call that reports its progress and stops when the client cancels it.
 *
 *     npx wrangler dev examples/progress/worker.ts
 */
import * as z from 'zod'
import { createEdgeway, createServer, ToolError } from '../../src/index.ts'

const MAX_LINKS = 20

const server = createServer({ name: 'link-checker', version: '1.0.0' })

server.registerTool(
  'check_links',
  {
    title: 'Check links',
    description: 'Requests URLs one after another and reports those that are broken',
    inputSchema: z.object({
      urls: z
        .array(z.url({ protocol: /^https$/ }))
        .min(1)
        .max(MAX_LINKS)
        .describe('https: URLs'),
    }),
    outputSchema: z.object({
      checked: z.int(),
      broken: z.array(z.object({ url: z.string(), why: z.string() })),
    }),
    annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: true },
    timeoutMs: 120_000,
  },
  async ({ urls }, { progress, signal }) => {
    const broken: { url: string; why: string }[] = []
    for (const [index, url] of urls.entries()) {
      // The signal aborts the running request on cancellation and on timeout.
      const why = await faultOf(url, signal)
      if (why !== undefined) broken.push({ url, why })
      // Awaiting adapts the loop to a slow reader. Without a progress token nothing is sent.
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
    if (signal.aborted) throw new ToolError('Stopped before all URLs were checked.')
    return 'no response'
  }
}

export default createEdgeway(server)
