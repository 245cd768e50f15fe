/** One handler behind a tool, a prompt and a resource, and a client that can be asked anything. */

import { env } from 'cloudflare:test'
import * as z from 'zod'
import type { FullOptions } from '../../support/full-app.ts'
import type { FullContext } from '../../support/full-server.ts'
import { FullServer } from '../../support/full-server.ts'
import { openApp } from '../../support/test-app.ts'

export type Handler = (ctx: FullContext) => Promise<unknown>

export const ALL = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} }

/** One tool, one prompt and one resource that run the same handler. */
export function serve(handler: Handler, options: FullOptions = {}, config: object = {}) {
  const server = new FullServer({ name: 'asking', version: '1' })
  const text = async (ctx: FullContext) => JSON.stringify(await handler(ctx))
  server.registerTool(
    't',
    { inputSchema: z.object({ a: z.string().optional() }), ...config },
    (_, ctx) => text(ctx),
  )
  server.registerTool('u', {}, text)
  server.registerPrompt('t', {}, text)
  server.registerResource('t', 'asking://t', {}, (_, ctx) => text(ctx))
  const app = openApp(server, options, env)
  const send = async (
    params: object,
    capabilities: object = ALL,
    method = 'tools/call',
    meta = {},
  ) => {
    const { status, body } = await app.modern(method, params as never, {
      meta: { 'io.modelcontextprotocol/clientCapabilities': capabilities, ...meta },
    })
    return { status, ...body }
  }
  return { app, send }
}

export const accept = (content: object) => ({ action: 'accept', content })
export const form = (key: string, field = 'value') => ({
  key,
  message: `Say ${key}`,
  schema: z.object({ [field]: z.string() }),
})
export const said = (response: { result: { content: { text: string }[] } }) =>
  JSON.parse(response.result.content[0]?.text ?? 'null')
