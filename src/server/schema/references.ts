/**
 * Resolves the references of a schema that `check-json-schema.ts` has accepted: `#`, a JSON pointer
 * fragment, an `$id` or an anchor of the same document.
 *
 * Dynamic references resolve like static ones, which is the same for a document with one `$id`.
 */
import type { JsonSchema } from '../../protocol/content.ts'
import { walkSchema } from './check-json-schema.ts'
import { targetOf } from './json-pointer.ts'

const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'] as const

/** Keywords whose subschemas apply to the same value. A cycle of these alone never ends. */
const IN_PLACE = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'] as const

export type References = ReadonlyMap<object, readonly unknown[]>

/**
 * Returns the targets of each subschema that refers to others.
 *
 * @throws {TypeError} for a subschema that refers to itself without a step into the value
 */
export function resolveReferences(root: JsonSchema): References {
  const named = new Map<string, JsonSchema>()
  walkSchema(root, (schema) => {
    const { $id, $anchor, $dynamicAnchor } = schema
    if (typeof $id === 'string') named.set($id, schema)
    for (const anchor of [$anchor, $dynamicAnchor]) {
      if (typeof anchor === 'string') named.set(`#${anchor}`, schema)
    }
  })
  const references = new Map<object, readonly unknown[]>()
  walkSchema(root, (schema, path) => {
    const targets = REFERENCES.flatMap((keyword) => {
      const ref = schema[keyword]
      return typeof ref === 'string'
        ? [named.get(ref) ?? targetOf(resourceOf(root, path), ref) ?? targetOf(root, ref)]
        : []
    })
    if (targets.length > 0) references.set(schema, targets)
  })
  checkCycles(root, references)
  return references
}

/** Returns the innermost subschema with an `$id` around a position: pointers start there. */
function resourceOf(root: JsonSchema, path: Parameters<Parameters<typeof walkSchema>[1]>[1]) {
  let resource = root
  let at: unknown = root
  for (const { keyword, key } of path) {
    at = (at as JsonSchema)[keyword]
    if (key !== undefined) at = (at as JsonSchema)[key]
    const { $id } = at as JsonSchema
    if (typeof $id === 'string' && !$id.startsWith('#')) resource = at as JsonSchema
  }
  return resource
}

function checkCycles(root: JsonSchema, references: References): void {
  const finished = new Set<unknown>()
  const open = new Set<unknown>()
  const visit = (schema: unknown): void => {
    if (typeof schema !== 'object' || schema === null || finished.has(schema)) return
    if (open.has(schema)) {
      throw new TypeError('a reference leads back to itself without a step into the value')
    }
    open.add(schema)
    for (const target of references.get(schema) ?? []) visit(target)
    for (const keyword of IN_PLACE) {
      const children = (schema as JsonSchema)[keyword]
      for (const child of Array.isArray(children) ? children : [children]) visit(child)
    }
    const { dependentSchemas, dependencies } = schema as JsonSchema
    for (const dependents of [dependentSchemas, dependencies]) {
      for (const child of Object.values(dependents ?? {})) visit(child)
    }
    open.delete(schema)
    finished.add(schema)
  }
  walkSchema(root, visit)
}
