/** Calls a tool that has no tasks, inside the task of the tool that calls it. */
import type { LongCallExtension } from '../../dispatch/extensions.ts'
import { callInner } from '../../dispatch/inner-call.ts'
import { Suspension } from '../../dispatch/journal/suspension.ts'
import { beginInner, runInner } from '../asks/journal/inner-round.ts'
import { roundOf } from '../asks/run-round.ts'

const KEY = 'call'

export const callInTask: LongCallExtension['callInTask'] = (run, tool, args) => {
  const round = roundOf(run)
  return runInner(round, KEY, async (journal) => {
    beginInner(round, KEY, tool)
    try {
      return await callInner(run, { tool, args, key: KEY, journal })
    } catch (error) {
      // It has waited, so nothing was interrupted.
      if (error instanceof Suspension) round.journal.drop(KEY)
      throw error
    }
  })
}
