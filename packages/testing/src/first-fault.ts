/** The first fault of a value by a JSON Schema, as a host of views names it. */
import type { JsonSchema } from '../../../src/protocol/content.ts'
import { findFaults } from '../../../src/server/schema/find-faults.ts'
import type { JsonMembers } from './test-client.ts'

export function firstFault(schema: JsonMembers, value: unknown): string | undefined {
  const [fault] = findFaults(schema as JsonSchema, value, 1)
  return fault && `${fault.path.join('.') || 'the structured content'} ${fault.message}`
}
