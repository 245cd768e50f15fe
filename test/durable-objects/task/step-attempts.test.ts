/** How often the work of a step runs: attempts, kills of the object, and the options that bound them. */
// features: apps
import { runInDurableObject } from 'cloudflare:test'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { StepOptions } from '../../../src/index.ts'
import { objectOf, taskEvents } from '../../support/task-server.ts'
import { TaskClient, until } from './task-client.ts'

const client = new TaskClient()

/** Ends the object at once, and lets a request continue the task. */
async function killAndResume(taskId: string): Promise<void> {
  const stub = await objectOf(taskId)
  await runInDurableObject(stub, (_, ctx) => ctx.abort('killed')).catch(() => undefined)
  await client.get(taskId)
}

const hang = () => new Promise<void>(() => undefined)

describe('the attempts of a step', () => {
  it('are as many as its retries allow and one, also when one was interrupted by a kill', async () => {
    const attempts: number[] = []
    const options = { idempotent: true, retries: 2, backoff: { initialMs: 1 } }
    const taskId = await client.start(async (ctx) => {
      await ctx.step('flaky', options, async ({ attempt }) => {
        attempts.push(attempt)
        if (attempts.length === 2) await hang()
        throw new Error('not today')
      })
      return 'not reached'
    })
    await until(() => attempts.length === 2)
    await killAndResume(taskId)
    const { result } = await client.reaches(taskId, 'completed')
    expect(result.isError).toBe(true)
    expect(attempts).toEqual([1, 2, 2, 3])
  })

  it('are one without retries', async () => {
    const attempts: number[] = []
    const taskId = await client.start(async (ctx) => {
      await ctx.step('flaky', ({ attempt }) => {
        attempts.push(attempt)
        throw new Error('not today')
      })
      return 'not reached'
    })
    expect((await client.reaches(taskId, 'completed')).result.isError).toBe(true)
    expect(attempts).toEqual([1])
  })

  it('end with the task when its object was killed in each of eleven runs of one step', async () => {
    let runs = 0
    const taskId = await client.start(async (ctx) => {
      await ctx.step('deadly', { idempotent: true }, () => {
        runs++
        return hang()
      })
      return 'not reached'
    })
    for (let killed = 1; killed <= 11; killed++) {
      await until(() => runs === killed)
      await killAndResume(taskId)
    }
    const { error } = await client.reaches(taskId, 'failed')
    expect(error.message).toMatch(/^The server was interrupted/)
    expect(runs).toBe(11)
  })

  it('are counted anew after a step that has completed', async () => {
    let runs = 0
    const taskId = await client.start(async (ctx) => {
      for (const [key, last] of [
        ['first', 7],
        ['second', 14],
      ] as const) {
        await ctx.step(key, { idempotent: true }, () => (++runs < last ? hang() : undefined))
      }
      return 'done'
    })
    // Six kills in the first step; its seventh run returns, and the eighth run is that of the second.
    for (const killed of [1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13]) {
      await until(() => runs === killed)
      await killAndResume(taskId)
    }
    expect((await client.reaches(taskId, 'completed')).result.content[0].text).toBe('done')
    expect(runs).toBe(14)
  })
})

/** The pauses between the attempts of a step that always throws. None of them is waited for. */
async function pausesWith(backoff: StepOptions['backoff']): Promise<number[]> {
  const pauses: number[] = []
  const { setTimeout: wait } = globalThis
  let hasThrown = false
  const spy = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((
    work: () => void,
    delay = 0,
  ) => {
    // The runner of the tests has timers of a few milliseconds.
    if (!hasThrown || delay < 100) return wait(work, delay)
    hasThrown = false
    pauses.push(delay)
    return wait(work, 0)
  }) as typeof setTimeout)
  onTestFinished(() => void spy.mockRestore())
  const { body } = await client.call('plain', async (ctx) => {
    await ctx.step('flaky', { retries: 4, ...(backoff && { backoff }) }, () => {
      hasThrown = true
      throw new Error('not today')
    })
    return 'not reached'
  })
  expect(body.result.isError).toBe(true)
  return pauses
}

describe('the pauses between the attempts of a step', () => {
  it('double from half a second', async () => {
    expect(await pausesWith(undefined)).toEqual([500, 1000, 2000, 4000])
  })

  it('grow by their factor up to the longest one', async () => {
    const backoff = { initialMs: 100, factor: 3, maxMs: 1000 }
    expect(await pausesWith(backoff)).toEqual([100, 300, 900, 1000])
  })

  it('are at most a minute', async () => {
    const backoff = { initialMs: 40_000, maxMs: 600_000 }
    expect(await pausesWith(backoff)).toEqual([40_000, 60_000, 60_000, 60_000])
  })
})

describe('the options of a step', () => {
  it.each<[string, unknown, RegExp]>([
    ['a negative number of retries', { retries: -1 }, /retries must be an integer from 0 to 100/],
    ['more than 100 retries', { retries: 101 }, /retries must be an integer from 0 to 100/],
    ['a part of a retry', { retries: 0.5 }, /retries must be an integer from 0 to 100/],
    ['retries as text', { retries: '3' }, /retries must be an integer from 0 to 100/],
    ['a timeout of zero', { timeoutMs: 0 }, /timeoutMs must be a number above 0/],
    [
      'an endless timeout',
      { timeoutMs: Number.POSITIVE_INFINITY },
      /timeoutMs must be a number above 0/,
    ],
    ['a first pause of zero', { backoff: { initialMs: 0 } }, /initialMs must be a number above 0/],
    ['a negative factor', { backoff: { factor: -2 } }, /factor must be a number above 0/],
    ['a longest pause that is no number', { backoff: { maxMs: Number.NaN } }, /maxMs must be/],
  ])('are refused before its work runs: %s', async (_, options, message) => {
    let runs = 0
    const before = taskEvents.length
    const taskId = await client.start(async (ctx) => {
      await ctx.step('bounded', options as StepOptions, () => runs++)
      return 'not reached'
    })
    expect((await client.reaches(taskId, 'completed')).result.isError).toBe(true)
    expect(runs).toBe(0)
    const errors = taskEvents
      .slice(before)
      .flatMap((event) => ('error' in event ? event.error : []))
    expect(errors.map(String)).toEqual([expect.stringMatching(message)])
  })
})
