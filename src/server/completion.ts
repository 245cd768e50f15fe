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
 * The schema given is not changed; a copy of it is returned.
 *
 * @throws {TypeError} for anything but a zod schema; with another library, name the suggestions in
 *   the prompt's `complete` instead
 */
export function completable<S extends StandardSchema, Env = unknown>(
  schema: S,
  complete: Complete<Env>,
): S {
  if (!isCopyable(schema)) {
    throw new TypeError('completable() takes a zod schema, such as z.string()')
  }
  // zod keeps descriptions in a registry by instance; setting the metadata copies both.
  const copy = schema.meta(schema.meta() ?? {})
  Object.defineProperty(copy, COMPLETE, { value: complete })
  return copy
}

interface Copyable<S> {
  meta(): object | undefined
  meta(metadata: object): S
}

function isCopyable<S extends StandardSchema>(schema: S): schema is S & Copyable<S> {
  return (
    typeof schema === 'object' &&
    schema !== null &&
    isStandardSchema(schema) &&
    typeof (schema as Partial<Copyable<S>>).meta === 'function'
  )
}

export function completionOf(schema: unknown): Complete | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined
  return (schema as { [COMPLETE]?: Complete })[COMPLETE]
}
