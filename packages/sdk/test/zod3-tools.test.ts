/** The schemas of tools whose schemas are of zod 3, as clients of the SDK 1.x know them. */
import { describe, expect, it } from 'vitest'
import * as z4 from 'zod'
import * as z from 'zod/v3'
import { openApp } from '../../../test/support/test-app.ts'
import { callText, create, listed } from './sdk-app.ts'

const say = (value: unknown) => ({
  content: [{ type: 'text' as const, text: JSON.stringify(value) }],
})

describe('a tool with schemas of zod 3', () => {
  it('tells clients that its arguments have no other members, as a shape and as an object', async () => {
    const server = create()
    const shape = { text: z.string(), options: z.object({ deep: z.boolean() }).optional() }
    server.tool('shape', shape, async (args) => say(args))
    server.registerTool('object', { inputSchema: z.object(shape) }, async (args) => say(args))
    const expected = {
      type: 'object',
      properties: {
        text: { type: 'string' },
        options: {
          type: 'object',
          properties: { deep: { type: 'boolean' } },
          required: ['deep'],
          additionalProperties: false,
        },
      },
      required: ['text'],
      additionalProperties: false,
    }
    const app = openApp(server)
    const tools = await listed(app, 'tools')
    expect(tools.map(({ inputSchema }) => inputSchema)).toEqual([expected, expected])
    // Other members are still dropped and not refused, as zod 3 does.
    const args = { text: 'a', more: 1, options: { deep: true, more: 2 } }
    for (const name of ['shape', 'object']) {
      expect(await callText(app, name, args)).toBe('{"text":"a","options":{"deep":true}}')
    }
  })

  it('accepts a large value whose items have members that zod drops', async () => {
    const server = create()
    const shape = { items: z.array(z.object({ id: z.number() })) }
    server.tool('shape', shape, async ({ items }) => say(items.length))
    server.registerTool('object', { inputSchema: z.object(shape) }, async ({ items }) =>
      say(items.length),
    )
    const app = openApp(server)
    const items = Array.from({ length: 6000 }, (_, id) => ({ id, more: 'x' }))
    expect(await callText(app, 'shape', { items, more: 1 })).toBe('6000')
    expect(await callText(app, 'object', { items, more: 1 })).toBe('6000')
  })

  it('tells clients the members of its structured content', async () => {
    const server = create()
    const outputSchema = { count: z.number() }
    server.registerTool('count', { outputSchema }, async () => ({
      content: [],
      structuredContent: { count: 1, more: 2 },
    }))
    const app = openApp(server)
    expect((await listed(app, 'tools'))[0].outputSchema).toEqual({
      type: 'object',
      properties: { count: { type: 'number' } },
      required: ['count'],
      additionalProperties: false,
    })
    const { body } = await app.modern('tools/call', { name: 'count' })
    expect(body.result.structuredContent).toEqual({ count: 1 })
  })

  it('does not change the schema of a shape of zod 4 or without members', async () => {
    const server = create()
    server.tool('four', { text: z4.string() }, async () => say(1))
    server.tool('empty', {}, async () => say(1))
    const tools = await listed(openApp(server), 'tools')
    expect(tools.map(({ inputSchema }) => inputSchema)).toEqual([
      { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      { type: 'object', properties: {} },
    ])
  })
})
