/** Whether a delivered event fits what its wait has stored. Objects import it, so an app with `asks()` alone has no validator. */

import type { EventWait } from '../../../dispatch/journal/wait.ts'
import type { JsonValue } from '../../../protocol/json.ts'
import { compileSchema, describeIssues } from '../../../server/schema/compile.ts'
import { jsonSchema } from '../../../server/schema/json-schema.ts'

/** Why a delivered value does not fit a wait; undefined when it fits. Its author's schema decides again when the handler resumes. */
export async function misfitOf(
  { schema }: EventWait,
  value: JsonValue,
): Promise<string | undefined> {
  if (schema === undefined) return undefined
  const { issues } = await compileSchema(jsonSchema(schema), 'input').validate(value)
  return issues && describeIssues(issues)
}
