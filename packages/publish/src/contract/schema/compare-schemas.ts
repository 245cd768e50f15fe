/** Compares two versions of a schema: what breaks, what is added, and which texts differ. */
import { canonicalText } from '../../../../../src/protocol/canonical-json.ts'
import type { JsonSchema } from '../../../../../src/protocol/content.ts'
import { walkSchema } from '../../../../../src/server/schema/check-json-schema.ts'
import { changedAnnotations } from './annotations.ts'
import { SchemaComparison } from './compare-places.ts'
import { type Direction, type Effect, type Finding, findingText } from './finding.ts'
import { rootPlace } from './place.ts'

export type { Direction } from './finding.ts'

export interface SchemaChange {
  readonly kind: 'breaking' | 'additive' | 'textual'
  /** The place in the value, such as `filter.tags[]`; empty for the whole. */
  readonly at: string
  /** A sentence without a subject. */
  readonly text: string
}

const BREAKING: Readonly<Record<Direction, readonly Effect[]>> = {
  input: ['narrower', 'incompatible'],
  output: ['wider', 'incompatible'],
}

/**
 * A change is breaking when a value that was correct may be refused: an argument that clients send, or a result that
 * they read by the old schema. It is breaking too when no rule compares it.
 */
export function compareSchemas(
  before: JsonSchema,
  after: JsonSchema,
  direction: Direction,
): readonly SchemaChange[] {
  if (canonicalText(before) === canonicalText(after)) return []
  let findings: readonly Finding[]
  try {
    const comparison = new SchemaComparison(namesOf(before))
    findings = comparison.compare(rootPlace(before), rootPlace(after), '', false)
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error
    return [{ kind: 'breaking', at: '', text: `cannot be compared: ${error.message}` }]
  }
  const breaking = findings.filter(({ effect }) => BREAKING[direction].includes(effect))
  const broken = new Set(breaking.map(({ at }) => at))
  const additive = findings.filter(({ at }) => !broken.has(at))
  const changes = [
    ...changesOf('breaking', breaking, direction),
    ...changesOf('additive', additive, direction),
    ...changedAnnotations(before, after).map(
      ({ at, text }): SchemaChange => ({ kind: 'textual', at, text }),
    ),
  ]
  if (changes.length > 0) return changes
  return [
    { kind: 'textual', at: '', text: 'is written in another way and accepts the same values' },
  ]
}

/** Whether a schema says anywhere which value a member of a name has. */
function namesOf(root: JsonSchema): (name: string) => boolean {
  const names = new Set<string>()
  let saysOthers = false
  walkSchema(root, (schema) => {
    const { properties, required, additionalProperties: others, patternProperties } = schema
    const named = [...Object.keys(properties ?? {}), ...[required].flat()]
    for (const name of named) names.add(String(name))
    saysOthers ||= (others ?? false) !== false || patternProperties !== undefined
  })
  return (name) => saysOthers || names.has(name)
}

function changesOf(
  kind: 'breaking' | 'additive',
  findings: readonly Finding[],
  direction: Direction,
): readonly SchemaChange[] {
  const changes = withoutRequired(findings).map(
    (one): SchemaChange => ({ kind, at: one.at, text: findingText(one, direction) }),
  )
  // Alternatives often have the same change.
  return [...new Map(changes.map((one) => [`${one.at}\n${one.text}`, one])).values()]
}

/** A member that is new or removed is not also required, or not required any more. */
function withoutRequired(findings: readonly Finding[]): readonly Finding[] {
  const whole = findings.filter(({ code }) => code === 'added' || code === 'removed')
  const places = new Set(whole.map(({ at }) => at))
  return findings.filter(({ code, at }) => code !== 'required' || !places.has(at))
}
