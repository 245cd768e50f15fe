/** Many callers, slow ones, and ones that never get an answer. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type FixtureServer, startFixtureServer } from '../support/node/fixture-server.ts'
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

/** The message of an answer that is either JSON or a stream with nothing but the answer. */
function messageOf(body: string) {
  const data = /^data: (.*)$/m.exec(body)
  return JSON.parse(data?.[1] ?? body)
}

describe('a slow reader', () => {
  const BYTES = 8_388_608

  it.each([
    ['JSON', 'application/json'],
    ['a stream', 'text/event-stream'],
  ])('holds nobody up, and gets all of a large answer as %s', async (_, accept) => {
    const connection = await send(modernCall('big', { bytes: BYTES }, { accept }))
    // Nothing of the answer has been read; more is on its way than the sockets take.
    await expectServed()
    const { body } = await connection.response()
    const [{ text }] = messageOf(body).result.content
    expect(text.length).toBe(BYTES)
    expect(text).toMatch(/^x+$/)
  })

  it('that leaves in the middle of a large answer leaves the server serving', async () => {
    for (const accept of ['application/json', 'text/event-stream']) {
      const connection = await send(modernCall('big', { bytes: BYTES }, { accept }))
      await connection.readUntil('xxxx')
      connection.close('reset')
    }
    await expectServed()
  })
})

describe('300 calls at once', () => {
  const CALLS = Array.from({ length: 300 }, (_, index) => index)

  it.each([
    ['modern', modernCall],
    ['session-era', sessionCall],
  ])('%s: each gets the answer to its own question', async (_, call) => {
    const answers = await Promise.all(
      CALLS.map(async (id) => {
        const connection = await send(call('echo', { text: `text ${id}` }, { id }))
        return messageOf((await connection.response()).body)
      }),
    )
    expect(answers.map(({ id, result }) => [id, result.content[0].text])).toEqual(
      CALLS.map((id) => [id, `text ${id}`]),
    )
  })

  it('with one id: each gets the answer to its own question', async () => {
    const answers = await Promise.all(
      CALLS.map(async (index) => {
        const connection = await send(modernCall('echo', { text: `text ${index}` }, { id: 7 }))
        return messageOf((await connection.response()).body)
      }),
    )
    expect(answers.map(({ result }) => result.content[0].text)).toEqual(
      CALLS.map((index) => `text ${index}`),
    )
  })

  it('that overlap, with one id and all others: each gets its own answer and notifications', async () => {
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
    const said = answers.map((body) =>
      [...body.matchAll(/"progressToken":"([^"]*)","progress":(\d+)|"id":(\d+)/g)].map(
        ([, token, progress, id]) => id ?? `${token}: ${progress}`,
      ),
    )
    expect(said).toEqual(
      CALLS.map((index) => [
        `token ${index}: 1`,
        `token ${index}: 2`,
        index % 2 === 0 ? '7' : String(index),
      ]),
    )
  })

  it('that count: no count is lost and none is given twice', async () => {
    const values = await Promise.all(
      CALLS.map(async (id) => {
        const connection = await send(modernCall('count', { name: 'at-once' }, { id }))
        return messageOf((await connection.response()).body).result.structuredContent.value
      }),
    )
    expect(values.sort((a, b) => a - b)).toEqual(CALLS.map((index) => index + 1))
  })
})

it('handlers that never settle hold nobody up', async () => {
  const stuck = await Promise.all(
    Array.from({ length: 50 }, (_, id) => send(modernCall('never', {}, { id }))),
  )
  await Promise.all(stuck.map((connection) => connection.readUntil(': open')))
  await expectServed()
  expect(stuck.some((connection) => connection.ended)).toBe(false)
})

it('senders whose body never comes hold nobody up', async () => {
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
])('a quiet %s stream begins at once and has comments while it waits', async (_, call) => {
  const connection = await send(call('never', {}))
  const received = await connection.readUntil(': keepalive\n\n\r\nD\r\n: keepalive')
  expect(received).toContain('Content-Type: text/event-stream')
  expect(received.match(/^(?:: \w+|\w+: .*\n)$/gm)).toEqual([
    ': open',
    ': keepalive',
    ': keepalive',
  ])
})
