/** The throttle of guesses under one key. */
import { describe, expect, it } from 'vitest'
import type { Throttle } from '../../../src/ports/throttle.ts'
import { openAccounts } from './account.ts'
import { advance, SECOND_MS, useFakeClock } from './grant-requests.ts'

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
})

describe('a guess that begins and ends', () => {
  const WIDER = [{ key: 'all', capacity: 2 }]
  const begin = (throttle: Throttle, id: string, key = 'key') =>
    throttle.guess(key, true, WIDER, { id })
  const beginMany = (throttle: Throttle, count: number, key = 'key') =>
    Promise.all(Array.from({ length: count }, (_, at) => begin(throttle, `${key} ${at}`, key)))

  it('takes the room of a failed one meanwhile, in the wider counts too', async () => {
    const throttle = open()
    expect(await beginMany(throttle, 10)).toEqual(Array(10).fill(ALLOWED))
    expect(await begin(throttle, 'another')).toEqual(refusedFor(15))
    expect(await beginMany(throttle, 10, 'two')).toEqual(Array(10).fill(ALLOWED))
    expect(await begin(throttle, 'other', 'three')).toEqual(refusedFor(15))
  })
})

describe('a correct guess', () => {
  it('waits like an incorrect one, so that the wait does not reveal it', async () => {
    const throttle = open()
    await fail(throttle, 10)
    expect(await throttle.guess('key', true)).toEqual(refusedFor(15))
    advance(15 * SECOND_MS)
    expect(await throttle.guess('key', true)).toEqual(ALLOWED)
  })
})
