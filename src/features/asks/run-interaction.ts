/** The asks, waits and steps of a run, which its first ask or step creates. */
import type { HandlerRun } from '../../dispatch/handler-run.ts'
import { Journal } from '../../dispatch/journal/journal.ts'
import { Interaction } from './journal/interaction.ts'
import { Operations } from './operations.ts'

export const interactionOf = (run: HandlerRun): Interaction => run.part(createInteraction)

/** The operations of a handler on what outlives its call. */
export const operationsOf = (run: HandlerRun): Operations => run.part(createOperations)

function createInteraction(run: HandlerRun): Interaction {
  const interaction = new Interaction(
    run.call,
    run.journal ?? new Journal(),
    run.options,
    () => run.sent,
    (reason) => run.interrupt(reason),
  )
  run.onClose(() => interaction.close(run.isOver))
  return interaction
}

function createOperations(run: HandlerRun): Operations {
  return new Operations(() => interactionOf(run))
}
