/** The changes that a test waits for: what is left when one has arrived. */
import { expect, it, onTestFinished, vi } from 'vitest'
import { Subscription } from '../src/subscription.ts'

it('Subscription.next() leaves no timer that would keep the process of a test alive', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const subscription = new Subscription(() => undefined)
  const next = subscription.next()
  expect(vi.getTimerCount()).toBe(1)
  subscription.push({ method: 'notifications/tools/list_changed' })
  expect(await next).toEqual({ kind: 'tools_list_changed' })
  expect(vi.getTimerCount()).toBe(0)
})
