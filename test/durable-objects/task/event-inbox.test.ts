/** The RPC of an inbox, which receives the events of a call without a task. */
// features: admin
import { describe, expect, it } from 'vitest'
import type { TaskObject } from '../../../durable-objects/task/task-object.ts'
import { objectsOfKind } from '../../support/objects.ts'

function openInbox() {
  const stub = objectsOfKind<TaskObject>('task', 'tasks').named(crypto.randomUUID())
  return {
    receive: (timeoutMs: number, misfit?: string) => {
      const event = { key: 'paid', wait: {}, expiresAt: Date.now() + 60_000, misfit }
      return stub.receive(JSON.stringify(event), timeoutMs)
    },
    deliver: (amount: number) => stub.deliver('paid', JSON.stringify({ amount })),
  }
}

/** An inbox that has received a value which does not fit, and the digest of that value. */
async function openWithMisfit() {
  const inbox = openInbox()
  await inbox.receive(0)
  expect(await inbox.deliver(-1)).toEqual({ kind: 'kept' })
  const received = await inbox.receive(0)
  if (received?.kind !== 'fresh') throw new TypeError('The inbox has received nothing')
  expect(received.value).toEqual({ value: { amount: -1 } })
  return { inbox, misfit: received.digest }
}

const SEVEN = { kind: 'fresh', value: { value: { amount: 7 } } }

describe('the inbox of a call', () => {
  it('keeps a value that arrives after a misfit was dropped, when the call that dropped it is repeated', async () => {
    const { inbox, misfit } = await openWithMisfit()
    // As when the response is lost: the misfit is dropped, and the call repeated.
    expect(await inbox.receive(0, misfit)).toBeUndefined()
    expect(await inbox.deliver(7)).toEqual({ kind: 'kept' })
    expect(await inbox.receive(0, misfit)).toMatchObject(SEVEN)
  })

  it('drops a misfit once when two calls name it at the same time', async () => {
    const { inbox, misfit } = await openWithMisfit()
    const twice = [inbox.receive(20_000, misfit), inbox.receive(20_000, misfit)]
    await expect.poll(() => inbox.deliver(7)).toEqual({ kind: 'kept' })
    expect(await Promise.all(twice)).toMatchObject([SEVEN, SEVEN])
  })
})
