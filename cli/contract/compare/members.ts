/** The members of definitions that are compared alike: texts, and members that only break or only add. */
import { canonicalText } from '../../../src/protocol/canonical-json.ts'
import type { JsonSchema } from '../../../src/protocol/content.ts'
import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts'
import { isObject } from '../../doctor/text.ts'
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
  isObject(value) ? (value as JsonObject) : {}

/** @param what the name of a value: `argument`, `result` */
export function schemaChanges(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  direction: Direction,
  what: string,
): readonly Change[] {
  return compareSchemas(
    objectOf(before) as JsonSchema,
    objectOf(after) as JsonSchema,
    direction,
  ).map(({ kind, at, text }) => ({ kind, at: at === '' ? `${what}s` : `${what} ${at}`, text }))
}
