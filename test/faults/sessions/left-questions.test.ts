/**
 * The question of a task whose stream the client has closed: it reaches the stream that the client opens next,
 * also when that is opened before the server has noticed that the first one is closed.
 */
import { describe, expect, it } from 'vitest'
import { HttpSession } from '../../support/http-session.ts'
import { SseReader, type WireMessage } from '../../support/sse-reader.ts'
import { bounded } from './bounded.ts'
import { PersistentServer } from './persistent-server.ts'
import { send } from './send.ts'

/** The time in which the reader of the first stream may connect again is two seconds. */
const LONGEST_MS = 10_000

type Next = (session: HttpSession, taskId: string) => Promise<SseReader>

const NEXT: readonly (readonly [string, Next])[] = [
  ['a new GET stream without Last-Event-ID', (session) => session.listen()],
  [
    'tasks/result',
    async (session, taskId) => new SseReader(await session.send('tasks/result', { taskId })),
  ],
]

async function question(stream: SseReader): Promise<WireMessage> {
  for (;;) {
    const message = await stream.message()
    if (message === undefined || message.method === 'elicitation/create') return message
  }
}

describe('the question of a task whose client has closed its GET stream', () => {
  it.for(NEXT)('reaches %s at once', async ([, next], { onTestFinished }) => {
    const server = await PersistentServer.start(onTestFinished)
    const session = await HttpSession.open({ url: server.url, fetch: send })
    const first = await session.listen()
    const call = { name: 'confirm_delete', arguments: { filename: 'a' }, task: {} }
    const { result } = await session.request('tools/call', call)
    const { taskId } = result.task
    const asked = await bounded(question(first), 'the first question')
    await first.leave()
    const stream = await next(session, taskId)
    const openedAt = Date.now()
    const again = await bounded(question(stream), 'the question on the next stream')
    expect(Date.now() - openedAt).toBeLessThan(LONGEST_MS)
    expect(again.params).toEqual(asked.params)
    await session.answer(again, { action: 'accept', content: { confirm: true } })
    const answer = await session.request('tasks/result', { taskId })
    expect(answer.result.content[0].text).toBe('a is deleted.')
  })
})
