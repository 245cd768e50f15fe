/** References of a JSON Schema to definitions that it does not contain. */
import type { JsonSchema } from '../../../../../src/protocol/content.ts'
import { isJsonObject } from '../../../../../src/protocol/json.ts'
import { targetOf } from '../../../../../src/server/schema/json-pointer.ts'

/** Their values are data and no schemas. */
const DATA: readonly string[] = ['const', 'default', 'enum', 'examples']

/** Empty for a schema with `$id` or anchors, whose references may lead anywhere in it. */
export function unresolvedReferences(schema: unknown): readonly string[] {
  const references = new Set<string>()
  const pending: unknown[] = [schema]
  // A list of its own instead of recursion: a server may nest as deeply as it wants.
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (Array.isArray(value)) for (const member of value) pending.push(member)
    if (!isJsonObject(value)) continue
    for (const [name, member] of Object.entries(value)) {
      const isText = typeof member === 'string'
      if (isText && ['$id', '$anchor', '$dynamicAnchor'].includes(name)) return []
      if (isText && name === '$ref') references.add(member)
      else if (!DATA.includes(name)) pending.push(member)
    }
  }
  return [...references].filter((one) => targetOf(schema as JsonSchema, one) === undefined)
}
