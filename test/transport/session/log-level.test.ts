import { describe, expect, it } from 'vitest'
import type { LogLevel } from '../../../src/protocol/index.ts'
import { openSession, type SessionClient } from '../../support/session-client.ts'

const LEVELS = 'debug info notice warning error critical alert emergency'.split(
  ' ',
) as readonly LogLevel[]

/** Calls a handler that logs at every level, and returns the levels that the client receives. */
async function receivedLevels(session: SessionClient): Promise<string[]> {
  const call = await session.stream(
    async ({ log }) => {
      for (const level of LEVELS) await log(level, `a ${level}`)
      return 'done'
    },
    { headers: { accept: 'text/event-stream' } },
  )
  return (await call.rest()).flatMap(({ params }) => params?.level ?? [])
}

describe('logging/setLevel', () => {
  it('applies to one session only', async () => {
    const [one, two] = [await openSession(), await openSession()]
    await one.request('logging/setLevel', { level: 'emergency' })
    expect(await receivedLevels(two)).toEqual(LEVELS.slice(1))
    expect(await receivedLevels(one)).toEqual(['emergency'])
  })

  it.each([undefined, null, 'loud', 'DEBUG', 3, 'constructor'])(
    'refuses %j and keeps the level',
    async (level) => {
      const session = await openSession()
      const { error } = await session.request('logging/setLevel', { level })
      expect(error.code).toBe(-32602)
      expect(await receivedLevels(session)).toEqual(LEVELS.slice(1))
    },
  )

  it('applies to a waiting call when it resumes', async () => {
    const session = await openSession()
    const call = await session.stream(async ({ listRoots, log }) => {
      await listRoots()
      await log('info', 'answered')
      return 'done'
    })
    const question = await call.message()
    await session.request('logging/setLevel', { level: 'error' })
    await session.answer(question, { roots: [] })
    expect((await call.rest()).map(({ result }) => result?.content[0].text)).toEqual(['done'])
  })
})
