/** Requests that no honest client sends to a session, each with its one right answer. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FixtureServer, startFixtureServer } from '../../support/node/fixture-server.ts'
import { EventReader } from './event-reader.ts'
import { lastMessage, type Sending, Session } from './session.ts'

const PING = { jsonrpc: '2.0', id: 'p', method: 'ping' }
const INVALID_REQUEST = -32600
const INVALID_PARAMS = -32602
const NOT_FOUND = -32001

let server: FixtureServer
let session: Session
beforeAll(async () => {
  server = await startFixtureServer()
  session = await Session.open(server.url)
})
afterAll(() => server?.stop())

interface Hostile {
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Sending['headers']
}

/** The status, and the code of the error where there is one. */
async function answerOf({ method = 'POST', body, headers }: Hostile): Promise<[number, unknown?]> {
  const sent = method === 'POST' ? (body ?? PING) : body
  const response = await session.fetch(method, sent, headers)
  if (response.headers.get('content-type') === 'text/event-stream') {
    await response.body?.cancel()
    return [response.status, 'stream']
  }
  const text = await response.text()
  const code = text === '' ? undefined : JSON.parse(text).error?.code
  return code === undefined ? [response.status] : [response.status, code]
}

const id = (value: string) => ({ 'mcp-session-id': value })
const respond = (message: object): Hostile => ({ body: { jsonrpc: '2.0', ...message } })

describe('a session id', () => {
  it.each<[string, (id: string) => string]>([
    ['empty', () => ''],
    ['of white space', () => '  '],
    ['given twice', (own) => `${own}, ${own}`],
    ['of an event', (own) => `${own}~0`],
    ['cut short', (own) => own.slice(0, -1)],
    ['with one character more', (own) => `${own}A`],
    ['padded as base64', (own) => `${own}=`],
    ['of another key', (own) => `1AAAAAAAA${own.slice(9)}`],
    ['of a prototype', () => '__proto__'],
    ['that was made up', () => 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6'],
    ['of 16,000 characters', () => 'x'.repeat(16_000)],
  ])('%s is unknown to every method', async (_, alter) => {
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

  it('of the other transport is unknown here, and one from here is unknown there', async () => {
    const stream = new EventReader(
      await fetch(new URL('/sse', server.url), { headers: { accept: 'text/event-stream' } }),
    )
    const address = new URL((await stream.data()) ?? '', server.url)
    const other = address.searchParams.get('sessionId') ?? ''
    expect(await answerOf({ headers: id(other) })).toEqual([404, NOT_FOUND])
    address.searchParams.set('sessionId', session.id)
    const headers = { 'content-type': 'application/json' }
    const there = await fetch(address, { method: 'POST', headers, body: JSON.stringify(PING) })
    expect([there.status, (await lastMessage(there)).error.code]).toEqual([404, NOT_FOUND])
    await stream.leave()
  })
})

it.each(['/sse', '/sse/', '/sse/?x=1'])(
  'the address for messages is on this host: %s',
  async (path) => {
    const headers = { accept: 'text/event-stream' }
    const stream = new EventReader(await fetch(new URL(path, server.url), { headers }))
    expect(await stream.data()).toMatch(/^\/messages\?sessionId=/)
    await stream.leave()
  },
)

describe('a method and what it accepts', () => {
  const accepts = (accept: string | null): Hostile => ({ method: 'GET', headers: { accept } })
  it.each<[string, Hostile, readonly unknown[]]>([
    ['PUT', { method: 'PUT' }, [405, INVALID_REQUEST]],
    ['PATCH', { method: 'PATCH' }, [405, INVALID_REQUEST]],
    ['HEAD', { method: 'HEAD' }, [405]],
    ['GET of JSON', accepts('application/json'), [406, INVALID_REQUEST]],
    ['GET of no events', accepts('text/event-stream;q=0'), [406, INVALID_REQUEST]],
    ['GET of any text', accepts('text/*'), [200, 'stream']],
    [
      'GET without a session',
      { method: 'GET', headers: { 'mcp-session-id': null } },
      [405, INVALID_REQUEST],
    ],
    [
      'DELETE without a session',
      { method: 'DELETE', headers: { 'mcp-session-id': null } },
      [400, INVALID_REQUEST],
    ],
    ['POST of HTML', { headers: { accept: 'text/html' } }, [406, INVALID_REQUEST]],
    ['POST of a stream alone', { headers: { accept: 'text/event-stream' } }, [200, 'stream']],
    ['POST of JSON alone', { headers: { accept: 'application/json' } }, [200]],
    ['POST of anything', { headers: { accept: '*/*' } }, [200]],
    ['a modern version', { headers: { 'mcp-protocol-version': '2026-07-28' } }, [200]],
    ['an unknown version', { headers: { 'mcp-protocol-version': 'banana' } }, [200]],
    ['two versions', { headers: { 'mcp-protocol-version': '2025-11-25, 2025-11-25' } }, [200]],
  ])('%s', async (_, hostile, expected) => {
    expect(await answerOf(hostile)).toEqual(expected)
  })
})

describe('a response to nothing', () => {
  it.each<[string, Hostile]>([
    ['by a number', respond({ id: 1, result: {} })],
    ['by an empty text', respond({ id: '', result: {} })],
    ['like an ask', respond({ id: 'ask-00000000000000000000000000000000', result: {} })],
    ['of a prototype', respond({ id: '__proto__', result: {} })],
    ['that is an error', respond({ id: 'ask-0', error: { code: -1, message: 'x' } })],
    ['that is an error of nothing', respond({ error: { code: -1, message: 'x' } })],
    ['that is an error of null', respond({ id: null, error: { code: -1, message: 'x' } })],
  ])('%s is taken and forgotten', async (_, hostile) => {
    expect(await answerOf(hostile)).toEqual([202])
  })
})

describe('the id of a request', () => {
  it.each<[string, string | number]>([
    ['zero', 0],
    ['empty', ''],
    ['negative', -1],
    ['of a prototype', '__proto__'],
    ['like an ask', 'ask-00000000000000000000000000000000'],
    ['with a lone surrogate', 'a\ud800'],
    ['with line ends', 'a\u2028\n\r'],
    ['of 256 characters', 'x'.repeat(256)],
  ])('may be %s, in an answer and in a stream, again and again', async (_, own) => {
    for (let time = 0; time < 2; time++) {
      const quick = await lastMessage(await session.send('ping', {}, { id: own }))
      const sending = { id: own, progressToken: own }
      const [news, answer] = await (
        await session.stream('progress', { count: 1, gapMs: 0 }, sending)
      ).rest()
      expect(quick.id).toBe(own)
      expect(news.params.progressToken).toBe(own)
      expect(answer.id).toBe(own)
    }
  })

  it.each<[string, unknown]>([
    ['null', null],
    ['a fraction', 0.5],
    ['a list', [1]],
    ['an object', {}],
    ['of 257 characters', 'x'.repeat(257)],
  ])('may not be %s', async (_, own) => {
    expect(await answerOf({ body: { ...PING, id: own } })).toEqual([400, INVALID_REQUEST])
  })
})

describe('a notification', () => {
  const cancel = (params: unknown): Hostile => ({
    body: { jsonrpc: '2.0', method: 'notifications/cancelled', params },
  })
  it.each<[string, Hostile, readonly unknown[]]>([
    ['that cancels nothing', cancel({ requestId: 'nothing' }), [202]],
    ['that cancels an object', cancel({ requestId: {} }), [202]],
    ['that cancels without a word', cancel(undefined), [202]],
    ['that cancels with a list', cancel([]), [400, INVALID_PARAMS]],
    ['nobody has heard of', { body: { jsonrpc: '2.0', method: '\u2028' } }, [202]],
  ])('%s', async (_, hostile, expected) => {
    expect(await answerOf(hostile)).toEqual(expected)
  })
})

describe('an introduction', () => {
  it.each(['x', 'é', '漢', '😀'])(
    'as long as it may be, in %s, opens a session',
    async (letter) => {
      const text = (length: number) => letter.repeat(length / letter.length)
      const clientInfo = { name: text(500), version: text(500), title: text(500) }
      const capabilities = { elicitation: {}, experimental: { about: { text: text(1980) } } }
      const wordy = await Session.open(server.url, { capabilities, clientInfo })
      expect((await wordy.send('ping')).status).toBe(200)
    },
  )

  it('which is longer still can be asked all the same', async () => {
    const capabilities = {
      elicitation: {},
      experimental: { about: { text: '漢'.repeat(100_000) } },
    }
    const wordy = await Session.open(server.url, { capabilities })
    const call = await wordy.stream('ask_count', { name: 'wordy' })
    expect((await call.message()).method).toBe('elicitation/create')
    await call.leave()
  })
})
