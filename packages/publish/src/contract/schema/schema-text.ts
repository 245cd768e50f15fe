/** The text of what a schema accepts: equal texts accept the same values. Annotations and names of definitions are not in it. */
import { canonicalText } from '../../../../../src/protocol/canonical-json.ts'
import { isJsonObject } from '../../../../../src/protocol/json.ts'
import { mapSubschemas } from '../../../../../src/server/schema/keywords.ts'
import { isAssertion, REFERENCES } from './keywords.ts'
import { isReferenceAlone, type Place, placeIn, targetsOf } from './place.ts'

/** References that share a target are written out, which can grow without bound. In subschemas. */
const MAX_WRITTEN = 20_000

const known = new WeakMap<object, string | undefined>()

/** Undefined for a schema that becomes too large when its references are written out. */
export function schemaText(place: Place): string | undefined {
  const { schema } = place
  if (!isJsonObject(schema)) return canonicalText(schema)
  if (!known.has(schema)) known.set(schema, writtenText(place))
  return known.get(schema)
}

export function haveSameText(before: Place, after: Place): boolean {
  const text = schemaText(before)
  return text !== undefined && text === schemaText(after)
}

/** Whether every value is valid. */
export const isAnything = (place: Place): boolean =>
  ['true', '{}'].includes(schemaText(place) ?? '')

function writtenText(place: Place): string | undefined {
  let written = 0
  const write = (at: Place, open: readonly unknown[]): unknown => {
    const { schema } = at
    if (!isJsonObject(schema)) return schema
    if (++written > MAX_WRITTEN) throw new RangeError('too large')
    const inner = [...open, schema]
    const child = (value: unknown) => write(placeIn(at, value), inner)
    const targets = targetsOf(at).map((target) => {
      const depth = inner.indexOf(target)
      // A recursive schema is equal to one that leads back by as many steps.
      return depth === -1 ? child(target) : { back: inner.length - depth }
    })
    const isAlone = isReferenceAlone(at)
    const entries = Object.entries(schema)
      .filter(([keyword]) => !isAlone && isAssertion(keyword) && !REFERENCES.includes(keyword))
      .map(([keyword, value]) => {
        const isSet = ['required', 'type', 'enum'].includes(keyword) && Array.isArray(value)
        return [keyword, isSet ? [...value].sort(byText) : mapSubschemas(keyword, value, child)]
      })
    return { ...Object.fromEntries(entries), ...(targets.length > 0 && { $ref: targets }) }
  }
  try {
    return canonicalText(write(place, []))
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const byText = (a: unknown, b: unknown) => (canonicalText(a) < canonicalText(b) ? -1 : 1)
