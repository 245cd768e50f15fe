/** How the entries of timeline and inspector reach their log object. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { BatchWriter } from '../../src/timeline/batch-writer.ts'

const BOUNDS = { entries: 1_000, characters: 100_000, textOf: (entry: string) => entry }

/** A store that answers when the test says so. */
function openStore(bounds = BOUNDS) {
  const batches: (readonly string[])[] = []
  const answers: PromiseWithResolvers<void>[] = []
  const store = (batch: readonly string[]) => {
    batches.push(batch)
    const answer = Promise.withResolvers<void>()
    answers.push(answer)
    return answer.promise
  }
  return { batches, answers, writer: new BatchWriter(store, bounds) }
}

const add = (writer: BatchWriter<string>, count: number) => {
  for (let n = 0; n < count; n++) writer.add(`${n}`)
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('a batch writer', () => {
  it('stores everything that waits, at most 200 entries in one call', async () => {
    const batches: number[] = []
    const writer = new BatchWriter<string>(async ({ length }) => {
      batches.push(length)
    }, BOUNDS)
    add(writer, 450)
    await writer.flush()
    expect(batches).toEqual([200, 200, 50])
  })

  it('stores in one call what was added in the turn of the flush', async () => {
    const { batches, writer } = openStore()
    writer.add('first')
    void writer.flush()
    writer.add('second')
    await vi.waitFor(() => expect(batches).toEqual([['first', 'second']]))
  })

  it('leaves entries to the call that is storing', async () => {
    const { batches, answers, writer } = openStore()
    writer.add('first')
    const storing = writer.flush()
    await vi.waitFor(() => expect(batches).toHaveLength(1))
    writer.add('second')
    await writer.flush()
    expect(batches).toHaveLength(1)
    answers[0]?.resolve()
    await vi.waitFor(() => expect(batches).toHaveLength(2))
    answers[1]?.resolve()
    await storing
    expect(batches).toEqual([['first'], ['second']])
  })

  it('stores entries beside a call that has taken 15 seconds', async () => {
    const { batches, writer } = openStore()
    writer.add('first')
    void writer.flush()
    await vi.waitFor(() => expect(batches).toHaveLength(1))
    vi.setSystemTime(Date.now() + 15_000)
    writer.add('second')
    void writer.flush()
    await vi.waitFor(() => expect(batches).toEqual([['first'], ['second']]))
  })

  it('goes on after a call that failed', async () => {
    const { batches, answers, writer } = openStore()
    writer.add('lost')
    const failing = writer.flush()
    await vi.waitFor(() => expect(batches).toHaveLength(1))
    answers[0]?.reject(new Error('down'))
    await expect(failing).rejects.toThrow('down')
    writer.add('next')
    void writer.flush()
    await vi.waitFor(() => expect(batches).toEqual([['lost'], ['next']]))
  })

  it('drops entries beyond its number of entries and of characters', async () => {
    const few = openStore({ ...BOUNDS, entries: 2 })
    add(few.writer, 3)
    void few.writer.flush()
    await vi.waitFor(() => expect(few.batches).toEqual([['0', '1']]))
    const short = openStore({ ...BOUNDS, characters: 5 })
    for (const entry of ['aaa', 'bbb', 'cc']) short.writer.add(entry)
    void short.writer.flush()
    await vi.waitFor(() => expect(short.batches).toEqual([['aaa', 'cc']]))
  })
})
