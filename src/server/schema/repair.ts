/**
 * Repairs arguments that a client has sent in the form of another system: null for what is not set, and a value as its text.
 * Only at the places of faults, and each once, so what validates is never changed.
 */
import { parseBoundedJson } from '../../platform/bounded-json.ts'
import type { JsonSchema } from '../../protocol/content.ts'
import { isJsonObject, type JsonObject } from '../../protocol/json.ts'
import { findFaults } from './find-faults.ts'
import { targetOf } from './json-pointer.ts'

/** Bounds of a text that is parsed: those of a body. */
const TEXT_BOUNDS = { depth: 64, values: 100_000 }

/** Faults whose places are looked at. */
const MAX_FAULTS = 1000

/** Unions in unions. */
const MAX_UNIONS = 8

/**
 * Undefined where nothing can be repaired.
 *
 * @param root the schema as clients have it
 * @param dropsUndeclared whether members that the schema does not declare are dropped, at the top level
 */
export function repairArguments(
  root: JsonSchema,
  args: JsonObject,
  dropsUndeclared: boolean,
): JsonObject | undefined {
  const holder = { args: structuredClone(args) }
  const { $defs, definitions } = root
  let isRepaired = false

  const repair = (schema: JsonObject, owner: object, key: string | number, unions: number) => {
    const whole = { ...schema, $defs, definitions } as JsonSchema
    for (const fault of findFaults(whole, memberOf(owner, key), MAX_FAULTS)) {
      const at = [key, ...fault.path]
      const last = at.pop() ?? key
      const place = at.reduce<unknown>(memberOf, owner)
      if (typeof place !== 'object' || place === null) continue
      const value = memberOf(place, last)
      const isDropped = dropsUndeclared && fault.schema === false && place === holder.args
      const parsed =
        typeof value === 'string' && !takesText(fault.schema) ? parsedText(value) : undefined
      if (isDropped || (value === null && fault.isOptional)) Reflect.deleteProperty(place, last)
      else if (parsed !== undefined) Reflect.set(place, last, parsed)
      else {
        // Which branch of a union is meant, a constant of the branch says.
        const branch = unions > 0 ? namedBranch(root, fault.schema, value) : undefined
        if (branch !== undefined) repair(branch, place, last, unions - 1)
        continue
      }
      isRepaired = true
    }
  }

  repair(root, holder, 'args', MAX_UNIONS)
  return isRepaired ? holder.args : undefined
}

const memberOf = (owner: unknown, key: string | number): unknown =>
  typeof owner === 'object' && owner !== null && Object.hasOwn(owner, key)
    ? Reflect.get(owner, key)
    : undefined

const branchesOf = (schema: unknown): readonly JsonObject[] =>
  isJsonObject(schema) ? [schema.anyOf, schema.oneOf].flat().filter(isJsonObject) : []

/** The one branch of a union whose constants the value has. */
function namedBranch(root: JsonSchema, union: unknown, value: unknown): JsonObject | undefined {
  const named = branchesOf(union).flatMap((branch) => {
    const whole = typeof branch.$ref === 'string' ? targetOf(root, branch.$ref) : branch
    const properties = isJsonObject(whole) && isJsonObject(whole.properties) ? whole.properties : {}
    const constants = Object.entries(properties).filter(
      ([, member]) => isJsonObject(member) && member.const !== undefined,
    )
    const isNamed = constants.every(
      ([name, member]) => memberOf(value, name) === memberOf(member, 'const'),
    )
    return constants.length > 0 && isNamed ? [whole as JsonObject] : []
  })
  return named.length === 1 ? named[0] : undefined
}

/** Whether a place may take a text. One without a type may take anything. */
function takesText(schema: unknown): boolean {
  if (!isJsonObject(schema)) return true
  const { type, const: constant, enum: choices } = schema
  if (type !== undefined) return [type].flat().includes('string')
  const values = constant === undefined ? choices : [constant]
  if (Array.isArray(values)) return values.some((each) => typeof each === 'string')
  const branches = branchesOf(schema)
  return branches.length === 0 || branches.some(takesText)
}

/** The value whose text this is, white space aside. Undefined for a text, for null, and for any other text. */
function parsedText(text: string): unknown {
  const parsed = parseBoundedJson(text, TEXT_BOUNDS)
  if (!parsed.ok || typeof parsed.value === 'string' || parsed.value === null) return undefined
  const compact = text.replace(/("(?:[^"\\]|\\.)*")|[ \t\n\r]+/g, (_, string = '') => string)
  return JSON.stringify(parsed.value) === compact ? parsed.value : undefined
}
