import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { connect } from '../../packages/testing/src/index.ts'
import type { ToolExtension } from '../../src/dispatch/extensions.ts'
import { createFeature } from '../../src/feature/create-feature.ts'
import { createEdgeway, McpServer } from '../../src/index.ts'
import { defineTool } from '../../src/server/define/tool.ts'

const withTools = (tools: ToolExtension) =>
  createFeature('withTools', () => ({ dispatch: { tools } }))

const server = () => {
  const own = new McpServer({ name: 'tools', version: '1.0.0' })
  own.registerTool('greet', { inputSchema: { name: z.string() } }, ({ name }) => `Hello ${name}`)
  own.registerTool('late', { visible: () => false }, () => 'never')
  return own
}

const text = ({ content }: { readonly content: readonly unknown[] }) => content

/** Adds `call`, which calls the tool that it names, and which a client with roots does not see. */
const CALLER: ToolExtension = {
  add: () => [
    defineTool('call', { inputSchema: { tool: z.string() } }, () => 'There is no such tool'),
  ],
  viewOf: () => ({
    variantOf: ({ capabilities }) => ('roots' in capabilities ? 'r' : ''),
    listed: (tool) => (tool.name === 'call' ? undefined : tool),
  }),
  forward: ({ tools }, { name, arguments: args }) => {
    if (name !== 'call') return undefined
    const tool = tools.get(String((args as { tool?: string }).tool))
    return tool && { tool, params: { name: tool.info.name, arguments: { name: 'Ada' } } }
  },
}

describe('a tool that a feature adds', () => {
  const app = () => createEdgeway(server(), { features: [withTools(CALLER)] })

  it('is listed and called beside those of the author', async () => {
    const client = await connect(app(), { capabilities: {} })
    const names = (await client.listTools()).map(({ name }) => name)
    expect(names).toEqual(['greet', 'call'])
    expect(text(await client.callTool('call', { tool: 'absent' }))).toEqual([
      { type: 'text', text: 'There is no such tool' },
    ])
  })

  it('is not in the list of a client for which the feature leaves it out', async () => {
    const edgeway = app()
    const lists = async (capabilities: object) =>
      (await (await connect(edgeway, { capabilities })).listTools()).map(({ name }) => name)
    expect(await lists({})).toEqual(['greet', 'call'])
    expect(await lists({ roots: {} })).toEqual(['greet'])
    expect(await lists({})).toEqual(['greet', 'call'])
  })

  it.for(['2026-07-28', '2025-11-25'] as const)('calls another tool in %s', async (revision) => {
    const client = await connect(app(), { revision })
    expect(text(await client.callTool('call', { tool: 'greet' }))).toEqual([
      { type: 'text', text: 'Hello Ada' },
    ])
  })

  it('is refused at construction where the author has one of its name', () => {
    const own = server()
    own.registerTool('call', {}, () => 'own')
    expect(() => createEdgeway(own, { features: [withTools(CALLER)] })).toThrow(
      'Tool "call" is registered, and a feature adds one of this name: rename one',
    )
  })
})
