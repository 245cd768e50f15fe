/** Clients of the 2024-11-05 transport whose stream is closed, and that reconnect without `Last-Event-ID`. */
import { describe, expect, it } from 'vitest'
import { connectHttpSse, initializeHttpSse } from '../../support/http-sse-client.ts'
import { openSessionApp } from '../../support/session-client.ts'
import { type Handler, keepHandler } from '../../support/session-server.ts'
import { verifies } from '../../support/verifies.ts'

// Frequent comments show soon that a client has disconnected.
const app = openSessionApp({ limits: { keepAliveMs: 100 } })

const run = (handler: Handler) => ({ name: 'run', arguments: keepHandler(handler) })

describe('a request that is posted while the stream is closed', () => {
  it('is refused with 404 when the client does not reconnect, and is not run', async () => {
    const { stream, send } = await initializeHttpSse(app)
    await stream.leave()
    let runs = 0
    const call = run(() => {
      runs++
      return 'done'
    })
    // A disconnected client is detected by a write, within one second.
    const status = async () => (await send('tools/call', call, crypto.randomUUID())).status
    await expect.poll(status).toBe(404)
    const before = runs
    const refused = await send('tools/call', call, 'late')
    expect([refused.status, await refused.json()]).toEqual([
      404,
      {
        jsonrpc: '2.0',
        id: 'late',
        error: {
          code: -32001,
          message:
            'The stream of this session is closed. Open a stream, and POST to its endpoint [session-not-found]',
        },
      },
    ])
    expect(runs).toBe(before)
  })

  it('is answered when the client resumes the stream in time', async () => {
    const { stream, send, lastId } = await initializeHttpSse(app)
    await stream.leave()
    const ping = async () => (await send('ping', {}, crypto.randomUUID())).status
    await expect.poll(ping).toBe(404)
    const posted = send(
      'tools/call',
      run(() => 'done'),
      'waiting',
    )
    const again = await connectHttpSse(app, lastId())
    expect((await posted).status).toBe(202)
    let message = await again.stream.message()
    // Pings that were accepted before the disconnection was detected are replayed.
    while (message.id !== 'waiting') message = await again.stream.message()
    expect(message.result.content[0].text).toBe('done')
  })
})

describe('a client that reconnects without Last-Event-ID and without initialize', () => {
  it('is served', async () => {
    verifies('http-sse/two-endpoints', 'http-sse/messages-by-post')
    const { stream, send } = await connectHttpSse(app)
    expect(
      (
        await send(
          'tools/call',
          run(() => 'done'),
        )
      ).status,
    ).toBe(202)
    expect((await stream.message()).result.content[0].text).toBe('done')
  })

  it.each<[string, Handler]>([
    [
      'elicitation/create',
      async ({ elicit }) => `${await elicit({ message: 'Go', url: 'https://x.example/' })}`,
    ],
    ['roots/list', async ({ listRoots }) => `${await listRoots()}`],
  ])('receives a tool error that says to reconnect instead of %s', async (method, handler) => {
    const { stream, send } = await connectHttpSse(app)
    await send('tools/call', run(handler))
    expect((await stream.message()).result).toEqual({
      content: [
        {
          type: 'text',
          text: `The client has reconnected without initialize, so it cannot answer ${method}. Disconnect and connect it again.`,
        },
      ],
      isError: true,
    })
  })
})
