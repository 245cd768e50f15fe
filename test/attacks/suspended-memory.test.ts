/** What stays of a handler that waits for an answer nobody will give it: nothing. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import type { Call } from '../../src/dispatch/call.ts'
import { Interaction } from '../../src/dispatch/journal/interaction.ts'
import { Journal } from '../../src/dispatch/journal/journal.ts'
import { rootsQuestion } from '../../src/dispatch/journal/sampling-and-roots.ts'
import { SentMessages } from '../../src/dispatch/journal/sent-record.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** Runs a handler to its ask, lets go of it, and returns what tells whether its frame is still there. */
async function suspend(): Promise<WeakRef<object>> {
  const call = {
    request: { params: {} },
    client: { era: 'modern', capabilities: { roots: {} } },
    run: { canAsk: true },
  } as unknown as Call
  const { promise: interrupted, resolve } = Promise.withResolvers<void>()
  const sent = () => new SentMessages()
  const interaction = new Interaction(call, new Journal(), false, sent, () => resolve())
  const held = { bytes: new Uint8Array(1024) }
  const handler = async () => {
    await interaction.ask('roots', rootsQuestion())
    return held.bytes
  }
  void handler()
  await interrupted
  interaction.close()
  return new WeakRef(held)
}

it('a suspended handler is collected, however long the isolate lives', async () => {
  const frames = await Promise.all(Array.from({ length: 20 }, suspend))
  // A WeakRef holds its target to the end of the turn that made it.
  await new Promise((resolve) => setTimeout(resolve, 0))
  collectGarbage()
  expect(frames.filter((frame) => frame.deref() !== undefined)).toHaveLength(0)
})
