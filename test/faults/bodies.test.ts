/** Request bodies in unusual pieces, incomplete, with wrong framing, too large, or not UTF-8. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type FixtureServer, startFixtureServer } from '../support/node/fixture-server.ts'
import { verifies } from '../support/verifies.ts'
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
const NOT_UTF8 =
  '{"jsonrpc":"2.0","error":{"code":-32700,"message":"The body must be UTF-8 [body-not-json]"}}'
const NOT_JSON =
  '{"jsonrpc":"2.0","error":{"code":-32700,"message":"The body must be JSON [body-not-json]"}}'
const CUT_OFF =
  '{"jsonrpc":"2.0","error":{"code":-32700,"message":"The body ended before it was complete. Send it again [body-incomplete]"}}'
const TOO_LARGE =
  '{"jsonrpc":"2.0","error":{"code":-32600,"message":"The body must have at most 4194304 bytes [body-too-large]"}}'

/** Checks that the server answers the next request, on another connection. */
async function expectNextServed(): Promise<void> {
  const connection = await open()
  await connection.write(framed(echo))
  expect(await connection.response()).toMatchObject({ status: 200, body: ECHOED })
}

describe('a body in many small pieces', () => {
  it('is read completely when Content-Length frames it', async () => {
    const connection = await open()
    for (const byte of Buffer.from(framed(echo))) await connection.write(Uint8Array.of(byte))
    expect(await connection.response()).toMatchObject({ status: 200, body: ECHOED })
  })

  it('is read completely when every byte is a chunk', async () => {
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
    ['Content-Length', lengthFramed],
    ['chunks', chunked],
  ])('is refused when the client ends its side (framed by %s)', async (_, bytes) => {
    const connection = await open()
    await connection.write(bytes)
    connection.finish()
    expect(await connection.response()).toMatchObject({ status: 400, body: CUT_OFF })
    await expectNextServed()
  })

  it.each([
    ['Content-Length', lengthFramed],
    ['chunks', chunked],
  ])(
    'does not affect the next request when the client disconnects (framed by %s)',
    async (_, bytes) => {
      for (const how of ['fin', 'reset'] as const) {
        const connection = await open()
        await connection.write(bytes)
        connection.close(how)
      }
      await expectNextServed()
    },
  )
})

describe('a wrong Content-Length', () => {
  it.each([0, 3, 1_000_000])(
    'is ignored when there is a Transfer-Encoding, and the connection is closed (%i)',
    async (length) => {
      const connection = await open()
      const framing = `Content-Length: ${length}\r\nTransfer-Encoding: chunked\r\n\r\n`
      const smuggled = framed(modernCall('count', { name: 'smuggled' }))
      await connection.write(`${echo.head}${framing}${chunk(echo.body)}${chunk('')}${smuggled}`)
      expect(await connection.response()).toMatchObject({ status: 200, body: ECHOED })
      expect(await connection.rest()).toBe('')
    },
  )

  it('over the limit is refused before the body arrives', async () => {
    const connection = await open()
    await connection.write(`${echo.head}Content-Length: 4194305\r\n\r\n`)
    expect(await connection.response()).toMatchObject({ status: 413, body: TOO_LARGE })
    await expectNextServed()
  })

  it('is refused when it is larger than the body', async () => {
    const connection = await open()
    await connection.write(
      `${echo.head}Content-Length: ${echo.body.length + 1}\r\n\r\n${echo.body}`,
    )
    connection.finish()
    expect(await connection.response()).toMatchObject({ status: 400, body: CUT_OFF })
    await expectNextServed()
  })

  it('truncates the body when it is too small', async () => {
    const connection = await open()
    await connection.write(
      `${echo.head}Content-Length: ${echo.body.length - 1}\r\n\r\n${echo.body}`,
    )
    expect(await connection.response()).toMatchObject({ status: 400, body: NOT_JSON })
    await expectNextServed()
  })

  it.each(['-1', '0x10', '1e3', '', '99999999999999999999'])(
    'is refused when it is not a number: "%s"',
    async (length) => {
      const connection = await open()
      await connection.write(`${echo.head}Content-Length: ${length}\r\n\r\n${echo.body}`)
      expect((await connection.response()).status).toBe(400)
      await expectNextServed()
    },
  )
})

describe('a chunked body over the limit', () => {
  it('is refused before it ends, and the rest is not read', async () => {
    const connection = await open()
    const piece = chunk('x'.repeat(65_536))
    await connection.write(`${echo.head}Transfer-Encoding: chunked\r\n\r\n`)
    for (let pieces = 0; pieces < 64; pieces++) await connection.write(piece)
    // So far the body has exactly the size of the limit. One more byte exceeds it.
    await connection.write(chunk('x'))
    expect(await connection.response()).toMatchObject({ status: 413, body: TOO_LARGE })
    const most = 1024
    let more = 0
    while (more < most && (await connection.write(piece))) more++
    expect(more).toBeLessThan(most)
    await expectNextServed()
  })

  it('is served when it has exactly the size of the limit', async () => {
    const call = modernCall('echo', { text: '' })
    const padded = call.body + ' '.repeat(4_194_304 - call.body.length)
    const connection = await open()
    await connection.write(`${call.head}Transfer-Encoding: chunked\r\n\r\n`)
    await connection.write(Buffer.concat([chunk(padded), chunk('')]))
    expect((await connection.response()).status).toBe(200)
  })
})

describe('a large body that is refused before it is read', () => {
  const type = { 'content-type': 'application/json' }
  const REFUSED: readonly (readonly [string, string, Record<string, string>, number, number])[] = [
    ['for its size', '/mcp', type, 5_000_000, 413],
    ['for its type', '/mcp', { 'content-type': 'text/plain' }, 4_000_000, 415],
    ['for its origin', '/mcp', { ...type, origin: 'https://evil.example' }, 4_000_000, 403],
    ['for its Accept header', '/mcp', { ...type, accept: 'text/html' }, 4_000_000, 406],
    ['for its path', '/nope', type, 4_000_000, 404],
    ['for its method', '/sse', type, 4_000_000, 405],
  ]
  it.each(REFUSED)(
    'receives its complete error response when it is refused %s',
    async (_, path, headers, size, status) => {
      const body = Buffer.alloc(size, 'x')
      for (let count = 0; count < 4; count++) {
        const response = await fetch(new URL(path, server.url), { method: 'POST', headers, body })
        expect([response.status, typeof (await response.json())]).toEqual([status, 'object'])
      }
    },
  )
})

describe('a body that is not UTF-8', () => {
  const [before = '', after = ''] = modernCall('echo', { text: '@' }).body.split('@')
  const withText = (...bytes: readonly number[]) =>
    Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)])
  const byteOrderMark = Buffer.of(0xef, 0xbb, 0xbf)

  /** Faults that have the same length as the U+FFFD with which a lenient decoder replaces them. */
  const SAME_LENGTH: readonly (readonly [string, Buffer, string])[] = [
    ['a character cut after three bytes', withText(0xf0, 0x9f, 0x98), '\ufffd'],
    [
      'a byte order mark, and faults that compensate for its length',
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
    it.each([
      ['an invalid byte', withText(0xff)],
      ['an invalid byte after an encoded U+FFFD', withText(0xef, 0xbf, 0xbd, 0xff)],
    ])('is refused: %s', async (_, bytes) => {
      verifies('base-protocol/utf-8')
      expect(await send(framing, bytes)).toMatchObject({ status: 400, body: NOT_UTF8 })
    })

    it.each([
      ['an encoded U+FFFD', withText(0xef, 0xbf, 0xbd)],
      ['a byte order mark before one', Buffer.concat([byteOrderMark, withText(0xef, 0xbf, 0xbd)])],
    ])('is distinguished from %s, which is accepted', async (_, bytes) => {
      const { status, body } = await send(framing, bytes)
      expect(status).toBe(200)
      expect(JSON.parse(body).result.content).toEqual([{ type: 'text', text: '\ufffd' }])
    })
  })

  it.each(SAME_LENGTH)('is refused in chunks: %s', async (_, bytes) => {
    expect(await send('chunks', bytes)).toMatchObject({ status: 400, body: NOT_UTF8 })
  })

  it.each(SAME_LENGTH)(
    'is read with U+FFFD when its length is that of the decoded text: %s',
    async (_, bytes, text) => {
      const { status, body } = await send('length', bytes)
      expect(status).toBe(200)
      expect(JSON.parse(body).result.content).toEqual([{ type: 'text', text }])
    },
  )
})
