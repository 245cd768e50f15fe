/** Memory of suspended handlers whose ask is never answered. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import type { Call } from '../../src/dispatch/call.ts'
import { Journal } from '../../src/dispatch/journal/journal.ts'
import { SentMessages } from '../../src/dispatch/journal/sent-record.ts'
import { PLAIN_RUN } from '../../src/dispatch/run-handler.ts'
import { Round } from '../../src/features/asks/journal/round.ts'
import { rootsAsk } from '../../src/features/asks/journal/sampling-and-roots.ts'
import { verifies } from '../support/verifies.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** Runs a handler until it asks, drops it, and returns a weak reference to an object that its frame holds. */
async function suspend(): Promise<WeakRef<object>> {
  const call = {
    request: { params: {} },
    client: { era: 'modern', capabilities: { roots: {} } },
    run: { canAsk: true },
  } as unknown as Call
  const { promise: interrupted, resolve } = Promise.withResolvers<void>()
  const round = new Round({
    call,
    journal: new Journal(),
    options: PLAIN_RUN,
    sent: new SentMessages(),
    interrupt: () => resolve(),
  })
  const held = { bytes: new Uint8Array(1024) }
  const handler = async () => {
    await round.ask('roots', rootsAsk())
    return held.bytes
  }
  void handler()
  await interrupted
  round.close(false)
  return new WeakRef(held)
}

it('a suspended handler is garbage collected', async () => {
  verifies('mrtr/no-assumption-of-a-retry')
  const frames = await Promise.all(Array.from({ length: 20 }, suspend))
  // A WeakRef keeps its target alive until the end of the turn in which it was created.
  await new Promise((resolve) => setTimeout(resolve, 0))
  collectGarbage()
  expect(frames.filter((frame) => frame.deref() !== undefined)).toHaveLength(0)
})
