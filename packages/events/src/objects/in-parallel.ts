/** Runs asynchronous work of many items, some at a time. */

/** Calls of objects, or of the author's functions, at a time. */
const MAX_PARALLEL = 32

/** Calls `work` for each item. `onDone` gets the number of items at the beginning that are done. */
export async function inParallel<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
  onDone?: (count: number) => void,
  most = MAX_PARALLEL,
): Promise<void> {
  const done = new Set<number>()
  let begun = 0
  let count = 0
  const run = async () => {
    for (let index = begun++; index < items.length; index = begun++) {
      await work(items[index] as T)
      done.add(index)
      while (done.delete(count)) count++
      onDone?.(count)
    }
  }
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, run))
}
