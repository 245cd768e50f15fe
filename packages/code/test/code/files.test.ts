/** Tools that take files, called by code. */
// features: code, files
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { file, files } from '../../../../src/features/files/index.ts'
import { createEdgeway, McpServer } from '../../../../src/index.ts'
import { connect } from '../../../testing/src/index.ts'
import { code } from '../../src/code/index.ts'

const server = new McpServer({ name: 'shop', version: '1.0.0' })
server.registerTool('read', { files: { data: file() } }, async ({ files }) => files.data.text())
const app = createEdgeway(server, { features: [code(), files({ experimental: true })] })

const BOTH = 'return Promise.all([tools.read(LEFT), tools.read({ data: { text: "b" } })])'

describe('code that calls a tool with a file', () => {
  it('has the file of each call', async () => {
    const client = await connect(app, { env, capabilities: {} })
    const source = BOTH.replace('LEFT', '{ data: { text: "a" } }')
    const { structuredContent } = await client.callTool('execute', { code: source })
    expect(structuredContent).toMatchObject({ result: ['a', 'b'] })
  })

  it('has the file that the person uploads for one of the calls', async () => {
    const client = await connect(app, { env, capabilities: { elicitation: { url: {} } } })
    const source = BOTH.replace('LEFT', '')
    const file = new File(['up'], 'a.txt')
    const { structuredContent } = await client.callTool(
      'execute',
      { code: source },
      { files: { data: file } },
    )
    expect(structuredContent).toMatchObject({ result: ['up', 'b'] })
  })

  it('cannot pass a file that the client would send itself', async () => {
    const extensions = { 'io.modelcontextprotocol/files': { upload: {} } }
    const client = await connect(app, { env, capabilities: { extensions } })
    const digest = { algorithm: 'sha-256', value: 'a'.repeat(43) }
    const data = { id: 'file-1', name: 'a.txt', mimeType: 'text/plain', size: 1, digest }
    const source = `return tools.read({ data: ${JSON.stringify(data)} })`
    const { isError, text } = await client.callTool('execute', { code: source })
    expect(isError).toBe(true)
    expect(text).toContain('it is sent in a call of the tool itself')
  })

  it('cannot use the text of a ticket as a result', async () => {
    const client = await connect(app, { env, capabilities: {} })
    const source = 'return (await tools.read()).length'
    const { isError, text } = await client.callTool('execute', { code: source })
    expect(isError).toBe(true)
    expect(text).toMatch(/read needs a file for .*page: http.*handle: upload\./s)
  })
})
