/** Implements the journal of a job: its record, its events and its pauses are entries of the journal of its task. */

import type { Call } from '../../../dispatch/call.ts'
import type { Journal } from '../../../dispatch/journal/journal.ts'
import type { Wait } from '../../../dispatch/journal/wait.ts'
import { createReference } from '../../../dispatch/reference.ts'
import { ErrorCode } from '../../../protocol/error-codes.ts'
import type { JsonObject, JsonValue } from '../../../protocol/json.ts'
import { ProtocolError } from '../../../protocol/protocol-error.ts'
import type { JobJournal, JobRecord } from '../../../server/job-journal.ts'
import type { CompiledSchema } from '../../../server/schema/compile.ts'
import { eventWait } from '../../asks/journal/event.ts'
import type { Round } from '../../asks/journal/round.ts'

/** Keys that no author can use, because they contain a colon. */
export const JOB_RECORD = 'job:record'
const PAUSE = 'job:pause'

/** The idempotency key of the job of a task object. Also a valid id of a Workflow instance. */
export function jobKeyOf(taskName: string): string {
  return `task-${taskName}`
}

/** The record of a job as {@link createJobJournal} has written it to the journal. */
export function jobRecordOf(value: JsonValue | undefined): JobRecord | undefined {
  return value as JobRecord | undefined
}

export function createJobJournal(
  { run, request, deployment }: Call,
  journal: Journal,
  round: Round,
): JobJournal {
  return {
    idempotencyKey: jobKeyOf(run.id ?? ''),
    read: () => jobRecordOf(journal.read(JOB_RECORD, 'step')?.value),
    write: (record) => journal.write(JOB_RECORD, 'step', { ...record } as JsonObject),
    delivered: (key, schema) => round.delivered(key, eventOf(schema).read),
    suspend: (until, events) => {
      // The end of the last pause is not recorded, because a job is left alone again and again.
      if (journal.fresh(PAUSE) !== undefined) journal.drop(PAUSE)
      const waits: Record<string, Wait> = { [PAUSE]: { kind: 'sleep', until } }
      for (const [key, schema] of events) waits[key] = eventOf(schema).wait()
      return round.suspendUntil(waits)
    },
    fault: (message, error) => {
      const reference = createReference()
      const subject = `Tool ${String(request.params?.name)}`
      deployment.report({ type: 'handler-error', subject, reference, error })
      return new ProtocolError(ErrorCode.internalError, `${message} (reference ${reference}).`)
    },
  }
}

const eventOf = (schema: CompiledSchema | undefined) => eventWait(schema, undefined)
