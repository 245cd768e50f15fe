/** Completion of prompt arguments and of resource template variables. */
import type { GrantProps } from '../protocol/auth-info.ts'
import type { Context, NoMembers } from './context.ts'
import { isStandardSchema, type StandardSchema } from './schema/standard-schema.ts'

/** The values of a completion, best first; with `total` when more values exist than are returned. */
export type Completions =
  | readonly string[]
  | { readonly values: readonly string[]; readonly total?: number; readonly hasMore?: boolean }

/**
 * Completes a value that a person is typing.
 *
 * @param value the text typed so far
 * @param context `arguments`: the other arguments, if the client sent them; `ctx`: the request
 */
export type Complete<Env = unknown, Props = GrantProps, Members = NoMembers> = (
  value: string,
  context: {
    readonly arguments: { readonly [name: string]: string }
    readonly ctx: Context<Env, Props, Members>
  },
) => Completions | Promise<Completions>

const COMPLETE = Symbol('edgeway.complete')

/**
 * Attaches a completion to the schema of a prompt argument: `completable(z.string(), (value) => […])`.
 * Returns a copy; the given schema is not changed.
 *
 * @throws {TypeError} if the schema is not a zod schema. With another schema library, use the
 *   `complete` member of the prompt configuration.
 */
export function completable<
  S extends StandardSchema,
  Env = unknown,
  Props = GrantProps,
  Members = NoMembers,
>(schema: S, complete: Complete<Env, Props, Members>): S {
  if (!isCopyable(schema)) {
    throw new TypeError('completable() takes a zod schema, such as z.string()')
  }
  // zod stores descriptions in a registry keyed by instance. Setting the metadata copies the schema and its entry.
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

/** Returns the completion that {@link completable} attached to a schema, if any. */
export function completionOf(schema: unknown): Complete | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined
  return (schema as { [COMPLETE]?: Complete })[COMPLETE]
}
