/** A server with an inspector whose calls run in objects. */
// features: sessions, tasks

import { env } from 'cloudflare:workers'
import * as z from 'zod'
import { createFullEdgeway } from '../../../../../test/support/full-app.ts'
import { FullServer } from '../../../../../test/support/full-server.ts'
import { inspector } from '../../../src/inspector/index.ts'

const server = new FullServer({ name: 'parcels', version: '1.0.0' })
const inputSchema = z.object({ parcel: z.string() })
server.registerTool('weigh', { inputSchema }, async ({ parcel }, ctx) =>
  String(await ctx.step('scale', () => parcel.length)),
)
server.registerTool('send', { inputSchema, task: 'required' }, async ({ parcel }, ctx) => {
  await ctx.step('stamp', () => 1)
  await ctx.sleep('until-collected', 20)
  return `sent ${await ctx.step('collect', () => parcel)}`
})

export const inspectedApp = createFullEdgeway(server, {
  telemetry: () => undefined,
  inspector: inspector(),
})

const bindings = { ...env, EDGEWAY_ORIGIN: 'development' }

export async function send(request: Request): Promise<Response> {
  return inspectedApp.fetch(request, bindings, { waitUntil: (work: Promise<unknown>) => void work })
}
