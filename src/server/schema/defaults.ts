/**
 * Defaults that are functions, such as `z.string().default(() => crypto.randomUUID())`. A schema library evaluates them
 * when it converts the schema, and whether a default is one cannot be asked. At registration, in the global scope of a
 * Worker, random values throw and the clock is at 0. So a default is read at registration and again in a request, and
 * published only where both are equal. The library fills it in either way.
 */
import type { JsonSchema } from '../../protocol/content.ts'
import { walkSchema } from './check-json-schema.ts'

/** Removes the defaults that are not those of a second conversion. Undefined for a schema without defaults. */
export function confirmDefaults(
  json: JsonSchema,
  convertAgain: () => JsonSchema,
): (() => void) | undefined {
  const before = withDefaults(json)
  if (before.size === 0) return undefined
  return () => {
    if (before.size === 0) return
    const after = withDefaults(convertAgain())
    for (const [place, schema] of before) {
      if (JSON.stringify(schema.default) === JSON.stringify(after.get(place)?.default)) continue
      // The list, the search and all copies of the definition share this object.
      Reflect.deleteProperty(schema, 'default')
    }
    before.clear()
  }
}

/** The subschemas that have a default, by their place. */
function withDefaults(json: JsonSchema): Map<string, JsonSchema> {
  const found = new Map<string, JsonSchema>()
  walkSchema(json, (schema, path) => {
    if (schema.default !== undefined) found.set(JSON.stringify(path), schema)
  })
  return found
}

/** A default that a failing one is replaced by during a conversion. It is not published. */
export const NO_DEFAULT = 'edgeway:no-default'

/** Converts a schema. A default that throws or is no JSON becomes {@link NO_DEFAULT}. */
export function convertDefaults(schema: object, convert: () => JsonSchema): JsonSchema {
  try {
    return convert()
  } catch {
    const restore = replaceDefaults(schema)
    try {
      return convert()
    } finally {
      for (const undo of restore) undo()
    }
  }
}

/** The members of a definition of zod 4 that say what an absent value becomes: how each is read and replaced. */
const DEFAULTS: Readonly<Record<string, readonly [Convert, Convert]>> = {
  defaultValue: [(value) => value, (value) => value],
  catchValue: [(create) => (create as Convert)(undefined), (value) => () => value],
}

type Convert = (value: unknown) => unknown

/** Replaces each default by its value. A conversion is synchronous, so no validation finds them replaced. */
function replaceDefaults(root: object): readonly (() => void)[] {
  const restore: (() => void)[] = []
  // The loop visits what is added to the set.
  const parts = new Set<unknown>([root])
  for (const part of parts) {
    if (typeof part !== 'object' || part === null) continue
    const { _zod: { def = part, innerType } = {} } = part as ZodPart
    // That of `z.lazy()`.
    parts.add(innerType)
    for (const [member, own] of Object.entries(Object.getOwnPropertyDescriptors(def))) {
      if (!Object.hasOwn(DEFAULTS, member)) {
        parts.add(Reflect.get(def, member))
        continue
      }
      const [read, write] = DEFAULTS[member] as (typeof DEFAULTS)[string]
      let value: unknown = NO_DEFAULT
      try {
        value = JSON.parse(JSON.stringify(read(Reflect.get(def, member))))
      } catch {
        // No random values in the global scope of a Worker, or a value that is no JSON.
      }
      Object.defineProperty(def, member, { value: write(value), configurable: true })
      restore.push(() => Object.defineProperty(def, member, own))
    }
  }
  return restore
}

interface ZodPart {
  readonly _zod?: { readonly def: object; readonly innerType?: unknown }
}
