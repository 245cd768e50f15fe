/** A small server with every kind of tool, resource and prompt, for tests of the wire form. */
import * as z from 'zod'
import { completable, McpServer, ResourceTemplate, ToolError } from '../../src/index.ts'

export function createSampleServer(): McpServer<unknown> {
  const server = new McpServer<unknown>(
    {
      name: 'sample',
      version: '1.2.3',
      title: 'Sample',
      icons: [{ src: 'https://x.example/i.png' }],
    },
    { instructions: 'Use it well.' },
  )
  server.registerTool(
    'echo',
    {
      title: 'Echo',
      description: 'Says it again',
      inputSchema: z.object({ text: z.string() }),
      annotations: { readOnlyHint: true },
      icons: [{ src: 'data:image/png;base64,AAAA' }],
      _meta: { 'com.example/kind': 'demo' },
    },
    ({ text }) => text,
  )
  registerSamples(server)
  return server
}

/** Registers the samples in a server that has a tool `echo`. */
export function registerSamples(server: McpServer<unknown>): void {
  server.registerTool(
    'add',
    {
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
    },
    async ({ a, b }) => ({ sum: a + b }),
  )
  server.registerTool('list', { outputSchema: z.array(z.string()) }, () => ['a', 'b'])
  server.registerTool('blocks', {}, () => [
    { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
    { type: 'resource_link', uri: 'sample://a', name: 'a', title: 'The A' },
    {
      type: 'text',
      text: 'hi',
      annotations: { priority: 1, lastModified: '2026-01-01T00:00:00Z' },
    },
  ])
  server.registerTool('throw', {}, () => {
    throw new Error('secret canary')
  })
  server.registerTool('tell', {}, () => {
    throw new ToolError('The disk is full')
  })
  server.registerTool(
    'wait',
    { inputSchema: z.object({ ms: z.number() }) },
    async ({ ms }, ctx) => {
      await new Promise((resolve, reject) => {
        setTimeout(resolve, ms)
        ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason))
      })
      return 'done'
    },
  )
  server.registerTool(
    'steps',
    { inputSchema: z.object({ count: z.int() }) },
    async ({ count }, ctx) => {
      for (let step = 1; step <= count; step++) await ctx.progress(step, count, `step ${step}`)
      await ctx.log('info', { at: 'end' }, 'steps')
      return 'done'
    },
  )
  server.registerTool(
    'routed',
    {
      inputSchema: z.object({
        region: z.string().optional().meta({ 'x-mcp-header': 'Region' }),
        level: z.int().optional().meta({ 'x-mcp-header': 'Level' }),
        dry: z.boolean().optional().meta({ 'x-mcp-header': 'Dry' }),
        target: z
          .object({ zone: z.string().optional().meta({ 'x-mcp-header': 'Zone' }) })
          .optional(),
      }),
    },
    (args) => JSON.stringify(args),
  )
  server.registerResource('a', 'sample://a', { mimeType: 'text/plain', size: 5 }, () => 'is a')
  server.registerResource('bytes', 'sample://bytes', { mimeType: 'image/png' }, () =>
    Uint8Array.of(0, 1, 254, 255),
  )
  server.registerResource(
    'item',
    new ResourceTemplate('sample://item/{id}', {
      list: undefined,
      complete: { id: (value) => ['alpha', 'beta'].filter((id) => id.startsWith(value)) },
    }),
    { mimeType: 'text/plain' },
    (_, { id }) => (id === 'gone' ? undefined : `item ${String(id)}`),
  )
  server.registerPrompt(
    'greet',
    {
      description: 'Greets',
      argsSchema: z.object({
        who: completable(z.string(), (value, { arguments: { style } }) => [
          `${value}!`,
          style ?? '-',
        ]),
        style: z.string().optional(),
      }),
    },
    ({ who, style }) => `Greet ${who}${style === undefined ? '' : ` in ${style}`}`,
  )
}
