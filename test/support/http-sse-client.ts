/** A client of the 2024-11-05 transport in workerd. */
import { expect } from 'vitest'
import { SseReader } from './sse-reader.ts'
import { ENDPOINT, type TestApp } from './test-app.ts'

const INITIALIZE = {
  protocolVersion: '2024-11-05',
  capabilities: { elicitation: {}, roots: {} },
  clientInfo: { name: 'old', version: '1.0.0' },
}

export interface HttpSseConnection {
  readonly stream: SseReader
  readonly lastId: () => string
  /** The session id. */
  readonly id: string
  /** The URL for messages. */
  readonly url: string
  send(method: string, params: object, id?: string): Promise<Response>
}

export async function connectHttpSse(
  app: Pick<TestApp, 'fetch'>,
  lastEventId?: string,
  streamUrl = new URL('/sse', ENDPOINT).href,
): Promise<HttpSseConnection> {
  const headers: Record<string, string> = { accept: 'text/event-stream' }
  if (lastEventId !== undefined) headers['last-event-id'] = lastEventId
  const stream = new SseReader(await app.fetch(new Request(streamUrl, { headers })))
  let path: string | undefined
  while (path === undefined) {
    const event = await stream.next()
    if (event?.event === 'endpoint') path = event.data
  }
  const url = new URL(path, streamUrl)
  const send: HttpSseConnection['send'] = (method, params, id = '1') =>
    app.fetch(
      new Request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
      }),
    )
  const id = url.searchParams.get('sessionId') ?? ''
  return { stream, id, url: url.href, lastId: () => stream.lastId, send }
}

/** Connects and initializes. */
export async function initializeHttpSse(
  app: Pick<TestApp, 'fetch'>,
  introduction: object = {},
  streamUrl?: string,
): Promise<HttpSseConnection> {
  const connection = await connectHttpSse(app, undefined, streamUrl)
  const params = { ...INITIALIZE, ...introduction }
  expect((await connection.send('initialize', params, 'init')).status).toBe(202)
  expect((await connection.stream.message()).id).toBe('init')
  return connection
}
