/** Reads members of a JSON Schema, which comes from a server and may be malformed. */
import { isJsonObject, type JsonValue } from '../../../../src/protocol/json.ts'

export type Json = JsonValue

export type Schema = Readonly<Record<string, unknown>>

export function recordOf(value: unknown): Schema | undefined {
  return isJsonObject(value) ? value : undefined
}

export function arrayOf(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}
