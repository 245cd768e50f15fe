/** Requests that no conforming client sends to a session, each with its expected response. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type HeaderChanges, HttpSession } from '../../support/http-session.ts'
import { type FixtureServer, startFixtureServer } from '../../support/node/fixture-server.ts'
import { readMessage, SseReader } from '../../support/sse-reader.ts'
import { verifies } from '../../support/verifies.ts'

const PING = { jsonrpc: '2.0', id: 'p', method: 'ping' }
const INVALID_REQUEST = -32600
const INVALID_PARAMS = -32602
const NOT_FOUND = -32001

let server: FixtureServer
let session: HttpSession
beforeAll(async () => {
  server = await startFixtureServer()
  session = await HttpSession.open(server)
})
afterAll(() => server?.stop())

interface HostileRequest {
  readonly method?: string
  readonly body?: unknown
  readonly headers?: HeaderChanges
}

/** The status, and the code of the error if there is one. */
async function answerOf({
  method = 'POST',
  body,
  headers,
}: HostileRequest): Promise<[number, unknown?]> {
  const response = await session.fetch(method, method === 'POST' ? (body ?? PING) : body, headers)
  if (response.headers.get('content-type') === 'text/event-stream') {
    await response.body?.cancel()
    return [response.status, 'stream']
  }
  const text = await response.text()
  const code = text === '' ? undefined : JSON.parse(text).error?.code
  return code === undefined ? [response.status] : [response.status, code]
}

const id = (value: string) => ({ 'mcp-session-id': value })
const respond = (message: object): HostileRequest => ({ body: { jsonrpc: '2.0', ...message } })

describe('a session id', () => {
  it.each<[string, (id: string) => string]>([
    ['empty', () => ''],
    ['white space', () => '  '],
    ['sent twice', (own) => `${own}, ${own}`],
    ['an event id', (own) => `${own}~0`],
    ['one character too short', (own) => own.slice(0, -1)],
    ['one character too long', (own) => `${own}A`],
    ['padded like base64', (own) => `${own}=`],
    ['sealed with another key id', (own) => `1AAAAAAAA${own.slice(9)}`],
    ['__proto__', () => '__proto__'],
    ['a UUID', () => 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6'],
    ['16,000 characters long', () => 'x'.repeat(16_000)],
  ])('is answered 404 for every method when it is %s', async (_, alter) => {
    const headers = id(alter(session.id))
    const note = { jsonrpc: '2.0', method: 'notifications/initialized' }
    const answers = [
      await answerOf({ headers }),
      await answerOf({ headers, body: note }),
      await answerOf({ headers, body: { jsonrpc: '2.0', id: 'ask-0', result: {} } }),
      await answerOf({ headers, body: [PING] }),
      await answerOf({ headers, method: 'GET' }),
      await answerOf({ headers, method: 'DELETE' }),
    ]
    expect(answers).toEqual(Array.from({ length: 6 }, () => [404, NOT_FOUND]))
  })

  it('of one transport is unknown to the other transport', async () => {
    const stream = new SseReader(
      await fetch(new URL('/sse', server.url), { headers: { accept: 'text/event-stream' } }),
    )
    const address = new URL((await stream.data()) ?? '', server.url)
    const other = address.searchParams.get('sessionId') ?? ''
    expect(await answerOf({ headers: id(other) })).toEqual([404, NOT_FOUND])
    address.searchParams.set('sessionId', session.id)
    const headers = { 'content-type': 'application/json' }
    const there = await fetch(address, { method: 'POST', headers, body: JSON.stringify(PING) })
    expect([there.status, (await readMessage(there)).error.code]).toEqual([404, NOT_FOUND])
    await stream.leave()
  })
})

it.each(['/sse', '/sse/', '/sse/?x=1'])(
  'the endpoint event of GET %s names a path on this host',
  async (path) => {
    verifies('http-sse/endpoint-event')
    const headers = { accept: 'text/event-stream' }
    const stream = new SseReader(await fetch(new URL(path, server.url), { headers }))
    expect(await stream.data()).toMatch(/^\/messages\?sessionId=/)
    await stream.leave()
  },
)

describe('an HTTP request in a session', () => {
  const accepts = (accept: string | null): HostileRequest => ({
    method: 'GET',
    headers: { accept },
  })
  it.each<[string, HostileRequest, readonly unknown[]]>([
    ['PUT', { method: 'PUT' }, [405, INVALID_REQUEST]],
    ['PATCH', { method: 'PATCH' }, [405, INVALID_REQUEST]],
    ['HEAD', { method: 'HEAD' }, [405]],
    ['a GET that accepts JSON', accepts('application/json'), [406, INVALID_REQUEST]],
    [
      'a GET that accepts event streams with q=0',
      accepts('text/event-stream;q=0'),
      [406, INVALID_REQUEST],
    ],
    ['a GET that accepts any text', accepts('text/*'), [200, 'stream']],
    [
      'a GET without a session id',
      { method: 'GET', headers: { 'mcp-session-id': null } },
      [405, INVALID_REQUEST],
    ],
    [
      'a DELETE without a session id',
      { method: 'DELETE', headers: { 'mcp-session-id': null } },
      [400, INVALID_REQUEST],
    ],
    ['a POST that accepts HTML', { headers: { accept: 'text/html' } }, [406, INVALID_REQUEST]],
    [
      'a POST that accepts an event stream only',
      { headers: { accept: 'text/event-stream' } },
      [200, 'stream'],
    ],
    ['a POST that accepts JSON only', { headers: { accept: 'application/json' } }, [200]],
    ['a POST that accepts anything', { headers: { accept: '*/*' } }, [200]],
    ['a POST with a modern version', { headers: { 'mcp-protocol-version': '2026-07-28' } }, [200]],
    ['a POST with an unknown version', { headers: { 'mcp-protocol-version': 'banana' } }, [200]],
    [
      'a POST with two versions',
      { headers: { 'mcp-protocol-version': '2025-11-25, 2025-11-25' } },
      [200],
    ],
  ])('%s is answered with $2', async (_, hostile, expected) => {
    expect(await answerOf(hostile)).toEqual(expected)
  })
})

describe('a JSON-RPC response without an open ask', () => {
  it.each<[string, HostileRequest]>([
    ['a numeric id', respond({ id: 1, result: {} })],
    ['an empty id', respond({ id: '', result: {} })],
    [
      'an id in the form of an ask id',
      respond({ id: 'ask-00000000000000000000000000000000', result: {} }),
    ],
    ['the id __proto__', respond({ id: '__proto__', result: {} })],
    ['an error', respond({ id: 'ask-0', error: { code: -1, message: 'x' } })],
    ['an error and no id', respond({ error: { code: -1, message: 'x' } })],
    ['an error and the id null', respond({ id: null, error: { code: -1, message: 'x' } })],
  ])('is accepted and ignored with %s', async (_, hostile) => {
    expect(await answerOf(hostile)).toEqual([202])
  })
})

describe('a request id', () => {
  it.each<[string, string | number]>([
    ['zero', 0],
    ['empty', ''],
    ['negative', -1],
    ['__proto__', '__proto__'],
    ['in the form of an ask id', 'ask-00000000000000000000000000000000'],
    ['with line separators', 'a\u2028\n\r'],
    ['256 characters long', 'x'.repeat(256)],
  ])('may be %s, in JSON and on a stream, and can be used again', async (_, own) => {
    verifies('base-protocol/response-has-the-id-of-its-request')
    for (let time = 0; time < 2; time++) {
      const quick = await readMessage(await session.send('ping', {}, { id: own }))
      const sending = { id: own, progressToken: own }
      const [progress, answer] = await (
        await session.streamTool('progress', { count: 1, gapMs: 0 }, sending)
      ).rest()
      expect(quick.id).toBe(own)
      expect(progress.params.progressToken).toBe(own)
      expect(answer.id).toBe(own)
    }
  })

  it.each<[string, unknown]>([
    ['null', null],
    ['a fraction', 0.5],
    ['an array', [1]],
    ['an object', {}],
    ['257 characters long', 'x'.repeat(257)],
    ['a text with a lone surrogate', 'a\ud800'],
  ])('is refused when it is %s', async (_, own) => {
    verifies('base-protocol/request-has-an-id')
    verifies('base-protocol/request-id-is-not-null', { row: 'null' })
    expect(await answerOf({ body: { ...PING, id: own } })).toEqual([400, INVALID_REQUEST])
  })
})

describe('a notification', () => {
  const cancel = (params: unknown): HostileRequest => ({
    body: { jsonrpc: '2.0', method: 'notifications/cancelled', params },
  })
  it.each<[string, HostileRequest, readonly unknown[]]>([
    ['that cancels an unknown request', cancel({ requestId: 'nothing' }), [202]],
    ['that cancels an object as its request id', cancel({ requestId: {} }), [202]],
    ['that cancels without params', cancel(undefined), [202]],
    ['that cancels with an array of params', cancel([]), [400, INVALID_PARAMS]],
    ['with an unknown method', { body: { jsonrpc: '2.0', method: '\u2028' } }, [202]],
  ])('%s is answered $2', async (_, hostile, expected) => {
    verifies('streamable-http/refused-messages-have-an-error-status', {
      row: 'that cancels with an array of params',
    })

    expect(await answerOf(hostile)).toEqual(expected)
  })
})

describe('initialize', () => {
  it.each(['x', 'é', '漢', '😀'])(
    'opens a session with params of the maximum length in %s',
    async (letter) => {
      const text = (length: number) => letter.repeat(length / letter.length)
      const clientInfo = { name: text(500), version: text(500), title: text(500) }
      const capabilities = { elicitation: {}, experimental: { about: { text: text(1980) } } }
      const session = await HttpSession.open(server, { capabilities, clientInfo })
      expect((await session.send('ping')).status).toBe(200)
    },
  )

  it('opens a session that can be asked when capabilities exceed the maximum', async () => {
    const capabilities = {
      elicitation: {},
      experimental: { about: { text: '漢'.repeat(100_000) } },
    }
    const session = await HttpSession.open(server, { capabilities })
    const call = await session.streamTool('ask_count', { name: 'wordy' })
    expect((await call.message()).method).toBe('elicitation/create')
    await call.leave()
  })
})
