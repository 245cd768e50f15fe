/**
 * What clients do with a stream that ended without a result. The official clients resume it, and count
 * a JSON-RPC error as no result. Gemini CLI resumes every stream that carried an id.
 */
import { describe, expect, it } from 'vitest'
import { createLatch } from '../../support/latch.ts'
import { openSession, type SessionClient } from '../../support/session-client.ts'
import { SseReader, type WireMessage } from '../../support/sse-reader.ts'

/** Far more than a client sends that stops after a refusal. */
const MAX_GETS = 20

/** Follows a stream over all its connections, and returns the status of each GET. */
async function follow(
  session: SessionClient,
  first: SseReader,
  mayResume: (messages: readonly WireMessage[]) => boolean,
): Promise<number[]> {
  const statuses: number[] = []
  for (let reader = first; statuses.length < MAX_GETS; ) {
    const messages = await reader.rest()
    if (!mayResume(messages)) break
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

const CLIENTS = {
  'an official client': (messages: readonly WireMessage[]) =>
    !messages.some(({ result }) => result !== undefined),
  'Gemini CLI': () => true,
}

describe.each(Object.entries(CLIENTS))('%s', (_, mayResume) => {
  it('sends at most two GETs after it cancels a call that has sent nothing', async () => {
    const session = await openSession()
    const { wait } = createLatch()
    const call = await session.stream(async ({ signal }) => {
      await wait(signal)
      return 'done'
    })
    const followed = follow(session, call, mayResume)
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
    expect(await follow(session, await session.listen(lastId), mayResume)).toEqual([405])
  })

  it('sends at most two GETs for each of several cancelled calls', async () => {
    const session = await openSession()
    const { wait } = createLatch()
    const ids = Array.from({ length: 10 }, (_, index) => index + 100)
    const calls = await Promise.all(
      ids.map((id) =>
        session.stream(
          async ({ log, signal }) => {
            await log('info', 'one')
            await wait(signal)
            return 'done'
          },
          { id },
        ),
      ),
    )
    const followed = calls.map((call) => follow(session, call, mayResume))
    for (const requestId of ids) await session.notify('notifications/cancelled', { requestId })
    expect(await Promise.all(followed)).toEqual(ids.map(() => [405]))
  })

  it('sends one GET after a JSON-RPC error on a stream', async () => {
    const session = await openSession()
    const call = await session.stream(() => 'done', {
      tool: 'nothing' as 'run',
      headers: { accept: 'text/event-stream' },
    })
    expect(await follow(session, call, mayResume)).toEqual([405])
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
