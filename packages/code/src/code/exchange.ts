/**
 * Reads what the harness sends. Code that has changed the built-in objects may send anything in its place, so each part is
 * bounded here before it is used.
 */
import { ToolError } from '../../../../src/index.ts'
import { tryParseJson } from '../../../../src/platform/try-parse.ts'
import { isJsonObject, type JsonObject } from '../../../../src/protocol/json.ts'

/** As the harness sends it. */
export interface SentCall {
  readonly kind: 'tool' | 'describe' | 'find'
  readonly name: string
  /** JSON text. */
  readonly args: string
}

/** The longest text of one exchange, in UTF-16 code units. */
const MAX_EXCHANGE = 4 * 1024 * 1024

/** The longest name of a tool. */
const MAX_NAME = 128

/** The arguments of `find` and `describe` as JSON: 20 names, each of whose characters may be escaped. */
const MAX_QUESTION = 16_000

const KINDS: ReadonlySet<unknown> = new Set(['tool', 'describe', 'find'])

/** @throws {ToolError} for what the harness does not send */
export function readSent(text: unknown): {
  calls: readonly SentCall[]
  logs: readonly unknown[]
} {
  if (typeof text === 'string' && text.length > MAX_EXCHANGE) {
    throw new ToolError(
      `The arguments of calls may have at most ${MAX_EXCHANGE} characters together`,
    )
  }
  const { calls, logs } = readObject(text)
  if (!Array.isArray(calls) || !Array.isArray(logs)) throw malformed()
  return { calls: calls.map(readCall), logs }
}

/** @throws {ToolError} for what the harness does not send */
export function readEnd(text: unknown): JsonObject {
  if (typeof text === 'string' && text.length > MAX_EXCHANGE) throw malformed()
  return readObject(text)
}

export const malformed = () =>
  new ToolError('The code has interfered with what runs it, and was stopped')

function readCall(call: unknown): SentCall {
  const [kind, name, args] = Array.isArray(call) ? call : []
  if (!KINDS.has(kind) || typeof name !== 'string' || typeof args !== 'string') throw malformed()
  if (name.length > MAX_NAME || (kind !== 'tool' && args.length > MAX_QUESTION)) throw malformed()
  return { kind, name, args }
}

function readObject(text: unknown): JsonObject {
  const value = typeof text === 'string' ? tryParseJson(text) : undefined
  if (!isJsonObject(value)) throw malformed()
  return value
}
