import { describe, expect, it } from 'vitest'
import { resultText } from '../src/admin/result-text.ts'

describe('the grants that edgeway admin prints', () => {
  it('have the beginning of a long client id, and the whole id of the grant', () => {
    const grants = [{ grantId: 'g'.repeat(80), client: { id: 'c'.repeat(300), name: 'Claude' } }]
    expect(resultText({ grants })).toBe(
      `grants:\n  grantId: ${'g'.repeat(80)}\n  client:\n    id: ${'c'.repeat(60)}…\n    name: Claude\n`,
    )
  })

  it('have the whole address of a client with a metadata document of usual length', () => {
    const id = 'https://claude.ai/oauth/mcp-oauth-client-metadata'
    expect(resultText({ client: { id } })).toBe(`client:\n  id: ${id}\n`)
  })
})
