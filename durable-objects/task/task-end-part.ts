/** The part of a task object that reports the end of the task. The object has its row and its alarm, a feature brings the rest. */
import type { DefinedDeployment } from '../../src/dispatch/deployment.ts'
import { ExtensionPoint } from '../../src/feature/extension-point.ts'
import type { TaskSnapshot } from '../../src/ports/tasks.ts'
import type { CallerRecords } from '../run/caller-records.ts'
import type { TaskStorage } from './task-storage.ts'

export interface TaskEndContext {
  readonly storage: TaskStorage
  readonly deployment: DefinedDeployment
  readonly callers: CallerRecords
  /** Undefined without a task. */
  readonly snapshot: () => TaskSnapshot | undefined
}

export interface TaskEndPart {
  /** When the next attempt is due, in epoch milliseconds; undefined when nothing is left to report. */
  readonly nextAt: number | undefined
  /**
   * Called in the transaction that ends the task. Returns when the first attempt is due; undefined for a task whose end
   * is not reported.
   */
  plan(): number | undefined
  /** Reports the end, if that is due. Never rejects. */
  attempt(now: number): Promise<void>
  /** The task is deleted with the data of its owner: nothing is reported from now on. */
  discard(): void
}

/** Undefined where no feature reads the ends of tasks. */
export type CreateTaskEndPart = (context: TaskEndContext) => TaskEndPart | undefined

export const TASK_END = new ExtensionPoint<(context: TaskEndContext) => TaskEndPart>()
