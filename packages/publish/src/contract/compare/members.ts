/** The members of definitions that are compared alike: texts, and members that only break or only add. */
import { canonicalText } from '../../../../../src/protocol/canonical-json.ts'
import type { JsonSchema } from '../../../../../src/protocol/content.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../../src/protocol/json.ts'
import { compareSchemas, type Direction } from '../schema/compare-schemas.ts'
import { type Change, textual } from './difference.ts'

/** The differing members that no rule of its own compares. */
export function otherMembers(
  before: JsonObject,
  after: JsonObject,
  compared: readonly string[],
): readonly Change[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names]
    .filter((name) => !compared.includes(name) && isChanged(before[name], after[name]))
    .sort()
    .map((name) => textual('is another', name))
}

export const isChanged = (a: JsonValue | undefined, b: JsonValue | undefined): boolean =>
  a === undefined || b === undefined ? a !== b : canonicalText(a) !== canonicalText(b)

export const objectOf = (value: unknown): JsonObject =>
  isJsonObject(value) ? (value as JsonObject) : {}

/** @param value the name of a value by the schema: `argument`, `result` */
export function schemaChanges(
  member: 'inputSchema' | 'outputSchema' | 'payloadSchema',
  [before, after]: readonly [JsonObject, JsonObject],
  direction: Direction,
  value: string,
): readonly Change[] {
  const [old, now] = [objectOf(before[member]), objectOf(after[member])]
  return compareSchemas(old as JsonSchema, now as JsonSchema, direction).map(
    ({ kind, at, text }) => ({ kind, at: at === '' ? member : `${value} ${at}`, text }),
  )
}
