/** What `search()` must reach on public descriptions: it finds the right tool, and the list is short. */
// features: search, code
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { createEdgeway } from '../../../../src/index.ts'
import { prepareOpenAPI } from '../../../openapi/src/index.ts'
import { connect } from '../../../testing/src/index.ts'
import { search } from '../../src/search/index.ts'
import {
  DESCRIPTIONS,
  plainQuestions,
  type Question,
  questionedDescription,
} from './questions/descriptions.ts'

const open = (document: object) => {
  const prepared = prepareOpenAPI(document, {
    onUnsupported: 'skip',
    baseUrl: 'https://api.example.com',
  })
  return connect(createEdgeway(prepared.server(), { features: [search()] }))
}

/** The questions without a right tool among the first five. */
async function missedOf(
  client: Awaited<ReturnType<typeof open>>,
  questions: readonly Question[],
): Promise<readonly string[]> {
  const missed: string[] = []
  for (const { question, tools } of questions) {
    const { structuredContent } = await client.callTool('search_tools', { query: question })
    const found = (structuredContent as { tools: { name: string }[] }).tools
    if (!found.some((each) => tools.includes(each.name))) missed.push(question)
  }
  return missed
}

describe.each(DESCRIPTIONS)('search() on the description of %s', async (name) => {
  const { document, questions } = questionedDescription(name)
  const client = await open(document)

  it('has the right tool among the first five for nine of ten questions', async () => {
    const missed = await missedOf(client, questions)
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

describe.each([
  ['that the meanings were completed with', 'tuned', 23],
  ['that were measured once', 'held-out', 27],
] as const)('search() on 30 questions in everyday words %s', (_, set, least) => {
  it(`has the right tool among the first five for ${least}`, async () => {
    const missed: string[] = []
    for (const { service, document, questions } of plainQuestions(set)) {
      for (const question of await missedOf(await open(document), questions))
        missed.push(`${service}: ${question}`)
    }
    expect(30 - missed.length, missed.join('\n')).toBeGreaterThanOrEqual(least)
  })
})
