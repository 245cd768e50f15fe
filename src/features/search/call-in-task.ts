/**
 * Calls a tool without tasks inside the task of the tool that calls it. The list of 2025-11-25 says of that one alone that it
 * may be a task, so a client asks for a task whichever tool it calls.
 */
import type { HandlerRun } from '../../dispatch/handler-run.ts'
import { callInner, findInnerTool } from '../../dispatch/inner-call.ts'
import { Suspension } from '../../dispatch/journal/suspension.ts'
import type { CallToolResult } from '../../protocol/primitives.ts'
import { beginInner, runInner } from '../asks/journal/inner-round.ts'
import { roundOf } from '../asks/run-round.ts'
import type { CallTarget } from './call-target.ts'

const KEY = 'call'

/** @throws {ToolError} for a call that was interrupted, and may have had its effect */
export function callInTask(run: HandlerRun, target: CallTarget): Promise<CallToolResult> {
  const round = roundOf(run)
  return runInner(round, KEY, async (inner) => {
    const tool = findInnerTool(run, target.tool.info.name)
    beginInner(round, KEY, tool)
    try {
      return await callInner(run, { tool, args: target.args, key: KEY, journal: inner })
    } catch (error) {
      // It has waited, so nothing was interrupted.
      if (error instanceof Suspension) round.journal.drop(KEY)
      throw error
    }
  })
}
