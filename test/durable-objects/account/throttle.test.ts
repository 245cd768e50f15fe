/** The throttle of guesses under one key. */
import { describe, expect, it } from 'vitest'
import type { Throttle } from '../../../src/ports/throttle.ts'
import { openAccounts } from './account.ts'
import { advance, MINUTE_MS, SECOND_MS, useFakeClock } from './grant-requests.ts'

const ALLOWED = { allowed: true, retryAfterSeconds: 0 }
const refusedFor = (retryAfterSeconds: number) => ({ allowed: false, retryAfterSeconds })
const open = () => openAccounts().accounts.throttle

useFakeClock()

const fail = async (throttle: Throttle, times: number) => {
  for (let count = 0; count < times; count++) {
    expect(await throttle.guess('key', false)).toEqual(ALLOWED)
  }
}

describe('failed guesses under one key', () => {
  it('cause a wait after ten within fifteen minutes', async () => {
    const throttle = open()
    await fail(throttle, 10)
    expect(await throttle.guess('key', false)).toEqual(refusedFor(15))
    expect(await throttle.guess('another key', false)).toEqual(ALLOWED)
  })

  it('are no longer counted fifteen minutes after the first one', async () => {
    const throttle = open()
    await fail(throttle, 1)
    advance(14 * MINUTE_MS)
    await fail(throttle, 8)
    advance(MINUTE_MS)
    await fail(throttle, 10)
    expect(await throttle.guess('key', false)).toEqual(refusedFor(15))
  })

  it('double the wait each time, up to fifteen minutes', async () => {
    const throttle = open()
    await fail(throttle, 10)
    const waits: number[] = []
    for (let count = 0; count < 8; count++) {
      const { allowed, retryAfterSeconds } = await throttle.guess('key', false)
      expect(allowed).toBe(false)
      waits.push(retryAfterSeconds)
      advance(retryAfterSeconds * SECOND_MS - 1)
      expect(await throttle.guess('key', false)).toEqual(refusedFor(1))
      advance(1)
      await fail(throttle, 1)
    }
    expect(waits).toEqual([15, 30, 60, 120, 240, 480, 900, 900])
  })

  it('do not extend the wait while they are refused', async () => {
    const throttle = open()
    await fail(throttle, 10)
    for (let count = 0; count < 50; count++) await throttle.guess('key', false)
    advance(10 * SECOND_MS)
    expect(await throttle.guess('key', false)).toEqual(refusedFor(5))
    advance(5 * SECOND_MS)
    expect(await throttle.guess('key', false)).toEqual(ALLOWED)
  })

  it('stay counted when the wait has ended', async () => {
    const throttle = open()
    await fail(throttle, 10)
    advance(15 * MINUTE_MS)
    await fail(throttle, 1)
    expect(await throttle.guess('key', false)).toEqual(refusedFor(30))
  })

  it('are no longer counted fifteen minutes after the last wait', async () => {
    const throttle = open()
    await fail(throttle, 10)
    advance(15 * SECOND_MS + 15 * MINUTE_MS)
    await fail(throttle, 10)
    expect(await throttle.guess('key', false)).toEqual(refusedFor(15))
  })

  it('are allowed ten times among a hundred concurrent ones', async () => {
    const throttle = open()
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => throttle.guess('key', false)),
    )
    expect(answers.filter(({ allowed }) => allowed)).toHaveLength(10)
  })
})

describe('a count of several keys', () => {
  const WIDER = [
    { key: 'network', capacity: 2 },
    { key: 'all', capacity: 4 },
  ]
  const failFrom = async (throttle: Throttle, key: string, times: number) => {
    for (let count = 0; count < times; count++) {
      expect(await throttle.guess(key, false, WIDER)).toEqual(ALLOWED)
    }
  }

  it('causes a wait for each of them after its multiple of ten failures', async () => {
    const throttle = open()
    await failFrom(throttle, 'one', 9)
    await failFrom(throttle, 'two', 9)
    await failFrom(throttle, 'three', 2)
    for (const key of ['one', 'four']) {
      for (const correct of [true, false]) {
        expect(await throttle.guess(key, correct, WIDER)).toEqual(refusedFor(15))
      }
    }
    expect(await throttle.guess('one', true, WIDER.slice(1))).toEqual(ALLOWED)
  })

  it('does not count a guess that a narrower count refuses', async () => {
    const throttle = open()
    await failFrom(throttle, 'one', 10)
    for (let count = 0; count < 50; count++) {
      expect(await throttle.guess('one', false, WIDER)).toEqual(refusedFor(15))
    }
    expect(await throttle.guess('two', true, WIDER)).toEqual(ALLOWED)
    await failFrom(throttle, 'two', 9)
  })

  it('does not count a guess in a narrower one that it refuses', async () => {
    const throttle = open()
    for (const key of ['one', 'two']) await failFrom(throttle, key, 10)
    await throttle.guess('three', false, WIDER)
    advance(15 * SECOND_MS)
    await failFrom(throttle, 'three', 1)
    expect(await throttle.guess('three', false, WIDER)).toEqual(refusedFor(30))
  })

  it('is refused for its longest wait', async () => {
    const throttle = open()
    await failFrom(throttle, 'one', 10)
    advance(5 * SECOND_MS)
    await failFrom(throttle, 'two', 10)
    expect(await throttle.guess('one', true, WIDER)).toEqual(refusedFor(15))
  })

  it('allows as many of a hundred concurrent guesses as it has room for', async () => {
    const throttle = open()
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, key) => throttle.guess(`key ${key}`, false, WIDER)),
    )
    expect(answers.filter(({ allowed }) => allowed)).toHaveLength(20)
  })
})

describe('a guess that begins and ends', () => {
  const WIDER = [{ key: 'all', capacity: 2 }]
  const begin = (throttle: Throttle, id: string, key = 'key') =>
    throttle.guess(key, true, WIDER, { id })
  const end = (throttle: Throttle, id: string, correct: boolean, key = 'key') =>
    throttle.guess(key, correct, WIDER, { id, ends: true })
  const beginMany = (throttle: Throttle, count: number, key = 'key') =>
    Promise.all(Array.from({ length: count }, (_, at) => begin(throttle, `${key} ${at}`, key)))

  it('takes the room of a failed one meanwhile, in the wider counts too', async () => {
    const throttle = open()
    expect(await beginMany(throttle, 10)).toEqual(Array(10).fill(ALLOWED))
    expect(await begin(throttle, 'another')).toEqual(refusedFor(15))
    expect(await beginMany(throttle, 10, 'two')).toEqual(Array(10).fill(ALLOWED))
    expect(await begin(throttle, 'other', 'three')).toEqual(refusedFor(15))
  })

  it('leaves its room again when it was correct', async () => {
    const throttle = open()
    for (let count = 0; count < 50; count++) {
      expect(await begin(throttle, `id ${count}`)).toEqual(ALLOWED)
      expect(await end(throttle, `id ${count}`, true)).toEqual(ALLOWED)
    }
    expect(await throttle.guess('key', true, WIDER)).toEqual(ALLOWED)
  })

  it('is counted once when it was wrong', async () => {
    const throttle = open()
    for (let count = 0; count < 10; count++) {
      await begin(throttle, `id ${count}`)
      expect(await end(throttle, `id ${count}`, false)).toEqual(ALLOWED)
    }
    expect(await begin(throttle, 'one more')).toEqual(refusedFor(15))
  })

  it('ends although failures have caused a wait since, and leaves the wait', async () => {
    const throttle = open()
    await begin(throttle, 'slow')
    for (let count = 0; count < 10; count++) await throttle.guess('key', false, WIDER)
    expect(await end(throttle, 'slow', true)).toEqual(ALLOWED)
    expect(await begin(throttle, 'next')).toEqual(refusedFor(15))
  })

  it('is refused at its end when it never began, during a wait', async () => {
    const throttle = open()
    for (let count = 0; count < 10; count++) await throttle.guess('key', false, WIDER)
    expect(await end(throttle, 'invented', true)).toEqual(refusedFor(15))
  })

  it('is not allowed to end twice', async () => {
    const throttle = open()
    await begin(throttle, 'slow')
    for (let count = 0; count < 10; count++) await throttle.guess('key', false, WIDER)
    await end(throttle, 'slow', true)
    expect(await end(throttle, 'slow', true)).toEqual(refusedFor(15))
  })

  it('is forgotten after 30 seconds when it never ends', async () => {
    const throttle = open()
    await beginMany(throttle, 10)
    advance(30 * SECOND_MS - 1)
    expect(await begin(throttle, 'another')).toEqual(refusedFor(15))
    advance(1)
    expect(await begin(throttle, 'another')).toEqual(ALLOWED)
  })
})

describe('a correct guess', () => {
  it('is not counted, however often it is repeated', async () => {
    const throttle = open()
    for (let count = 0; count < 50; count++) {
      expect(await throttle.guess('key', true)).toEqual(ALLOWED)
    }
    await fail(throttle, 10)
    expect(await throttle.guess('key', false)).toEqual(refusedFor(15))
  })

  it('is allowed when many are concurrent', async () => {
    const throttle = open()
    const guesses = Array.from({ length: 100 }, () => throttle.guess('key', true))
    expect(new Set((await Promise.all(guesses)).map(({ allowed }) => allowed))).toEqual(
      new Set([true]),
    )
  })

  it('waits like an incorrect one, so that the wait does not reveal it', async () => {
    const throttle = open()
    await fail(throttle, 10)
    expect(await throttle.guess('key', true)).toEqual(refusedFor(15))
    advance(15 * SECOND_MS)
    expect(await throttle.guess('key', true)).toEqual(ALLOWED)
  })

  it('does not reset the count of failures', async () => {
    const throttle = open()
    await fail(throttle, 10)
    advance(15 * SECOND_MS)
    expect(await throttle.guess('key', true)).toEqual(ALLOWED)
    await fail(throttle, 1)
    expect(await throttle.guess('key', true)).toEqual(refusedFor(30))
  })
})
