/**
 * Repairs arguments that a client has sent in the form of another system: null for what is not set, and a value as its text.
 * Only at the places of faults, so what validates is never changed.
 */
import { parseBoundedJson } from '../../platform/bounded-json.ts'
import type { JsonSchema } from '../../protocol/content.ts'
import { isJsonObject, type JsonObject } from '../../protocol/json.ts'
import { findFaults } from './find-faults.ts'
import { targetOf } from './json-pointer.ts'
import type { Issue } from './standard-schema.ts'

/** Bounds of a text that is parsed: those of a body. */
const TEXT_BOUNDS = { depth: 64, values: 100_000 }

/** Faults of one validation whose places are looked at. */
const MAX_FAULTS = 100

/** References, parts and branches that lead to one place. A schema may refer to itself. */
const MAX_PARTS = 200

type Path = readonly (string | number)[]

/** A value in the arguments, with what the listed schema says of it. */
interface Place {
  readonly value: unknown
  readonly schemas: readonly JsonSchema[]
  readonly set: (value: unknown) => void
  /** Removes an optional member; undefined for anything else. */
  readonly remove: (() => void) | undefined
}

export class ArgumentRepair {
  readonly #root: JsonSchema
  readonly #dropsUndeclared: boolean
  /** The places of texts that were parsed: nothing is repaired in them. */
  readonly #parsed: string[] = []
  #args: JsonObject

  /**
   * @param root the schema as clients have it
   * @param dropsUndeclared whether members that the schema does not declare are dropped, at the top level
   */
  constructor(root: JsonSchema, args: JsonObject, dropsUndeclared: boolean) {
    this.#root = root
    this.#dropsUndeclared = dropsUndeclared
    this.#args = structuredClone(args)
  }

  get args(): JsonObject {
    return this.#args
  }

  /** Repairs what it can at the places of the issues. False where it can nothing. */
  apply(issues: readonly Issue[]): boolean {
    const dropped = this.#dropsUndeclared && this.#dropUndeclared()
    const repaired = issues
      .slice(0, MAX_FAULTS)
      .map(({ path = [] }) => this.#repairAt(path.map((step) => keyOf(step))))
    return dropped || repaired.includes(true)
  }

  #dropUndeclared(): boolean {
    const { properties } = this.#root
    const names = Object.keys(this.#args)
    const declared = isJsonObject(properties) ? properties : {}
    const kept = names.filter((name) => Object.hasOwn(declared, name))
    this.#args = Object.fromEntries(kept.map((name) => [name, this.#args[name]]))
    return kept.length < names.length
  }

  #repairAt(path: Path): boolean {
    const place = this.#placeOf(path)
    if (place === undefined) return false
    const { value, schemas } = place
    if (value === null) {
      if (place.remove === undefined || this.#accepts(schemas, null)) return false
      place.remove()
      return true
    }
    const parsed = typeof value === 'string' && !takesText(schemas) ? parsedText(value) : undefined
    if (parsed !== undefined) {
      place.set(parsed)
      this.#parsed.push(JSON.stringify(path))
      return true
    }
    return this.#repairInBranches(path, value, schemas)
  }

  /** A library names the place of a union. Which branch is meant, a constant of the branch says. */
  #repairInBranches(path: Path, value: unknown, schemas: readonly JsonSchema[]): boolean {
    const branches = schemas.flatMap((schema) => unionsOf(schema))
    const named = branches.flatMap((union) => namedBranches(this.#root, union, value))
    const { $defs, definitions } = this.#root
    const places = named.flatMap((branch) =>
      findFaults({ ...branch, $defs, definitions } as JsonSchema, value, MAX_FAULTS),
    )
    const inner = places.filter(({ path: at = [] }) => at.length > 0)
    return inner
      .map(({ path: at = [] }) => this.#repairAt([...path, ...at.map(keyOf)]))
      .includes(true)
  }

  #accepts(schemas: readonly JsonSchema[], value: unknown): boolean {
    const { $defs, definitions } = this.#root
    return schemas.every((schema) => {
      const whole = { ...schema, $defs, definitions } as JsonSchema
      return findFaults(whole, value, 1).length === 0
    })
  }

  /** Undefined for a place that does not exist, and for one in a parsed text. */
  #placeOf(path: Path): Place | undefined {
    let value: unknown = this.#args
    let schemas = partsOf(this.#root, [this.#root], value)
    let place: Place | undefined
    for (const [index, key] of path.entries()) {
      if (this.#parsed.includes(JSON.stringify(path.slice(0, index + 1)))) return undefined
      const owner = value
      if (typeof owner !== 'object' || owner === null || !Object.hasOwn(owner, key))
        return undefined
      const own = owner as Record<string | number, unknown>
      value = own[key]
      const owners = schemas
      const isDeclared = owners.some((schema) => declares(schema, key))
      schemas = partsOf(
        this.#root,
        owners.flatMap((schema) => memberOf(schema, key)),
        value,
      )
      const isRequired = owners.some(
        ({ required }) => Array.isArray(required) && required.includes(key),
      )
      const isOptional = isDeclared && !isRequired && !Array.isArray(owner)
      place = {
        value,
        schemas,
        set: (other) => {
          own[key] = other
        },
        remove: isOptional ? () => void delete own[key] : undefined,
      }
    }
    return place
  }
}

function keyOf(step: PropertyKey | { readonly key: PropertyKey }): string | number {
  const key = typeof step === 'object' ? step.key : step
  return typeof key === 'number' ? key : String(key)
}

function declares({ properties }: JsonSchema, key: string | number): boolean {
  return isJsonObject(properties) && Object.hasOwn(properties, key)
}

function memberOf(schema: JsonSchema, key: string | number): readonly JsonSchema[] {
  const { properties, items, prefixItems } = schema
  const tuple = Array.isArray(prefixItems) ? prefixItems : []
  const member = declares(schema, key)
    ? (properties as JsonObject)[key]
    : typeof key === 'number'
      ? (tuple[key] ?? items)
      : undefined
  return isJsonObject(member) ? [member as JsonSchema] : []
}

const unionsOf = ({ anyOf, oneOf }: JsonSchema): readonly (readonly JsonSchema[])[] =>
  [anyOf, oneOf].flatMap((union) =>
    Array.isArray(union) ? [union.filter(isJsonObject) as JsonSchema[]] : [],
  )

/** Schemas with their references, their parts, and the branches that a constant of the value names. */
function partsOf(
  root: JsonSchema,
  schemas: readonly JsonSchema[],
  value: unknown,
): readonly JsonSchema[] {
  const parts: JsonSchema[] = []
  const open = [...schemas]
  for (let schema = open.pop(); schema && parts.length < MAX_PARTS; schema = open.pop()) {
    if (parts.includes(schema)) continue
    parts.push(schema)
    const { $ref, allOf } = schema
    const target = typeof $ref === 'string' ? targetOf(root, $ref) : undefined
    const others = [target, ...(Array.isArray(allOf) ? allOf : [])].filter(isJsonObject)
    const named = unionsOf(schema).flatMap((union) => namedBranches(root, union, value))
    open.push(...(others as JsonSchema[]), ...named)
  }
  return parts
}

/** The one branch of a union whose constants the value has; none where there are several. */
function namedBranches(
  root: JsonSchema,
  union: readonly JsonSchema[],
  value: unknown,
): readonly JsonSchema[] {
  if (!isJsonObject(value)) return []
  const named = union.flatMap((branch) => {
    const whole = typeof branch.$ref === 'string' ? targetOf(root, branch.$ref) : branch
    if (!isJsonObject(whole) || !isJsonObject(whole.properties)) return []
    const constants = Object.entries(whole.properties).flatMap(([name, member]) =>
      isJsonObject(member) && member.const !== undefined ? [[name, member.const] as const] : [],
    )
    const isNamed = constants.length > 0 && constants.every(([name, own]) => value[name] === own)
    return isNamed ? [whole as JsonSchema] : []
  })
  return named.length === 1 ? named : []
}

/** Whether a place may take a text. One without a type may take anything. */
function takesText(schemas: readonly JsonSchema[]): boolean {
  const said = schemas.flatMap((schema) => textOf(schema) ?? [])
  return said.length === 0 || said.every(Boolean)
}

/** Undefined for a schema that says nothing of the type. */
function textOf(schema: JsonSchema): boolean | undefined {
  const { type, const: constant, enum: choices } = schema
  if (type !== undefined) return [type].flat().includes('string')
  if (constant !== undefined) return typeof constant === 'string'
  if (Array.isArray(choices)) return choices.some((choice) => typeof choice === 'string')
  const unions = unionsOf(schema)
  if (unions.length === 0) return undefined
  return unions.every((union) => union.some((branch) => textOf(branch) !== false))
}

/** The value whose text this is, white space aside. Undefined for a text, for null, and for any other text. */
function parsedText(text: string): unknown {
  const parsed = parseBoundedJson(text, TEXT_BOUNDS)
  if (!parsed.ok || typeof parsed.value === 'string' || parsed.value === null) return undefined
  return JSON.stringify(parsed.value) === withoutSpace(text) ? parsed.value : undefined
}

/** JSON text without the white space between its tokens. */
const withoutSpace = (text: string): string =>
  text.replace(/("(?:[^"\\]|\\.)*")|[ \t\n\r]+/g, (_, string = '') => string)
