/** Suggestions for the arguments of prompts and the variables of templates. */
import type { Context } from './context.ts'
import { isStandardSchema, type StandardSchema } from './schema/standard-schema.ts'

/** The answer to a completion: values best first, or with how many there are in all. */
export type Completions =
  | readonly string[]
  | { readonly values: readonly string[]; readonly total?: number; readonly hasMore?: boolean }

/**
 * Suggests values for what has been typed.
 *
 * @param value what stands in the field so far
 * @param context the arguments already filled in, where the client sends them, and the request
 */
export type Complete<Env = unknown> = (
  value: string,
  context: { readonly arguments: { readonly [name: string]: string }; readonly ctx: Context<Env> },
) => Completions | Promise<Completions>

const COMPLETE = Symbol('edgeway.complete')

/**
 * Attaches suggestions to a prompt argument's schema: `completable(z.string(), (value) => […])`.
 * The schema given is not changed; one that behaves the same is returned.
 */
export function completable<S extends StandardSchema, Env = unknown>(
  schema: S,
  complete: Complete<Env>,
): S {
  if (typeof schema !== 'object' || !isStandardSchema(schema)) {
    throw new TypeError('completable() takes a Standard Schema, such as z.string()')
  }
  // A schema library's objects keep state on `this`, so a copy inherits instead of duplicating.
  const copy = Object.create(schema) as S
  Object.defineProperty(copy, COMPLETE, { value: complete })
  return copy
}

export function completionOf(schema: unknown): Complete | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined
  return (schema as { [COMPLETE]?: Complete })[COMPLETE]
}
