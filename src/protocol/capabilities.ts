/** The capabilities of client and server. */
import { isJsonObject, type JsonObject } from './json.ts'

/** The capabilities as the client declared them. They may be malformed: read them with {@link hasCapability}. */
export type ClientCapabilities = JsonObject

export const NO_CAPABILITIES: ClientCapabilities = Object.freeze({})

export interface ServerCapabilities {
  readonly logging?: JsonObject
  readonly completions?: JsonObject
  readonly tools?: { readonly listChanged?: boolean }
  readonly prompts?: { readonly listChanged?: boolean }
  readonly resources?: { readonly listChanged?: boolean; readonly subscribe?: boolean }
  /** The experimental tasks of 2025-11-25. */
  readonly tasks?: JsonObject
  /** MCP Events, where clients that do not read `extensions` look for it. */
  readonly events?: JsonObject
  readonly extensions?: { readonly [id: string]: JsonObject }
  readonly experimental?: JsonObject
}

/** The capabilities that an author may declare by name. */
export type DeclaredCapabilities = Pick<ServerCapabilities, 'extensions' | 'experimental'>

/** Whether a client declared the capability at a path such as `['elicitation', 'url']`. */
export function hasCapability(capabilities: ClientCapabilities, path: readonly string[]): boolean {
  let value: unknown = capabilities
  for (const key of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return false
    value = value[key]
  }
  return isJsonObject(value)
}
