/** A client that resumes every stream that carried an id, as Gemini CLI does, is refused after one GET. */
import { describe, expect, it } from 'vitest'
import { createLatch } from '../../support/latch.ts'
import { openSession, type SessionClient } from '../../support/session-client.ts'
import { SseReader } from '../../support/sse-reader.ts'

/** Far more than a client sends that stops after a refusal. */
const MAX_GETS = 20

/** Follows a stream over all its connections, and returns the status of each GET. */
async function follow(session: SessionClient, first: SseReader): Promise<number[]> {
  const statuses: number[] = []
  for (let reader = first; statuses.length < MAX_GETS; ) {
    await reader.rest()
    const { lastId } = reader
    const response = await session.get(lastId)
    statuses.push(response.status)
    if (response.status !== 200) {
      expect(response.headers.get('allow')).toBe('POST, DELETE, OPTIONS')
      break
    }
    reader = new SseReader(response)
  }
  return statuses
}

describe('a client that resumes every stream', () => {
  it('sends at most two GETs after it cancels a call that has sent nothing', async () => {
    const session = await openSession()
    const { wait } = createLatch()
    const call = await session.stream(async ({ signal }) => {
      await wait(signal)
      return 'done'
    })
    const followed = follow(session, call)
    expect(await session.notify('notifications/cancelled', { requestId: 1 })).toBe(202)
    expect(await followed).toEqual([405])
  })

  it('sends at most two GETs after it cancels a call that has sent notifications', async () => {
    const session = await openSession()
    const { wait } = createLatch()
    const call = await session.stream(async ({ log, signal }) => {
      await log('info', 'one')
      await log('info', 'two')
      await wait(signal)
      return 'done'
    })
    await call.message()
    const { lastId } = call
    await call.leave()
    expect(await session.notify('notifications/cancelled', { requestId: 1 })).toBe(202)
    expect(await follow(session, await session.listen(lastId))).toEqual([405])
  })

  it('sends one GET after a JSON-RPC error on a stream', async () => {
    const session = await openSession()
    const call = await session.stream(() => 'done', {
      tool: 'nothing' as 'run',
      headers: { accept: 'text/event-stream' },
    })
    expect(await follow(session, call)).toEqual([405])
  })
})

describe('the stream of a call', () => {
  it('is refused with 405 after its last event under each revision with ids', async () => {
    for (const version of ['2025-03-26', '2025-06-18', '2025-11-25']) {
      const session = await openSession({ version })
      const call = await session.stream(async ({ log }) => {
        await log('info', 'one')
        return 'done'
      })
      expect(await call.rest()).toHaveLength(2)
      const response = await session.get(call.lastId)
      expect([response.status, response.headers.get('allow')]).toEqual([
        405,
        'POST, DELETE, OPTIONS',
      ])
      expect(await response.json()).toMatchObject({ error: { code: -32600 } })
      expect(await (await session.listen(call.ids.at(-2))).rest()).toHaveLength(1)
    }
  })
})
