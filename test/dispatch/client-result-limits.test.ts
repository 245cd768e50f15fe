import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { McpServer } from '../../src/index.ts'
import { openApp } from '../support/test-app.ts'

const INFO = 'io.modelcontextprotocol/clientInfo'

function createApp() {
  const server = new McpServer({ name: 'large-results', version: '1.0.0' })
  const inputSchema = z.object({ size: z.number(), letter: z.string().default('x') })
  server.registerTool('text', { inputSchema }, ({ size, letter }) => letter.repeat(size))
  server.registerTool('image', { inputSchema }, ({ size }) => ({
    type: 'image',
    data: 'x'.repeat(size),
    mimeType: 'image/png',
  }))
  return openApp(server)
}

describe('a result over the limit of its client', () => {
  it.each([
    ['Anthropic/ClaudeAI', 150_001, 'x', 'characters', 150_000, 150_001],
    ['claude-code', 75_001, 'x', 'tokens', 25_000, 25_001],
    ['claude-code', 25_001, '語', 'tokens', 25_000, 25_001],
    ['codex-mcp-client', 40_001, 'x', 'bytes', 40_000, 40_001],
    ['codex-mcp-client', 13_334, '語', 'bytes', 40_000, 40_002],
    ['github-copilot-developer', 20_481, 'x', 'bytes', 20_480, 20_481],
    ['github-copilot-developer', 6827, '語', 'bytes', 20_480, 20_481],
    ['gemini-cli-mcp-client', 40_001, '語', 'characters', 40_000, 40_001],
    ['goose', 200_001, 'x', 'characters', 200_000, 200_001],
    ['goose-cli', 200_001, 'x', 'characters', 200_000, 200_001],
    ['goose-desktop', 200_001, 'x', 'characters', 200_000, 200_001],
    ['opencode', 51_201, 'x', 'bytes', 51_200, 51_201],
    ['qwen-code', 25_001, 'x', 'characters', 25_000, 25_001],
    ['qwen-cli-mcp-client-notebook', 25_001, 'x', 'characters', 25_000, 25_001],
  ])(
    'of %s with %d times %s is reported with its limit',
    async (client, size, letter, unit, limit, measured) => {
      const app = createApp()
      const { body } = await app.modern(
        'tools/call',
        { name: 'text', arguments: { size, letter } },
        { meta: { [INFO]: { name: client, version: '1.0.0' } } },
      )
      expect(body.result.content[0].text.length).toBe(size)
      const report = {
        type: 'result-over-client-limit',
        subject: 'Tool text',
        client,
        unit,
        limit,
        measured,
      }
      expect(app.events).toEqual([report])
    },
  )

  it.each([
    ['Anthropic/ClaudeAI', 'text', 150_000],
    ['claude-code', 'text', 75_000],
    ['claude-code', 'image', 200_000],
    ['codex-mcp-client', 'text', 40_000],
    ['github-copilot-developer', 'text', 20_480],
    ['gemini-cli-mcp-client', 'text', 40_000],
    ['goose', 'text', 200_000],
    ['opencode', 'text', 51_200],
    ['qwen-cli-mcp-client-notebook', 'text', 25_000],
    ['qwen-cli-mcp-client', 'text', 1_000_000],
    ['unknown-client', 'text', 1_000_000],
  ])('is not reported of %s for %s of %d characters', async (client, name, size) => {
    const app = createApp()
    const meta = { [INFO]: { name: client, version: '1.0.0' } }
    await app.modern('tools/call', { name, arguments: { size } }, { meta })
    expect(app.events).toEqual([])
  })
})
