/** `ctx.waitFor`: the wait for an event, and how its value is read. */

import type { EventWait } from '../../../dispatch/journal/wait.ts'
import { isJsonObject } from '../../../protocol/json.ts'
import type { WaitOptions } from '../../../server/context.ts'
import {
  type CompiledSchema,
  compileSchema,
  describeIssues,
} from '../../../server/schema/compile.ts'
import type { Schema } from '../../../server/schema/standard-schema.ts'
import type { Misfit, ReadAnswer } from './ask.ts'

interface EventQuestion {
  readonly wait: () => EventWait
  readonly read: (answer: unknown) => Promise<ReadAnswer<unknown> | Misfit>
}

/**
 * @param longestMs how long a wait without `timeoutMs` lasts; undefined: as long as its task
 * @throws {TypeError} for a malformed option
 */
export function checkedWait(
  options: WaitOptions<Schema | undefined>,
  longestMs: number | undefined,
): EventQuestion {
  const { schema, timeoutMs = longestMs } = options
  if (timeoutMs !== undefined && !(Number.isFinite(timeoutMs) && timeoutMs > 0)) {
    throw new TypeError('ctx.waitFor: timeoutMs must be a number above 0')
  }
  return eventWait(schema && compileSchema(schema, 'input'), timeoutMs)
}

/** @param timeoutMs undefined: as long as the task lives */
export function eventWait(
  compiled: CompiledSchema | undefined,
  timeoutMs: number | undefined,
): EventQuestion {
  return {
    wait: () => ({
      kind: 'event',
      ...(timeoutMs === undefined ? undefined : { until: Date.now() + timeoutMs }),
      ...(compiled === undefined ? undefined : { schema: compiled.json }),
    }),
    // An event is delivered as `{ value }`, because the journal keeps objects.
    read: async (answer) => {
      const value = isJsonObject(answer) ? answer.value : undefined
      if (value === undefined) return { misfit: 'the delivery has no value' }
      const outcome = await compiled?.validate(value)
      if (outcome?.issues !== undefined) return { misfit: describeIssues(outcome.issues) }
      return { value: outcome === undefined ? value : outcome.value, kept: { value } }
    },
  }
}
