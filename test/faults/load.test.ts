/** Many concurrent calls, slow readers, and calls without an answer. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type FixtureServer, startFixtureServer } from '../support/node/fixture-server.ts'
import { parseMessages } from '../support/sse-parser.ts'
import { verifies } from '../support/verifies.ts'
import { framed, modernCall, type RawCall, sessionCall } from './calls.ts'
import { Connection } from './connection.ts'

let server: FixtureServer

beforeAll(async () => {
  server = await startFixtureServer()
})

afterAll(() => server.stop())

async function send(call: RawCall): Promise<Connection> {
  const connection = await Connection.open(server.url)
  onTestFinished(() => connection.close())
  await connection.write(framed(call))
  return connection
}

async function expectServed(): Promise<void> {
  const { status, body } = await (await send(modernCall('echo', { text: 'served' }))).response()
  expect(status).toBe(200)
  expect(JSON.parse(body).result.content).toEqual([{ type: 'text', text: 'served' }])
}

/** The message of a body that is either JSON or a stream of one message. */
function messageOf(body: string) {
  return body.trimStart().startsWith('{') ? JSON.parse(body) : parseMessages(body)[0]
}

describe('a slow reader', () => {
  const BYTES = 8_388_608

  it.each([
    ['JSON', 'application/json'],
    ['a stream', 'text/event-stream'],
  ])(
    'does not delay other calls, and receives a complete large answer as %s',
    async (_, accept) => {
      const connection = await send(modernCall('big', { bytes: BYTES }, { accept }))
      // The client has read nothing yet, and the answer is larger than the socket buffers.
      await expectServed()
      const { body } = await connection.response()
      const [{ text }] = messageOf(body).result.content
      expect(text.length).toBe(BYTES)
      expect(text).toMatch(/^x+$/)
    },
  )

  it('does not affect the next request when it disconnects inside a large answer', async () => {
    for (const accept of ['application/json', 'text/event-stream']) {
      const connection = await send(modernCall('big', { bytes: BYTES }, { accept }))
      await connection.readUntil('xxxx')
      connection.close('reset')
    }
    await expectServed()
  })
})

describe('300 concurrent calls', () => {
  const CALLS = Array.from({ length: 300 }, (_, index) => index)

  it.each([
    ['modern', modernCall],
    ['session', sessionCall],
  ])('receive the right answers in a %s era when all have the same request id', async (_, call) => {
    verifies('base-protocol/response-has-the-id-of-its-request')
    const answers = await Promise.all(
      CALLS.map(async (index) => {
        const connection = await send(call('echo', { text: `text ${index}` }, { id: 7 }))
        return messageOf((await connection.response()).body)
      }),
    )
    expect(answers.map(({ id, result }) => [id, result.content[0].text])).toEqual(
      CALLS.map((index) => [7, `text ${index}`]),
    )
  })

  it('receive their own answers and notifications when half of them have the same request id', async () => {
    verifies('progress/token-of-an-active-request')
    verifies('streamable-http/notifications-relate-to-their-request')
    verifies('logging/messages-stay-on-their-stream')
    const answers = await Promise.all(
      CALLS.map(async (index) => {
        const call = modernCall(
          'progress',
          { count: 2, gapMs: 300 },
          { id: index % 2 === 0 ? 7 : index },
        )
        const body = call.body.replace('"_meta":{', `"_meta":{"progressToken":"token ${index}",`)
        const connection = await send({ ...call, body })
        return (await connection.response()).body
      }),
    )
    const received = answers.map((body) =>
      [...body.matchAll(/"progressToken":"([^"]*)","progress":(\d+)|"id":(\d+)/g)].map(
        ([, token, progress, id]) => id ?? `${token}: ${progress}`,
      ),
    )
    expect(received).toEqual(
      CALLS.map((index) => [
        `token ${index}: 1`,
        `token ${index}: 2`,
        index % 2 === 0 ? '7' : String(index),
      ]),
    )
  })
})

it('handlers that never settle do not delay other calls', async () => {
  const unanswered = await Promise.all(
    Array.from({ length: 50 }, (_, id) => send(modernCall('never', {}, { id }))),
  )
  await Promise.all(unanswered.map((connection) => connection.readUntil(': open')))
  await expectServed()
  expect(unanswered.some((connection) => connection.ended)).toBe(false)
})

it('requests whose body never arrives do not delay other calls', async () => {
  const { head } = modernCall('echo', { text: 'x' })
  await Promise.all(
    Array.from({ length: 50 }, async () => {
      const connection = await Connection.open(server.url)
      onTestFinished(() => connection.close())
      await connection.write(`${head}Content-Length: 1000\r\n\r\n{`)
    }),
  )
  await expectServed()
})

it.each([
  ['modern', modernCall],
  ['session-era', sessionCall],
])(
  'a %s stream without messages begins at once and contains keep-alive comments',
  async (_, call) => {
    const connection = await send(call('never', {}))
    const received = await connection.readUntil(': keepalive\n\n\r\nD\r\n: keepalive')
    expect(received).toContain('Content-Type: text/event-stream')
    expect(received.match(/^(?:: \w+|\w+: .*\n)$/gm)).toEqual([
      ': open',
      ': keepalive',
      ': keepalive',
    ])
  },
)
