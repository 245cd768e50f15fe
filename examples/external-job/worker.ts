/**
 * A tool whose work is done by another service: a transcription that takes minutes. The service has an HTTP
 * API with jobs, as most do: `POST /jobs` starts one, `GET /jobs/<id>` is its state, `DELETE /jobs/<id>`
 * ends it.
 *
 *     npx wrangler dev examples/external-job/worker.ts --var TRANSCRIBER:http://localhost:9000
 */
import * as z from 'zod'
import { sessions } from '../../src/features/sessions/index.ts'
import { externalJob, tasks } from '../../src/features/tasks/index.ts'
import { createEdgeway, createServer, ToolError } from '../../src/index.ts'

export interface Env {
  /** The origin of the service. */
  readonly TRANSCRIBER: string
}

const started = z.object({ id: z.string() })

const state = z.discriminatedUnion('status', [
  z.object({ status: z.literal('queued') }),
  z.object({ status: z.literal('running'), percent: z.number() }),
  z.object({ status: z.literal('done'), text: z.string() }),
  z.object({ status: z.literal('failed'), reason: z.string() }),
])

const server = createServer.for<Env>()({ name: 'transcriber', version: '1.0.0' })

server.registerJob(
  'transcribe',
  {
    title: 'Transcribe a recording',
    description: 'Returns the text of a recording. Takes some minutes.',
    inputSchema: z.object({ recording: z.url() }),
    annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: true },
  },
  externalJob({
    // The service starts one job for one key, so an interrupted start may be repeated.
    idempotent: true,
    start: async ({ recording }, { env, idempotencyKey, callbackUrl, signal }) => {
      const response = await fetch(new URL('/jobs', env.TRANSCRIBER), {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
        body: JSON.stringify({ recording, callback: await callbackUrl() }),
        signal,
      })
      if (response.status === 422) throw new ToolError('The recording cannot be transcribed.')
      return started.parse(await bodyOf(response)).id
    },
    status: async (id, { env, signal }) => {
      const response = await fetch(jobUrl(env, id), { signal })
      if (response.status === 404) return { state: 'unknown' }
      const job = state.parse(await bodyOf(response))
      switch (job.status) {
        case 'queued':
          return { state: 'running', message: 'Waits for its turn' }
        case 'running':
          return { state: 'running', message: `${job.percent} % transcribed` }
        case 'done':
          return { state: 'completed', output: job.text }
        case 'failed':
          return { state: 'failed', message: job.reason }
      }
    },
    cancel: async (id, { env, idempotencyKey, signal }) => {
      // The service accepts the key of a job whose id was never received.
      const response = await fetch(jobUrl(env, id ?? idempotencyKey), { method: 'DELETE', signal })
      if (!response.ok && response.status !== 404) throw new Error(`Status ${response.status}`)
    },
  }),
)

const jobUrl = (env: Env, id: string) => new URL(`/jobs/${encodeURIComponent(id)}`, env.TRANSCRIBER)

/** An error of the service is thrown, so that its functions are called again later. */
async function bodyOf(response: Response): Promise<unknown> {
  if (!response.ok) throw new Error(`The transcriber answered with ${response.status}`)
  return response.json()
}

const edgeway = createEdgeway(server, { features: [sessions(), tasks()] })

export default edgeway

export class McpObjects extends edgeway.Objects {}
