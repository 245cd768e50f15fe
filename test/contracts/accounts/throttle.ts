/** What every `Throttle` does. `create` opens another deployment each time. */
import { describe, expect, it } from 'vitest'
import type { Throttle } from '../../../src/ports/accounts.ts'
import { MINUTE_MS, pass, SECOND_MS } from './person.ts'

const ALLOWED = { allowed: true, retryAfterSeconds: 0 }
const refusedFor = (retryAfterSeconds: number) => ({ allowed: false, retryAfterSeconds })

export function testThrottle(name: string, create: () => Throttle): void {
  const fail = async (throttle: Throttle, times: number) => {
    for (let count = 0; count < times; count++) {
      expect(await throttle.guess('key', false)).toEqual(ALLOWED)
    }
  }

  describe(`${name}: guesses under one key`, () => {
    it('are free ten times in fifteen minutes', async () => {
      const throttle = create()
      await fail(throttle, 10)
      expect(await throttle.guess('key', false)).toEqual(refusedFor(15))
      expect(await throttle.guess('another key', false)).toEqual(ALLOWED)
    })

    it('are free again when fifteen minutes have passed since the first', async () => {
      const throttle = create()
      await fail(throttle, 1)
      pass(14 * MINUTE_MS)
      await fail(throttle, 8)
      pass(MINUTE_MS)
      await fail(throttle, 10)
      expect(await throttle.guess('key', false)).toEqual(refusedFor(15))
    })

    it('wait twice as long each time after that, up to fifteen minutes', async () => {
      const throttle = create()
      await fail(throttle, 10)
      const waits: number[] = []
      for (let count = 0; count < 8; count++) {
        const { allowed, retryAfterSeconds } = await throttle.guess('key', false)
        expect(allowed).toBe(false)
        waits.push(retryAfterSeconds)
        pass(retryAfterSeconds * SECOND_MS - 1)
        expect(await throttle.guess('key', false)).toEqual(refusedFor(1))
        pass(1)
        await fail(throttle, 1)
      }
      expect(waits).toEqual([15, 30, 60, 120, 240, 480, 900, 900])
    })

    it('wait no longer because somebody keeps trying', async () => {
      const throttle = create()
      await fail(throttle, 10)
      for (let count = 0; count < 50; count++) await throttle.guess('key', false)
      pass(10 * SECOND_MS)
      expect(await throttle.guess('key', false)).toEqual(refusedFor(5))
      pass(5 * SECOND_MS)
      expect(await throttle.guess('key', false)).toEqual(ALLOWED)
    })

    it('are not free again because a wait was waited out', async () => {
      const throttle = create()
      await fail(throttle, 10)
      pass(15 * MINUTE_MS)
      await fail(throttle, 1)
      expect(await throttle.guess('key', false)).toEqual(refusedFor(30))
    })

    it('are forgotten fifteen minutes after the last wait', async () => {
      const throttle = create()
      await fail(throttle, 10)
      pass(15 * SECOND_MS + 15 * MINUTE_MS)
      await fail(throttle, 10)
      expect(await throttle.guess('key', false)).toEqual(refusedFor(15))
    })

    it('are ten among a hundred at once', async () => {
      const throttle = create()
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => throttle.guess('key', false)),
      )
      expect(answers.filter(({ allowed }) => allowed)).toHaveLength(10)
    })
  })

  describe(`${name}: a right guess`, () => {
    it('counts for nothing, however often it comes', async () => {
      const throttle = create()
      for (let count = 0; count < 50; count++) {
        expect(await throttle.guess('key', true)).toEqual(ALLOWED)
      }
      await fail(throttle, 10)
      expect(await throttle.guess('key', false)).toEqual(refusedFor(15))
    })

    it('is one of many at once that are all allowed', async () => {
      const throttle = create()
      const guesses = Array.from({ length: 100 }, () => throttle.guess('key', true))
      expect(new Set((await Promise.all(guesses)).map(({ allowed }) => allowed))).toEqual(
        new Set([true]),
      )
    })

    it('waits like any other, or it could be told from them', async () => {
      const throttle = create()
      await fail(throttle, 10)
      expect(await throttle.guess('key', true)).toEqual(refusedFor(15))
      pass(15 * SECOND_MS)
      expect(await throttle.guess('key', true)).toEqual(ALLOWED)
    })

    it('excuses none of the wrong ones', async () => {
      const throttle = create()
      await fail(throttle, 10)
      pass(15 * SECOND_MS)
      expect(await throttle.guess('key', true)).toEqual(ALLOWED)
      await fail(throttle, 1)
      expect(await throttle.guess('key', true)).toEqual(refusedFor(30))
    })
  })
}
