/** Checks an object of options by a table of its members. A caller without types may pass anything. */
import { isJsonObject, type JsonObject } from '../../protocol/json.ts'

/** Whether a value is valid, and what it must be, for the error. */
export type Rule = readonly [isValid: (value: unknown) => boolean, must: string]

/** A member that must be there has a `!` at the end of its name. */
export type Rules = Readonly<Record<string, Rule>>

/** @throws {TypeError} that begins with the member */
export function checkMembers(at: string, value: unknown, rules: Rules): JsonObject {
  if (!isJsonObject(value)) throw new TypeError(`${at} must be an object`)
  const members = Object.entries(rules).map(
    ([name, rule]) => [name.replace('!', ''), name.endsWith('!'), ...rule] as const,
  )
  for (const name of Object.keys(value)) {
    if (!members.some(([known]) => known === name)) {
      throw new TypeError(`${at}.${name} does not exist`)
    }
  }
  for (const [name, isNeeded, isValid, must] of members) {
    if (value[name] === undefined ? isNeeded : !isValid(value[name])) {
      throw new TypeError(`${at}.${name} must be ${must}`)
    }
  }
  return value
}

/** In characters, as JSON Schema counts them. */
export const isText =
  (maximum = 10_000) =>
  (value: unknown): value is string =>
    typeof value === 'string' && value.trim() !== '' && [...value].length <= maximum

export const isUrl =
  (...schemes: readonly string[]) =>
  (value: unknown): boolean => {
    if (typeof value !== 'string' || !URL.canParse(value)) return false
    const { protocol, username, password } = new URL(value)
    return schemes.includes(protocol) && username + password === ''
  }

export const TEXT: Rule = [isText(), 'a text']
export const FLAG: Rule = [(value) => typeof value === 'boolean', 'true or false']
export const TEXTS: Rule = [
  (value) => Array.isArray(value) && value.every(isText()),
  'a list of texts',
]
