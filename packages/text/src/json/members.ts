/** Members of JSON objects that servers and files have, each of which may be absent or of another type. */
import { isJsonObject } from '../../../../src/protocol/json.ts'

export type Members = Readonly<Record<string, unknown>>

/** The member at a path such as `claude.oneLiner`, of a value that may lack any of it. */
export function memberAt(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((one, name) => (isJsonObject(one) ? one[name] : undefined), value)
}

/** A member that is an array; empty for any other value. */
export function listIn(value: unknown, member: string): readonly unknown[] {
  const list = isJsonObject(value) ? value[member] : undefined
  return Array.isArray(list) ? list : []
}
