/** Handlers of whole methods, for servers that answer requests without registrations. */
import type { JsonObject } from '../protocol/json.ts'
import type { FullContext } from './context.ts'

/** The methods that an author can answer. */
export const AUTHOR_METHODS = [
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'resources/subscribe',
  'resources/unsubscribe',
  'logging/setLevel',
] as const

export type AuthorMethod = (typeof AUTHOR_METHODS)[number]

export function isAuthorMethod(method: string): method is AuthorMethod {
  return (AUTHOR_METHODS as readonly string[]).includes(method)
}

/**
 * Answers a method instead of the registrations. The result is that of the method in the newest revision.
 * A handler of `resources/subscribe`, `resources/unsubscribe` or `logging/setLevel` runs after the
 * built-in one has accepted the request, and its result is not used.
 */
export type MethodHandler = (params: JsonObject, ctx: FullContext) => unknown
