/** The part of a round that belongs to a call inside its run. */
import { InnerJournal } from '../../../dispatch/journal/inner-journal.ts'
import type { Journal } from '../../../dispatch/journal/journal.ts'
import { Suspension } from '../../../dispatch/journal/suspension.ts'
import { isRepeatable } from '../../../dispatch/target.ts'
import type { ToolDefinition } from '../../../server/definition.ts'
import { ToolError } from '../../../server/tool-error.ts'
import type { Round } from './round.ts'
import { never } from './suspender.ts'

/**
 * Runs a call of another tool, whose entries in the journal have keys that begin with its own. What its handler asks and
 * waits for is asked and waited for by the round.
 *
 * @param call receives the journal of the call, and rejects with a {@link Suspension}
 * @throws {TypeError} when no further ask or wait can be opened
 */
export async function runInner<T>(
  round: Round,
  key: string,
  call: (journal: Journal) => Promise<T>,
): Promise<T> {
  if (round.hasEnded) return never()
  const prefix = `${key}.`
  const release = round.hold()
  try {
    return await call(new InnerJournal(round.journal, prefix))
  } catch (error) {
    if (!(error instanceof Suspension)) throw error
    round.adopt(prefix, error)
    return never()
  } finally {
    release()
  }
}

/**
 * Records that a call of a tool inside a run begins.
 *
 * @throws {ToolError} for a call that was interrupted, and may not be repeated
 */
export function beginInner({ journal }: Round, key: string, tool: ToolDefinition): void {
  if (journal.pending(key, 'started') !== undefined && !mayRepeat(tool)) {
    throw new ToolError(
      `The server was interrupted while ${tool.info.name} was running. It may have had its effect, so it was not called again. Check what it has done before you call it.`,
    )
  }
  journal.write(key, 'started', 1)
}

/** Handlers of tasks are written to run again. */
const mayRepeat = (tool: ToolDefinition) => tool.task !== undefined || isRepeatable(tool)
