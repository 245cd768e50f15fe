/** What a handler waits for besides answers of the client: a time, an event that the author delivers, or a task. */
import type { JsonSchema } from '../../protocol/content.ts'
import { isJsonObject } from '../../protocol/json.ts'

export interface SleepWait {
  readonly kind: 'sleep'
  /** Epoch milliseconds. */
  readonly until: number
}

export interface EventWait {
  readonly kind: 'event'
  /** Epoch milliseconds; absent: as long as the task lives. */
  readonly until?: number
  /** The schema of the value. Absent: any JSON value. */
  readonly schema?: JsonSchema
}

/** The end of a task, which `tasks/result` waits for. */
export interface TaskWait {
  readonly kind: 'task'
  readonly taskId: string
  /** Epoch milliseconds. */
  readonly until: number
}

/** Plain JSON: it is stored with the journal. */
export type Wait = SleepWait | EventWait | TaskWait

const KINDS: readonly Wait['kind'][] = ['sleep', 'event', 'task']

/** Called only on what a journal has stored. */
export function isWait(value: unknown): value is Wait {
  return isJsonObject(value) && KINDS.includes(value.kind as Wait['kind'])
}
