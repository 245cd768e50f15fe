/** Defaults that are functions, in workerd: its global scope has no random values, and its clock is at 0 there. */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PROJECT_DIRECTORY } from '../../../scripts/support/project.ts'
import { requestOf } from '../../attacks/modern.ts'
import { type LoggedServer, startLoggedServer } from '../../support/node/fixture-server.ts'
import { send } from '../sessions/send.ts'

let server: LoggedServer

beforeAll(async () => {
  const configPath = join(PROJECT_DIRECTORY, 'test/fixtures/defaults/wrangler.toml')
  server = await startLoggedServer({ configPath, port: 0, vars: {} })
})
afterAll(() => server.stop())

// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary members of the wire form
async function request(method: string, params: object, name?: string): Promise<any> {
  const response = await send(requestOf(server.url, method, params, name))
  return ((await response.json()) as { result: unknown }).result
}

const UUID = /^[0-9a-f-]{36}$/

describe('a Worker with defaults that are functions', () => {
  it.each(['object', 'shape'])(
    'lists the constant ones alone, of a schema that is an %s',
    async (name) => {
      const { tools } = await request('tools/list', {})
      const { inputSchema } = tools.find((tool: { name: string }) => tool.name === name)
      expect(inputSchema.properties).toEqual({
        id: { type: 'string' },
        at: { type: 'string' },
        number: { type: 'number' },
        given: { type: 'string' },
        caught: { type: 'string' },
        echoed: { type: 'string' },
        unit: { type: 'string', default: 'metric' },
        tags: { type: 'array', items: { type: 'string' }, default: ['a'] },
        list: {
          type: 'array',
          items: {
            type: 'object',
            properties: { id: { type: 'string' }, unit: { type: 'string', default: 'metric' } },
          },
        },
        tree: { type: 'object', properties: { at: { type: 'string' }, id: { type: 'string' } } },
        none: { type: 'string' },
      })
      expect(inputSchema.required).toBeUndefined()
    },
  )

  it('evaluates them for each call that leaves the argument out', async () => {
    const [first, second] = await Promise.all(
      [0, 1].map(async () => {
        const { content } = await request('tools/call', { name: 'object', arguments: {} }, 'object')
        return JSON.parse(content[0].text)
      }),
    )
    expect(first).toMatchObject({ id: expect.stringMatching(UUID), unit: 'metric', tags: ['a'] })
    expect(first.given).toMatch(UUID)
    expect(first.at > '2026').toBe(true)
    expect(first.id).not.toBe(second.id)
  })

  it('fills them in a result, and lists none of an output', async () => {
    const { tools } = await request('tools/list', {})
    const { outputSchema } = tools.find((tool: { name: string }) => tool.name === 'output')
    expect(outputSchema.properties).toEqual({ id: { type: 'string' }, at: { type: 'string' } })
    const { structuredContent } = await request('tools/call', { name: 'output' }, 'output')
    expect(structuredContent.id).toMatch(UUID)
    expect(structuredContent.at > '2026').toBe(true)
  })
})
