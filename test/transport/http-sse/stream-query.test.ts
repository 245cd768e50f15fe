/** The query of the URL of a 2024-11-05 stream, which code in front of the endpoint may read. */
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { McpServer } from '../../../src/index.ts'
import { connectHttpSse, initializeHttpSse } from '../../support/http-sse-client.ts'
import { openSessionApp } from '../../support/session-client.ts'
import { openFactoryApp } from '../../support/test-app.ts'
import { verifies } from '../../support/verifies.ts'

const app = openSessionApp()

const urlAfter = async (stream: string, lastEventId?: string) => {
  const connection = await connectHttpSse(app, lastEventId, `http://localhost:8787/sse${stream}`)
  await connection.stream.leave()
  return new URL(connection.url)
}

describe('the URL for messages of a 2024-11-05 stream', () => {
  it('has the query of the URL of the stream as it was sent, after the session id', async () => {
    verifies('http-sse/endpoint-event')
    const { search, pathname } = await urlAfter('?secret=a%20b%2Bc&flag&list=1&list=2')
    expect(pathname).toBe('/messages')
    expect(search).toMatch(/^\?sessionId=[^&]+&secret=a%20b%2Bc&flag&list=1&list=2$/)
    expect((await urlAfter('')).search).toMatch(/^\?sessionId=[^&]+$/)
    expect((await urlAfter('?')).search).toMatch(/^\?sessionId=[^&]+$/)
    expect((await urlAfter('/?x=1')).pathname).toBe('/messages')
  })

  it('has one session id, which is not that of the query', async () => {
    const { search } = await urlAfter('?sessionId=other&a=1&session%49d=third&sessionId')
    expect(search).toMatch(/^\?sessionId=[^&]+&a=1$/)
    expect(search).not.toContain('other')
  })

  it('cannot end the event that carries it', async () => {
    const { search } = await urlAfter('?a=%0Adata:%20x%0D%0A%0D%0Aevent:%20y')
    expect(search).toMatch(/^\?sessionId=[^&]+&a=%0Adata:%20x%0D%0A%0D%0Aevent:%20y$/)
  })

  it('has the query of the new stream where a client resumes', async () => {
    const { stream, send, lastId } = await initializeHttpSse(app)
    await send('ping', {}, 'p')
    await stream.message()
    await stream.leave()
    expect((await urlAfter('?secret=s', lastId())).search).toMatch(/&secret=s$/)
  })

  it('finds the session where the definition depends on the query', async () => {
    const factory = ({ params }: { params: { readonly [name: string]: string | undefined } }) => {
      const server = new McpServer({ name: 'query', version: '1' })
      server.registerTool(`of_${params.team}`, {}, async () => 'yes')
      return server
    }
    // The session object that is bound belongs to the server of this name.
    const audience = 'sessions'
    const options = { info: { name: 'query', version: '1' }, audience, queryParams: ['team'] }
    const teams = openFactoryApp(factory, options, env)
    const url = 'http://localhost:8787/sse?team=red'
    const { stream, send, url: messages } = await initializeHttpSse(teams, {}, url)
    expect(new URL(messages).searchParams.get('team')).toBe('red')
    expect((await send('ping', {}, 'p')).status).toBe(202)
    expect(await stream.message()).toEqual({ jsonrpc: '2.0', id: 'p', result: {} })
    await stream.leave()
  })
})
