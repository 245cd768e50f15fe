/** The changes of the keywords of one type, without members, items, `allOf` and unions. */
import type { JsonObject } from '../../../../../src/protocol/json.ts'
import { type Effect, type Finding, finding, notCompared } from './finding.ts'
import { type Place, placeIn } from './place.ts'
import { haveSameText } from './schema-text.ts'

type Rule = (before: number, after: number) => Effect
const lower: Rule = (before, after) => (before < after ? 'narrower' : 'wider')
const upper: Rule = (before, after) => lower(after, before)
const unknown: Rule = () => 'incompatible'

const rules = (rule: Rule, keywords: string): readonly (readonly [string, Rule])[] =>
  keywords.split(' ').map((keyword) => [keyword, rule])

/** What another value of a keyword does. Without the keyword, more values are allowed. */
const RULES = [
  ...rules(lower, 'minimum exclusiveMinimum minLength minItems minProperties minContains'),
  ...rules(upper, 'maximum exclusiveMaximum maxLength maxItems maxProperties maxContains'),
  ...rules(multiple, 'multipleOf'),
  ...rules(unknown, 'uniqueItems pattern format contentEncoding contentMediaType contentSchema'),
  ...rules(unknown, 'not if then else contains propertyNames'),
  ...rules(unknown, 'dependentRequired dependentSchemas dependencies'),
]

/** Validators do not agree on the multiples of decimals, so only integers are compared. */
function multiple(before: number, after: number): Effect {
  if (!Number.isSafeInteger(before) || !Number.isSafeInteger(after)) return 'incompatible'
  if (after % before === 0) return 'narrower'
  return before % after === 0 ? 'wider' : 'incompatible'
}

export function keywordChanges(before: Place, after: Place, at: string): readonly Finding[] {
  const [old, now] = [before.schema as JsonObject, after.schema as JsonObject]
  const [was, is] = [old.type === 'integer', now.type === 'integer']
  const changes = RULES.flatMap(([keyword, rule]) => {
    const [a, b] = [valueIn(old, keyword), valueIn(now, keyword)]
    if (a === b || isSameIn([before, after], keyword, [a, b])) return []
    return [keywordChange(keyword, rule, [a, b], at)]
  })
  if (was === is) return changes
  return [finding('values', is ? 'narrower' : 'wider', at, 'number'), ...changes]
}

/** Undefined for a value that means the same as none. */
function valueIn(schema: JsonObject, keyword: string): unknown {
  const value = schema[keyword]
  if (keyword === 'minContains') return value ?? 1
  return value === false || (value === 0 && /^min[A-Z]/.test(keyword)) ? undefined : value
}

type Values = readonly [before: unknown, after: unknown]

const isSameIn = ([before, after]: readonly [Place, Place], keyword: string, [a, b]: Values) =>
  a !== undefined &&
  b !== undefined &&
  haveSameText(placeIn(before, { [keyword]: a }), placeIn(after, { [keyword]: b }))

function keywordChange(keyword: string, rule: Rule, [before, after]: Values, at: string): Finding {
  const shown = (value: unknown) =>
    typeof value === 'object' ? `"${keyword}"` : `${keyword} ${value}`
  if (before === undefined) return finding('keyword', 'narrower', at, `has ${shown(after)} now`)
  if (after === undefined) {
    return finding('keyword', 'wider', at, `has no ${shown(before)} any more`)
  }
  if (typeof before === 'object' || typeof after === 'object') return notCompared(at, keyword)
  const effect = rule(Number(before), Number(after))
  const doubt = effect === 'incompatible' ? ': cannot be compared with certainty' : ''
  return finding('keyword', effect, at, `changes ${keyword} from ${before} to ${after}${doubt}`)
}
