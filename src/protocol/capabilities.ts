/** What each side says it can do. */
import { isJsonObject, type JsonObject } from './json.ts'

/** As the client declared them. Read with {@link hasCapability}, never trusted to be well formed. */
export type ClientCapabilities = JsonObject

export const NO_CAPABILITIES: ClientCapabilities = Object.freeze({})

export interface ServerCapabilities {
  readonly logging?: JsonObject
  readonly completions?: JsonObject
  readonly tools?: { readonly listChanged?: boolean }
  readonly prompts?: { readonly listChanged?: boolean }
  readonly resources?: { readonly listChanged?: boolean; readonly subscribe?: boolean }
  readonly extensions?: { readonly [id: string]: JsonObject }
}

/** Whether a client declared the capability at a path such as `['elicitation', 'url']`. */
export function hasCapability(capabilities: ClientCapabilities, path: readonly string[]): boolean {
  let at: unknown = capabilities
  for (const key of path) {
    if (!isJsonObject(at) || !Object.hasOwn(at, key)) return false
    at = at[key]
  }
  return isJsonObject(at)
}
