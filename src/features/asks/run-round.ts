/** The asks, waits and steps of a run, which its first ask or step creates. */
import type { HandlerRun } from '../../dispatch/handler-run.ts'
import { fingerprint } from '../../platform/fnv.ts'
import { Round } from './journal/round.ts'

export const roundOf = (run: HandlerRun): Round => run.part(createRound)

/** The operations of a handler on what outlives its call. */
export const operationsOf = (run: HandlerRun): Operations => run.part(createOperations)

function createRound(run: HandlerRun): Round {
  const round = new Round(run)
  run.onClose(() => round.close(run.isOver))
  return round
}

function createOperations(run: HandlerRun): Operations {
  return new Operations(() => roundOf(run))
}

/** The longest part of a target that tells it from others: keys, handles and names are shorter. */
const TARGET_LENGTH = 512

/**
 * Runs each operation as a step whose key names it and its place among those of its kind and target. The
 * place is counted when the handler calls, so that concurrent operations have the same places again.
 */
export class Operations {
  readonly #roundOf: () => Round
  readonly #places = new Map<string, number>()

  constructor(roundOf: () => Round) {
    this.#roundOf = roundOf
  }

  /**
   * @param kind a short name, such as `state-get`
   * @param work receives the id of the operation, the same when it is repeated after an interruption. It
   *   must recognise a repeated one
   */
  run<T>(kind: string, target: unknown, work: (operation: string) => Promise<T>): Promise<T> {
    const name = `${kind}-${fingerprint(String(target).slice(0, TARGET_LENGTH))}`
    const place = (this.#places.get(name) ?? 0) + 1
    this.#places.set(name, place)
    const options = { idempotent: true }
    return this.#roundOf().step(`${name}-${place}`, options, ({ stepId }) => work(stepId))
  }
}
