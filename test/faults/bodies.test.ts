/** Request bodies that arrive oddly, or not at all. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type FixtureServer, startFixtureServer } from '../support/node/fixture-server.ts'
import { chunk, framed, modernCall } from './calls.ts'
import { Connection } from './connection.ts'

let server: FixtureServer

beforeAll(async () => {
  server = await startFixtureServer()
})

afterAll(() => server.stop())

async function open(): Promise<Connection> {
  const connection = await Connection.open(server.url)
  onTestFinished(() => connection.close())
  return connection
}

const echo = modernCall('echo', { text: 'whole' })
const ECHOED =
  '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"whole"}],"resultType":"complete",' +
  '"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"edgeway-fixture","version":"1.0.0"}}}}'
const NOT_UTF8 = '{"jsonrpc":"2.0","error":{"code":-32700,"message":"The body must be UTF-8"}}'
const NOT_JSON = '{"jsonrpc":"2.0","error":{"code":-32700,"message":"The body must be JSON"}}'
const CUT_OFF =
  '{"jsonrpc":"2.0","error":{"code":-32700,"message":"The body ended before it was complete. Send it again"}}'
const TOO_LARGE =
  '{"jsonrpc":"2.0","error":{"code":-32600,"message":"The body must have at most 4194304 bytes"}}'

/** The next request, on a connection of its own, gets its answer. */
async function expectNextServed(): Promise<void> {
  const connection = await open()
  await connection.write(framed(echo))
  expect(await connection.response()).toMatchObject({ status: 200, body: ECHOED })
}

describe('a body in many small pieces', () => {
  it('is read whole when it is framed by its length', async () => {
    const connection = await open()
    for (const byte of Buffer.from(framed(echo))) await connection.write(Uint8Array.of(byte))
    expect(await connection.response()).toMatchObject({ status: 200, body: ECHOED })
  })

  it('is read whole when every byte is a chunk', async () => {
    const connection = await open()
    await connection.write(`${echo.head}Transfer-Encoding: chunked\r\n\r\n`)
    for (const byte of Buffer.from(echo.body)) await connection.write(chunk(Uint8Array.of(byte)))
    await connection.write(chunk(''))
    expect(await connection.response()).toMatchObject({ status: 200, body: ECHOED })
  })
})

describe('a body that is cut off', () => {
  const half = echo.body.slice(0, 40)
  const lengthFramed = `${echo.head}Content-Length: ${echo.body.length}\r\n\r\n${half}`
  const chunked = `${echo.head}Transfer-Encoding: chunked\r\n\r\n${chunk(half)}`

  it.each([
    ['by its length', lengthFramed],
    ['in chunks', chunked],
  ])('is refused when the sender, framing %s, has finished', async (_, bytes) => {
    const connection = await open()
    await connection.write(bytes)
    connection.finish()
    expect(await connection.response()).toMatchObject({ status: 400, body: CUT_OFF })
    await expectNextServed()
  })

  it.each([
    ['by its length', lengthFramed],
    ['in chunks', chunked],
  ])('leaves the server serving when the sender, framing %s, is gone', async (_, bytes) => {
    for (const how of ['fin', 'reset'] as const) {
      const connection = await open()
      await connection.write(bytes)
      connection.close(how)
    }
    await expectNextServed()
  })
})

describe('a Content-Length that does not tell the truth', () => {
  it.each([0, 3, 1_000_000])(
    'is ignored beside a Transfer-Encoding, and the connection ends (%i)',
    async (length) => {
      const connection = await open()
      const framing = `Content-Length: ${length}\r\nTransfer-Encoding: chunked\r\n\r\n`
      const smuggled = framed(modernCall('count', { name: 'smuggled' }))
      await connection.write(`${echo.head}${framing}${chunk(echo.body)}${chunk('')}${smuggled}`)
      expect(await connection.response()).toMatchObject({ status: 200, body: ECHOED })
      expect(await connection.rest()).toBe('')
    },
  )

  it('refuses a length over the limit without waiting for the body', async () => {
    const connection = await open()
    await connection.write(`${echo.head}Content-Length: 4194305\r\n\r\n`)
    expect(await connection.response()).toMatchObject({ status: 413, body: TOO_LARGE })
    await expectNextServed()
  })

  it('refuses a body that is shorter than its length', async () => {
    const connection = await open()
    await connection.write(
      `${echo.head}Content-Length: ${echo.body.length + 1}\r\n\r\n${echo.body}`,
    )
    connection.finish()
    expect(await connection.response()).toMatchObject({ status: 400, body: CUT_OFF })
    await expectNextServed()
  })

  it('reads no further than a length that is too small', async () => {
    const connection = await open()
    await connection.write(
      `${echo.head}Content-Length: ${echo.body.length - 1}\r\n\r\n${echo.body}`,
    )
    expect(await connection.response()).toMatchObject({ status: 400, body: NOT_JSON })
    await expectNextServed()
  })

  it.each(['-1', '0x10', '1e3', '', '99999999999999999999'])(
    'refuses one that is no number: "%s"',
    async (length) => {
      const connection = await open()
      await connection.write(`${echo.head}Content-Length: ${length}\r\n\r\n${echo.body}`)
      expect((await connection.response()).status).toBe(400)
      await expectNextServed()
    },
  )
})

describe('a chunked body over the limit', () => {
  it('is refused on the way, and the rest is not read', async () => {
    const connection = await open()
    const piece = chunk('x'.repeat(65_536))
    await connection.write(`${echo.head}Transfer-Encoding: chunked\r\n\r\n`)
    for (let pieces = 0; pieces < 64; pieces++) await connection.write(piece)
    // So far it is exactly the limit. With one byte more, and no end in sight, it is refused.
    await connection.write(chunk('x'))
    expect(await connection.response()).toMatchObject({ status: 413, body: TOO_LARGE })
    const most = 1024
    let more = 0
    while (more < most && (await connection.write(piece))) more++
    expect(more).toBeLessThan(most)
    await expectNextServed()
  })

  it('is served up to the limit', async () => {
    const call = modernCall('echo', { text: '' })
    const padded = call.body + ' '.repeat(4_194_304 - call.body.length)
    const connection = await open()
    await connection.write(`${call.head}Transfer-Encoding: chunked\r\n\r\n`)
    await connection.write(Buffer.concat([chunk(padded), chunk('')]))
    expect((await connection.response()).status).toBe(200)
  })
})

describe('a large body that is refused unread', () => {
  const type = { 'content-type': 'application/json' }
  const REFUSED: readonly (readonly [string, string, Record<string, string>, number, number])[] = [
    ['as too large', '/mcp', type, 5_000_000, 413],
    ['for its type', '/mcp', { 'content-type': 'text/plain' }, 4_000_000, 415],
    ['for its origin', '/mcp', { ...type, origin: 'https://evil.example' }, 4_000_000, 403],
    ['for what it accepts', '/mcp', { ...type, accept: 'text/html' }, 4_000_000, 406],
    ['where nothing is', '/nope', type, 4_000_000, 404],
    ['by its method', '/sse', type, 4_000_000, 405],
  ]
  it.each(REFUSED)('gets its answer: %s', async (_, path, headers, size, status) => {
    const body = Buffer.alloc(size, 'x')
    for (let count = 0; count < 4; count++) {
      const response = await fetch(new URL(path, server.url), { method: 'POST', headers, body })
      expect([response.status, typeof (await response.json())]).toEqual([status, 'object'])
    }
  })
})

describe('bytes that are not UTF-8', () => {
  const [before = '', after = ''] = modernCall('echo', { text: '@' }).body.split('@')
  const withText = (...bytes: readonly number[]) =>
    Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)])
  const byteOrderMark = Buffer.of(0xef, 0xbb, 0xbf)

  const WRONG: readonly (readonly [string, Buffer])[] = [
    ['a stray byte', withText(0xff)],
    ['a lone continuation', withText(0x80)],
    ['an overlong NUL', withText(0xc0, 0x80)],
    ['a surrogate', withText(0xed, 0xa0, 0x80)],
    ['a character cut after two bytes', withText(0xe2, 0x82)],
    ['a stray byte after a byte order mark', Buffer.concat([byteOrderMark, withText(0xff)])],
    ['a stray byte beside a U+FFFD that was really sent', withText(0xef, 0xbf, 0xbd, 0xff)],
    ['Latin-1', Buffer.from(modernCall('echo', { text: 'für' }).body, 'latin1')],
  ]
  /** As long as the U+FFFD that a lenient decoder puts in the place of each fault. */
  const UNSEEN: readonly (readonly [string, Buffer, string])[] = [
    ['a character cut after three bytes', withText(0xf0, 0x9f, 0x98), '\ufffd'],
    [
      'a byte order mark, and faults that make up for its length',
      Buffer.concat([byteOrderMark, withText(0xff, 0x20, 0xe2, 0x82, 0x20)]),
      '\ufffd \ufffd ',
    ],
  ]

  async function send(framing: 'length' | 'chunks', bytes: Buffer) {
    const connection = await open()
    await (framing === 'length'
      ? connection.write(`${echo.head}Content-Length: ${bytes.length}\r\n\r\n`)
      : connection.write(`${echo.head}Transfer-Encoding: chunked\r\n\r\n`))
    const last = framing === 'length' ? bytes : Buffer.concat([chunk(bytes), chunk('')])
    await connection.write(last)
    return connection.response()
  }

  describe.each(['length', 'chunks'] as const)('framed by %s', (framing) => {
    it.each(WRONG)('are refused: %s', async (_, bytes) => {
      expect(await send(framing, bytes)).toMatchObject({ status: 400, body: NOT_UTF8 })
    })

    it('are refused as JSON where they happen to be UTF-8: UTF-16 without a mark', async () => {
      const utf16 = Buffer.from(echo.body, 'utf16le')
      expect(await send(framing, utf16)).toMatchObject({ status: 400, body: NOT_JSON })
    })

    it('are not a U+FFFD that was really sent', async () => {
      const { status, body } = await send(framing, withText(0xef, 0xbf, 0xbd))
      expect(status).toBe(200)
      expect(JSON.parse(body).result.content).toEqual([{ type: 'text', text: '\ufffd' }])
    })

    it('are not a byte order mark at the start', async () => {
      const { status, body } = await send(framing, Buffer.concat([byteOrderMark, withText(0x78)]))
      expect(status).toBe(200)
      expect(JSON.parse(body).result.content).toEqual([{ type: 'text', text: 'x' }])
    })

    it('are not a byte order mark before a U+FFFD that was really sent', async () => {
      const bytes = Buffer.concat([byteOrderMark, withText(0xef, 0xbf, 0xbd)])
      const { status, body } = await send(framing, bytes)
      expect(status).toBe(200)
      expect(JSON.parse(body).result.content).toEqual([{ type: 'text', text: '\ufffd' }])
    })
  })

  it.each(UNSEEN)('are refused in chunks: %s', async (_, bytes) => {
    expect(await send('chunks', bytes)).toMatchObject({ status: 400, body: NOT_UTF8 })
  })

  it.each(UNSEEN)(
    'read as U+FFFD where their number is that of the text: %s',
    async (_, bytes, text) => {
      const { status, body } = await send('length', bytes)
      expect(status).toBe(200)
      expect(JSON.parse(body).result.content).toEqual([{ type: 'text', text }])
    },
  )
})
