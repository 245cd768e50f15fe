/** Tools that the client alone calls: no other tool passes a call on to them, and no search finds them. */
// features: tasks
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { tasks } from '../../../../src/features/tasks/index.ts'
import { asks, createEdgeway, createServer } from '../../../../src/index.ts'
import { connect } from '../../../testing/src/index.ts'
import { code } from '../../src/code/index.ts'
import { search } from '../../src/search/index.ts'

const server = createServer({ name: 'direct', version: '1.0.0', uses: [asks(), tasks()] })
server.registerTool('ask', { throughModel: true }, async (ctx) => String(ctx.client.can('elicit')))
const app = createEdgeway(server, { features: [code(), search()] })

const open = () => connect(app as never, { env, capabilities: {} } as never)

describe.concurrent('answer_question', () => {
  it('is in the list, and in no search', async () => {
    const client = await open()
    const names = (await client.listTools()).map(({ name }) => name)
    expect(names).toContain('answer_question')
    const found = await client.callTool('search_tools', { query: 'answer question' })
    expect(found.text).not.toContain('answer_question')
  })

  it('is not called through call_tool', async () => {
    const client = await open()
    const args = { name: 'answer_question', arguments: { handle: 'x', action: 'accept' } }
    const result = await client.callTool('call_tool', args)
    expect(result).toMatchObject({ isError: true })
    expect(result.text).toMatch(/is not called through another tool: call it itself/)
  })

  it('is no function of the code', async () => {
    // Without objects, `execute` runs in its request.
    const here = { LOADER: (env as unknown as { LOADER: unknown }).LOADER }
    const client = await connect(app as never, { env: here, capabilities: {} } as never)
    const result = await client.callTool('execute', {
      code: 'return typeof tools.answer_question + typeof tools.ask',
    })
    expect(result.text).toContain('undefinedfunction')
  })
})
