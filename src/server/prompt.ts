/** The types of `registerPrompt`. */

import type { GrantProps } from '../protocol/auth-info.ts'
import type { ListedFields, PromptMessage } from '../protocol/content.ts'
import type { ReturnedPrompt } from '../protocol/primitives.ts'
import type { Complete } from './completion.ts'
import type { NoMembers, ScopedContext } from './context.ts'
import type { DefaultEnv } from './default-env.ts'
import type { InferArguments, SchemaShape, StandardSchema } from './schema/standard-schema.ts'
import type { Visible } from './visibility.ts'

/** The schema of a prompt's arguments: an object schema, or a shape. */
export type PromptArguments = StandardSchema | SchemaShape

export interface PromptConfig<
  Args extends PromptArguments | undefined = PromptArguments | undefined,
  Env = DefaultEnv,
  Props = GrantProps,
  Scopes extends readonly string[] = readonly string[],
  Members = NoMembers,
> extends Readonly<ListedFields> {
  /** An object schema whose properties accept strings. Wrap a property in `completable` to complete it. */
  readonly argsSchema?: Args
  /** Completions by argument name, for schema libraries other than zod. */
  readonly complete?: { readonly [argument: string]: Complete<Env, Props, Members> }
  /** Scopes that the access token must have. */
  readonly scopes?: Scopes
  readonly visible?: Visible<Props>
}

/** A config of any type parameters, as it is checked and compiled. */
export type AnyPromptConfig = PromptConfig<PromptArguments | undefined, never, never>

/** The return value of a prompt handler. A string becomes one text message of the user. */
export type PromptReturn = string | readonly PromptMessage[] | ReturnedPrompt

export type PromptHandler<
  Args extends PromptArguments | undefined,
  Env = DefaultEnv,
  Props = GrantProps,
  Scopes extends readonly string[] = readonly string[],
  Members = NoMembers,
> = Args extends PromptArguments
  ? (
      args: InferArguments<Args>,
      ctx: ScopedContext<Env, Props, Scopes, Members>,
    ) => PromptReturn | Promise<PromptReturn>
  : (ctx: ScopedContext<Env, Props, Scopes, Members>) => PromptReturn | Promise<PromptReturn>
