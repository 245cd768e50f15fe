import { expect, it } from 'vitest'
import { connect } from '../../packages/testing/src/index.ts'
import { server } from './server.ts'

it.for(['claude-code', 'chatgpt', 'claude', 'codex', 'gemini-cli', 'vscode'] as const)(
  'shows the price to %s',
  async (as) => {
    const client = await connect(server, { as })
    const { structuredContent } = await client.callTool('price', { item: 'tea' })
    expect(structuredContent).toEqual({ euros: 3 })
  },
)
