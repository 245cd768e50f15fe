/** The texts of a schema: titles, descriptions, defaults and all else that decides about no value. */
import { canonicalText } from '../../../../../src/protocol/canonical-json.ts'
import type { JsonSchema } from '../../../../../src/protocol/content.ts'
import { type SchemaStep, walkSchema } from '../../../../../src/server/schema/check-json-schema.ts'
import { memberAt } from './finding.ts'
import { isAssertion } from './keywords.ts'

export interface ChangedAnnotation {
  readonly at: string
  readonly text: string
}

/** Names and addresses, whose effect is in what refers to them. */
const STRUCTURE = ['$defs', 'definitions', '$id', '$anchor', '$dynamicAnchor']

/** The annotations that differ at places that both versions have. */
export function changedAnnotations(
  before: JsonSchema,
  after: JsonSchema,
): readonly ChangedAnnotation[] {
  const [old, now] = [annotationsIn(before), annotationsIn(after)]
  return [...old].flatMap(([path, { at, texts }]) => {
    const other = now.get(path)?.texts
    if (other === undefined) return []
    const names = [...new Set([...texts.keys(), ...other.keys()])]
    return names
      .filter((name) => texts.get(name) !== other.get(name))
      .map((name) => ({ at, text: `has another ${name}` }))
  })
}

interface Annotated {
  readonly at: string
  readonly texts: ReadonlyMap<string, string>
}

function annotationsIn(root: JsonSchema): ReadonlyMap<string, Annotated> {
  const all = new Map<string, Annotated>()
  walkSchema(root, (schema, path) => {
    const own = Object.entries(schema).filter(
      ([keyword]) => !isAssertion(keyword) && !STRUCTURE.includes(keyword),
    )
    const texts = new Map(own.map(([keyword, value]) => [keyword, canonicalText(value)]))
    all.set(JSON.stringify(path), { at: placeOf(path), texts })
  })
  return all
}

function placeOf(path: readonly SchemaStep[]): string {
  return path.reduce((at, { keyword, key }) => {
    if (keyword === 'properties') return memberAt(at, key ?? '')
    if (keyword === 'items' || keyword === 'prefixItems') return `${at}[${key ?? ''}]`
    if (keyword === 'additionalProperties' || keyword === 'patternProperties')
      return memberAt(at, '*')
    return at
  }, '')
}
