/**
 * A tool whose work is a Cloudflare Workflow: it renders a page, waits until an editor approves it, and
 * publishes it. The Workflow runs for days; the client has a task, which asks for its status.
 *
 *     npx wrangler dev examples/workflow/worker.ts
 */
import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from 'cloudflare:workers'
import * as z from 'zod'
import { sessions } from '../../src/features/sessions/index.ts'
import { tasks, workflowJob } from '../../src/features/tasks/index.ts'
import { createEdgeway, createServer, OperationError, type WaitUntil } from '../../src/index.ts'

export interface Env {
  readonly PUBLICATION: Workflow<Draft>
  readonly PAGES: KVNamespace
  /** The secret of the editor. */
  readonly EDITOR_TOKEN: string
}

const draft = z.object({
  slug: z.string().regex(/^[a-z0-9-]{1,60}$/),
  text: z.string().max(10_000),
})
type Draft = z.infer<typeof draft>

const approval = z.object({ by: z.string() })

const page = z.object({ path: z.string(), approvedBy: z.string() })

const server = createServer.for<Env>()({ name: 'pages', version: '1.0.0' })

server.registerJob(
  'publish_page',
  {
    title: 'Publish a page',
    description: 'Renders a page and publishes it once an editor has approved it.',
    inputSchema: draft,
    outputSchema: page,
    annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
    task: { support: 'required', ttlMs: 7 * 24 * 60 * 60 * 1000 },
  },
  workflowJob(({ PUBLICATION }) => PUBLICATION, {
    // What the route below delivers to the task is sent to the instance.
    events: { approved: approval },
    // The schema of the tool checks it.
    result: (output) => output as z.infer<typeof page>,
  }),
)

export class Publication extends WorkflowEntrypoint<Env, Draft> {
  override async run({ payload }: WorkflowEvent<Draft>, step: WorkflowStep) {
    const html = await step.do('render', async () => render(payload.text))
    const { payload: approved } = await step.waitForEvent<z.infer<typeof approval>>('approval', {
      type: 'approved',
      timeout: '6 days',
    })
    return step.do('publish', async () => {
      await this.env.PAGES.put(payload.slug, html)
      return { path: `/pages/${payload.slug}`, approvedBy: approved.by }
    })
  }
}

function render(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return escaped
    .split('\n\n')
    .map((paragraph) => `<p>${paragraph}</p>`)
    .join('\n')
}

export const edgeway = createEdgeway(server, { features: [sessions(), tasks()] })

export default {
  async fetch(request: Request, env: Env, ctx: WaitUntil): Promise<Response> {
    const { pathname } = new URL(request.url)
    if (pathname !== '/approvals') return edgeway.fetch(request, env, ctx)
    return approve(request, env)
  },
}

/** `POST /approvals` with `{ "taskId": "…", "by": "…" }`. */
async function approve(request: Request, env: Env): Promise<Response> {
  if (request.headers.get('authorization') !== `Bearer ${env.EDITOR_TOKEN}`) {
    return new Response('Not allowed', { status: 401 })
  }
  const body = z.object({ taskId: z.string(), by: z.string() }).safeParse(await request.json())
  if (!body.success) return new Response('Malformed', { status: 400 })
  const { taskId, by } = body.data
  try {
    await edgeway.tasks(env).deliver(taskId, 'approved', { by })
  } catch (error) {
    if (!(error instanceof OperationError)) throw error
    return new Response(error.message, { status: 409 })
  }
  return new Response(null, { status: 202 })
}

export class McpObjects extends edgeway.Objects {}
