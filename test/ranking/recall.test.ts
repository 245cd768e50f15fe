/** What `search()` must reach on two public descriptions: it finds the right tool, and the list is short. */
// features: search, code
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { search } from '../../src/features/search/index.ts'
import { createEdgeway } from '../../src/index.ts'
import { prepareOpenAPI } from '../../src/openapi/index.ts'
import { connect } from '../../src/testing/index.ts'
import { DESCRIPTIONS, questionedDescription } from './questions/descriptions.ts'

describe.each(DESCRIPTIONS)('search() on the description of %s', async (name) => {
  const { document, questions } = questionedDescription(name)
  const server = prepareOpenAPI(document, { onUnsupported: 'skip' }).server()
  const app = createEdgeway(server, { features: [search()] })
  const client = await connect(app)

  it('has the right tool among the first five for nine of ten questions', async () => {
    const missed: string[] = []
    for (const { question, tools } of questions) {
      const { structuredContent } = await client.callTool('search_tools', { query: question })
      const found = (structuredContent as { tools: { name: string }[] }).tools
      if (!found.some((each) => tools.includes(each.name))) missed.push(question)
    }
    expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(6)
  })

  it('has a list of fewer than 2,000 tokens', async () => {
    const tools = await client.listTools()
    expect(countTokens(JSON.stringify({ tools }))).toBeLessThan(2_000)
  })

  it('answers within 40,000 bytes', async () => {
    const { text } = await client.callTool('search_tools', { query: 'create', limit: 20 })
    expect(new TextEncoder().encode(text).byteLength).toBeLessThanOrEqual(40_000)
  })
})
