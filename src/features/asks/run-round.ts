/** The asks, waits and steps of a run, which its first ask or step creates. */
import type { HandlerRun } from '../../dispatch/handler-run.ts'
import { Journal } from '../../dispatch/journal/journal.ts'
import { Round } from './journal/round.ts'
import { Operations } from './operations.ts'

export const roundOf = (run: HandlerRun): Round => run.part(createRound)

/** The operations of a handler on what outlives its call. */
export const operationsOf = (run: HandlerRun): Operations => run.part(createOperations)

function createRound(run: HandlerRun): Round {
  const round = new Round(
    run.call,
    run.journal ?? new Journal(),
    run.options,
    () => run.sent,
    (reason) => run.interrupt(reason),
  )
  run.onClose(() => round.close(run.isOver))
  return round
}

function createOperations(run: HandlerRun): Operations {
  return new Operations(() => roundOf(run))
}
