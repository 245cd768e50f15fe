/** What the driver is given of an object with runs: where the rows, the asks and the answers of its runs go. */
import type { Dispatcher } from '../../src/dispatch/dispatcher.ts'
import type { Suspension } from '../../src/dispatch/journal/suspension.ts'
import type { Answer, Outcome } from '../../src/dispatch/outcome.ts'
import type { CancelReason } from '../../src/ports/cancel-reason.ts'
import type { AuthInfo } from '../../src/protocol/auth-info.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import type { Run } from './run.ts'
import type { RunEvent, RunFailure, RunLimits, RunState, WithdrawReason } from './run-state.ts'
import type { RunColumns, WaitRow } from './run-statements.ts'

/**
 * A session or a task. What is absent does not exist there: a task has no stream for notifications, and no call
 * that waits for its answer. `insert` to `finish` are called within the transaction of a decision.
 */
export interface RunOwner<R extends Run> {
  /** Undefined for those of every run. */
  readonly limits?: RunLimits
  /** The reason with which a handler is cancelled whose owner ends. */
  readonly endReason: CancelReason
  /** Reads a run from its row; undefined for one that is over, or that does not exist. */
  readonly load: (runId: string) => R | undefined
  /** Ids of the runs whose handler, or the renewal of whose caller, was in memory. */
  readonly interruptedRuns: () => readonly string[]
  readonly isRepeatable: (run: R) => boolean
  /** The dispatcher of the caller's definition under the revision of the run. */
  readonly dispatcherOf: (run: R, auth: AuthInfo | undefined) => Dispatcher | Promise<Dispatcher>
  /** Runs the handler until it settles or waits. */
  readonly execute: (run: R) => Promise<Outcome>
  /** Until when a suspended run takes responses, in epoch milliseconds. */
  readonly expiryOf: (suspension: Suspension) => number

  /** Writes the row of a run and its journal. */
  readonly insert: (run: R) => void
  readonly notify?: (run: R, message: string) => void
  /** What is noted of an ask. One that is open with the same note is not asked again. */
  readonly noteOf: (request: JsonObject) => string
  /** Asks the client, and returns the key of the ask on the wire. */
  readonly ask: (run: R, key: string, request: JsonObject) => string
  readonly withdraw?: (run: R, ask: WaitRow, reason: WithdrawReason) => void
  /** Keeps the answer for the client. */
  readonly answer: (run: R, answer: Answer) => RunColumns | undefined
  /** The answer of a run that ends without one of its handler. */
  readonly failure: (run: R, failure: RunFailure) => Answer
  /** The row of the run and its journal are not needed any more. */
  readonly finish: (run: R) => RunColumns | undefined
  /** Writes what a decision has changed in the row of a run, if it still exists. */
  readonly save: (run: R, columns: RunColumns) => void

  /** Returns an answer through the call that brought the request. */
  readonly reply?: (run: R, answer: Answer) => void
  /** Prepares a run that resumes after an interruption. */
  readonly restore?: (run: R) => void
  /** Called after an event has moved a run to another state. */
  readonly moved: (run: R, before: RunState, event: RunEvent) => void
}
