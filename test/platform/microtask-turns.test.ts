import { describe, expect, it } from 'vitest'
import { passTurns } from '../../src/platform/microtask-turns.ts'

/** Settles after awaiting so many available values. */
async function awaiting(values: number): Promise<void> {
  for (let count = 0; count < values; count++) await undefined
}

describe('passTurns', () => {
  it('returns true when the promise settles within the turns', async () => {
    expect(await passTurns('answer', awaiting(0))).toBe(true)
    expect(await passTurns('answer', awaiting(2))).toBe(true)
    expect(await passTurns('answer', Promise.reject(new Error('settled as well')))).toBe(true)
  })

  it('returns false when the promise needs more turns, or I/O', async () => {
    expect(await passTurns('answer', awaiting(10))).toBe(false)
    expect(await passTurns('answer', new Promise((resolve) => setTimeout(resolve)))).toBe(false)
  })

  it('passes all turns without a promise', async () => {
    let turns = 0
    const counting = (async () => {
      for (; turns < 40; turns++) await undefined
    })()
    expect(await passTurns('gather')).toBe(false)
    expect(turns).toBeGreaterThanOrEqual(32)
    await counting
  })
})
