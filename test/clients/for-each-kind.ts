/** Runs one test for several clients concurrently, for tests that mostly wait. */
import { type Kind, STREAMABLE_KINDS } from './connect-client.ts'

export function forEachKind(
  run: (kind: Kind) => Promise<void>,
  kinds: readonly Kind[] = STREAMABLE_KINDS,
): () => Promise<void> {
  return async () => {
    const runs = kinds.map(async (kind) => {
      try {
        await run(kind)
      } catch (error) {
        if (error instanceof Error) error.message = `${kind}: ${error.message}`
        throw error
      }
    })
    await Promise.all(runs)
  }
}
