/** One path for every transport: `httpSse.path` is the path of the endpoint. */
import { describe, expect, it } from 'vitest'
import { HttpSession } from '../../support/http-session.ts'
import { initializeHttpSse } from '../../support/http-sse-client.ts'
import { openSessionApp } from '../../support/session-client.ts'
import { ENDPOINT } from '../../support/test-app.ts'

const app = openSessionApp({ httpSse: { path: '/mcp', messagesPath: '/mcp/message' } })

describe('an endpoint on the path of the 2024-11-05 stream', () => {
  it('opens the stream for a GET without a session id, and answers on it', async () => {
    const { stream, send } = await initializeHttpSse(app, {}, ENDPOINT)
    expect((await send('ping', {}, 'p')).status).toBe(202)
    expect(await stream.message()).toEqual({ jsonrpc: '2.0', id: 'p', result: {} })
    await stream.leave()
  })

  it('serves the modern revision, and a session with its own stream', async () => {
    expect((await app.modern('server/discover')).status).toBe(200)
    const session = await HttpSession.open({ url: ENDPOINT, fetch: app.fetch })
    const stream = await session.listen()
    expect((await session.request('ping')).result).toEqual({})
    await stream.leave()
    expect((await session.end()).status).toBe(204)
  })
})
