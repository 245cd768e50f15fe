/**
 * Defaults that are functions, such as `z.string().default(() => crypto.randomUUID())`. A schema library evaluates them
 * when it converts the schema, and whether a default is one cannot be asked. At registration, in the global scope of a
 * Worker, random values throw and the clock is at 0. So a default is read at registration and again in a request, and
 * published only where both are equal. The library fills it in either way.
 */
import type { JsonSchema } from '../../protocol/content.ts'
import { walkSchema } from './check-json-schema.ts'
import { jsonEquals } from './json-equality.ts'

/** Removes the defaults that are not those of a second conversion. Undefined for a schema without defaults. */
export function confirmDefaults(
  json: JsonSchema,
  convertAgain: () => JsonSchema,
): (() => void) | undefined {
  const before = subschemasOf(json)
  if (!before.some(hasDefault)) return undefined
  let isConfirmed = false
  return () => {
    if (isConfirmed) return
    isConfirmed = true
    const after = subschemasOf(convertAgain())
    for (const [index, schema] of before.entries()) {
      const again = after[index]
      if (again && hasDefault(again) && jsonEquals(schema.default, again.default)) continue
      // The list, the search and all copies of the definition share this object.
      Reflect.deleteProperty(schema, 'default')
    }
  }
}

const hasDefault = (schema: JsonSchema) => schema.default !== undefined

/** In the same order for the same schema. */
function subschemasOf(json: JsonSchema): readonly JsonSchema[] {
  const all: JsonSchema[] = []
  walkSchema(json, (schema) => all.push(schema))
  return all
}

/** A default that a failing one is replaced by during a conversion. */
const NONE = 'edgeway:no-default'

/** Converts a schema, without the defaults that throw or are no JSON. */
export function convertDefaults(schema: object, convert: () => JsonSchema): JsonSchema {
  try {
    return convert()
  } catch (cause) {
    const restore = replaceFailing(schema)
    if (restore.length === 0) throw cause
    try {
      const isNone = (key: string, value: unknown) => key === 'default' && value === NONE
      return JSON.parse(
        JSON.stringify(convert(), (key, value) => (isNone(key, value) ? undefined : value)),
      )
    } finally {
      for (const undo of restore) undo()
    }
  }
}

/** The definition of a schema of zod 4, with the members that say what an absent value becomes. */
interface ZodDefinition {
  defaultValue?: unknown
  catchValue?: (context: unknown) => unknown
}

/** Returns what restores the defaults. A conversion is synchronous, so no validation finds them replaced. */
function replaceFailing(root: object): readonly (() => void)[] {
  const restore: (() => void)[] = []
  const seen = new Set<object>()
  const pending: unknown[] = [root]
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    if (typeof at !== 'object' || at === null || seen.has(at)) continue
    seen.add(at)
    const { _zod } = at as { readonly _zod?: { readonly def: ZodDefinition; innerType?: object } }
    const definition = _zod?.def ?? at
    if (_zod !== undefined) restore.push(...replaceIn(_zod.def))
    for (const [member, value] of Object.entries(Object.getOwnPropertyDescriptors(definition))) {
      if (member !== 'defaultValue') pending.push(value.value ?? Reflect.get(definition, member))
    }
    // That of `z.lazy()`.
    pending.push(_zod?.innerType ?? null)
  }
  return restore
}

function replaceIn(definition: ZodDefinition): readonly (() => void)[] {
  const readings: readonly (readonly [string, () => unknown, unknown])[] = [
    ['defaultValue', () => definition.defaultValue, NONE],
    ['catchValue', () => definition.catchValue?.(undefined), () => NONE],
  ]
  return readings.flatMap(([member, read, value]) => {
    const own = Object.getOwnPropertyDescriptor(definition, member)
    if (own === undefined || isReadable(read)) return []
    Object.defineProperty(definition, member, { value, configurable: true, enumerable: true })
    return [() => Object.defineProperty(definition, member, own)]
  })
}

function isReadable(read: () => unknown): boolean {
  try {
    return JSON.stringify(read()) !== undefined
  } catch {
    // No random values in the global scope of a Worker, or a value that is no JSON.
    return false
  }
}
