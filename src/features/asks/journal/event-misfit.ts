/** Whether a delivered event can fit what its wait has stored, without the schema of the author. */
import type { EventWait } from '../../../dispatch/journal/wait.ts'
import type { JsonValue } from '../../../protocol/json.ts'
import { describeIssues } from '../../../server/schema/compile.ts'
import { findFaults } from '../../../server/schema/find-faults.ts'
import { MAX_ISSUES } from '../../../server/schema/standard-schema.ts'

/** Why a delivered value cannot fit a wait. The author's schema decides about any other value when the handler resumes. */
export function misfitOf({ schema }: EventWait, value: JsonValue): string | undefined {
  if (schema === undefined) return undefined
  const issues = findFaults(schema, value, MAX_ISSUES + 1)
  return issues.length === 0 ? undefined : describeIssues(issues)
}
