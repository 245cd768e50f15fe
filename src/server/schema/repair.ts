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

/** An object or a list in the arguments. */
type Owner = Record<string | number, unknown>

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
  const holder: Owner = { args: structuredClone(args) }
  const { $defs, definitions } = root
  let isRepaired = false

  const repair = (schema: JsonObject, owner: Owner, key: string | number, unions: number): void => {
    const whole = { ...schema, $defs, definitions } as JsonSchema
    for (const { path, schema: failed, isOptional } of findFaults(whole, owner[key], MAX_FAULTS)) {
      const steps = [key, ...path]
      const last = steps.pop() ?? key
      const place = steps.reduce<Owner>((at, step) => at[step] as Owner, owner)
      const value = place[last]
      const isUndeclared = dropsUndeclared && failed === false && place === holder.args
      const parsed = takesText(failed) ? undefined : parsedText(value)
      // Which branch of a union is meant, a constant of the branch says.
      const branch = unions > 0 && namedBranch(root, failed, value)
      if (isUndeclared || (value === null && isOptional)) delete place[last]
      else if (parsed !== undefined) place[last] = parsed
      else if (branch) repair(branch, place, last, unions - 1)
      isRepaired ||= place[last] !== value
    }
  }

  repair(root, holder, 'args', MAX_UNIONS)
  return isRepaired ? (holder.args as JsonObject) : undefined
}

const branchesOf = ({ anyOf, oneOf }: JsonObject): readonly JsonObject[] =>
  [anyOf, oneOf].flat().filter(isJsonObject)

/** The one branch of a union whose constants the value has. */
function namedBranch(root: JsonSchema, union: unknown, value: unknown): JsonObject | undefined {
  if (!isJsonObject(union) || !isJsonObject(value)) return undefined
  const named = branchesOf(union)
    .map((branch) => (typeof branch.$ref === 'string' ? targetOf(root, branch.$ref) : branch))
    .filter(isJsonObject)
    .filter(({ properties }) => {
      const constants = Object.entries(properties ?? {}).flatMap(([name, member]) =>
        isJsonObject(member) && 'const' in member ? member.const === value[name] : [],
      )
      return constants.length > 0 && constants.every(Boolean)
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

/** The value whose text this is, white space aside. Undefined for a text, for null, and for anything else. */
function parsedText(text: unknown): unknown {
  if (typeof text !== 'string') return undefined
  const parsed = parseBoundedJson(text, TEXT_BOUNDS)
  if (!parsed.ok || typeof parsed.value === 'string' || parsed.value === null) return undefined
  const compact = text.replace(/("(?:[^"\\]|\\.)*")|[ \t\n\r]+/g, (_, string = '') => string)
  return JSON.stringify(parsed.value) === compact ? parsed.value : undefined
}
