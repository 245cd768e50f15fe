/** One test for several clients at once: for what is mostly waiting. */
import { type Kind, STREAMABLE_KINDS } from './session-client.ts'

export function together(
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
