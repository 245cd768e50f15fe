/** A tool that takes two files. */
// features: files
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { file } from '../../../src/features/files/index.ts'
import { McpServer } from '../../../src/index.ts'
import { interceptOutbound } from '../../auth/server/support/outbound.ts'
import { openApp } from '../../support/test-app.ts'
import { BY_URL, CSV, call, put, REFERENCE } from './taking.ts'

const server = new McpServer({ name: 'two', version: '1.0.0' })
server.registerTool('compare', { files: { left: file(), right: file() } }, async ({ files }) => {
  return `${await files.left.text()}|${await files.right.text()}`
})
const to = openApp(server, {}, env)

/** The pages of a call that asks for both files, and the call after the answers. */
async function askedForBoth() {
  const caller = { to, capabilities: BY_URL }
  const { inputRequests, requestState } = await call('compare', {}, caller)
  const page = (name: string): string => inputRequests[`files.${name}`].params.url
  const answer = (left: string, right: string) =>
    call('compare', {}, caller, {
      requestState,
      inputResponses: { 'files.left': { action: left }, 'files.right': { action: right } },
    })
  return { left: page('left'), right: page('right'), answer }
}

describe('a call that takes two files', () => {
  it('receives each from its own page', async () => {
    const { left, right, answer } = await askedForBoth()
    expect((await put(right, { body: 'r' }, to)).status).toBe(201)
    expect((await put(left, { body: 'l' }, to)).status).toBe(201)
    expect((await answer('accept', 'accept')).content[0].text).toBe('l|r')
  })

  it('closes both pages when one is declined', async () => {
    const { left, right, answer } = await askedForBoth()
    const started = Date.now()
    expect((await answer('decline', 'accept')).isError).toBe(true)
    expect(Date.now() - started).toBeLessThan(5000)
    expect((await put(left, CSV, to)).status).toBe(410)
    expect((await put(right, CSV, to)).status).toBe(410)
  })

  it('downloads none when it ends with a ticket for the other', async () => {
    const asked = interceptOutbound(() => new Response('l'))
    const { _meta } = await call('compare', { left: REFERENCE }, { to })
    const [{ argument, page, handle }] = _meta['dev.edgeway/uploads']
    expect([argument, asked]).toEqual(['right', []])
    await put(page, { body: 'r' }, to)
    const { content } = await call('compare', { left: REFERENCE, right: handle }, { to })
    expect(content[0].text).toBe('l|r')
  })

  it('says that a reference is unknown before it ends with a ticket for the other', async () => {
    const { isError, content } = await call('compare', { left: 'upload.1abc' }, { to })
    expect([isError, content[0].text]).toEqual([true, expect.stringContaining('for "left"')])
  })
})
