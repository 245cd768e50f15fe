/** What names a tool or a prompt in a session, where a client may send any JSON value. */
// features: sessions
import { describe, expect, it } from 'vitest'
import { openSession, openSessionApp } from '../../support/session-client.ts'
import { keepHandler, objectEvents } from '../../support/session-server.ts'
import { SseReader } from '../../support/sse-reader.ts'
import { read } from '../../support/test-app.ts'

/** `String()` throws for it. */
const ODD_NAME = { toString: 0 }

const app = openSessionApp()

describe('a session', () => {
  it.for([
    ['an object without toString', ODD_NAME],
    ['an array of a registered name', ['echo']],
    ['a number', 1],
    ['null', null],
  ] as const)('answers -32602 to a tools/call whose name is %s', async ([, name]) => {
    const session = await openSession({}, app)
    const answer = await read(await session.send('tools/call', { name, arguments: { text: 'a' } }))
    expect([answer.status, answer.body.error]).toEqual([
      200,
      { code: -32602, message: 'params.name must be a string' },
    ])
    expect((await session.request('ping')).result).toEqual({})
  })

  it('resumes a resources/read after its answer when the params have a name that is an object', async () => {
    objectEvents.length = 0
    const session = await openSession({}, app)
    const { script } = keepHandler(async ({ listRoots }) => `${(await listRoots()).length} folders`)
    const params = { uri: `script://${script}`, name: ODD_NAME }
    const stream = new SseReader(await session.send('resources/read', params))
    await session.answer(await stream.message(), { roots: [] })
    expect((await stream.message()).result.contents[0].text).toBe('0 folders')
    expect(objectEvents.filter(({ type }) => type === 'internal-error')).toEqual([])
  })
})
