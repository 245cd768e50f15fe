/** Files that a test passes to a tool: the same result by each way. */
// features: files, sessions

import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { file, files } from '../../../src/features/files/index.ts'
import { McpServer } from '../../../src/index.ts'
import { type ClientOptions, connect } from '../src/index.ts'

function createServer() {
  const server = new McpServer({ name: 'files-of-tests', version: '1' })
  server.registerTool(
    'count',
    {
      files: {
        list: file({ types: ['text/csv'], maxBytes: 100 }),
        other: file({ required: false }),
      },
    },
    async ({ files: { list, other } }) =>
      `${list.name} ${list.mimeType} ${(await list.text()).split('\n').length} ${(await other?.text()) ?? 'none'}`,
  )
  return server
}

const open = (options: ClientOptions) =>
  connect(createServer(), { ...options, features: [files()], env })

const list = new File(['a\nb'], 'a list.csv', { type: 'text/csv' })

describe('callTool with files', () => {
  it.each<[string, ClientOptions, number]>([
    ['at the page that the tool asks to open', {}, 1],
    ['at the page of a ticket', { capabilities: {} }, 0],
    ['in a call of 2025-11-25 without a session', { revision: '2025-11-25' }, 0],
  ])('passes them %s', async (_, options, asks) => {
    const client = await open(options)
    const { text } = await client.callTool('count', {}, { files: { list } })
    expect(text).toBe('a list.csv text/csv 2 none')
    expect(client.asks).toHaveLength(asks)
    const both = { list, other: new File(['x'], 'x.txt') }
    expect((await client.callTool('count', {}, { files: both })).text).toBe(
      'a list.csv text/csv 2 x',
    )
  })

  it('rejects when the page refuses a file', async () => {
    const client = await open({ capabilities: {} })
    const html = new File(['a'], 'a.html', { type: 'text/html' })
    await expect(client.callTool('count', {}, { files: { list: html } })).rejects.toThrow(
      'The type of the file must be text/csv',
    )
  })
})
