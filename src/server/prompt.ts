/** The types of `registerPrompt`. */
import type { GrantProps } from '../protocol/auth-info.ts'
import type { ListedFields, PromptMessage } from '../protocol/content.ts'
import type { ReturnedPrompt } from '../protocol/primitives.ts'
import type { Complete } from './completion.ts'
import type { ContextOf } from './context.ts'
import type { InferArguments, SchemaShape, StandardSchema } from './schema/standard-schema.ts'
import type { Visible } from './visibility.ts'

/** The schema of a prompt's arguments: an object schema, or a shape. */
export type PromptArguments = StandardSchema | SchemaShape

export interface PromptConfig<
  Args extends PromptArguments | undefined = PromptArguments | undefined,
  Env = unknown,
  Props = GrantProps,
  Scopes extends readonly string[] = readonly string[],
> extends Readonly<ListedFields> {
  /** An object schema whose properties accept strings. Wrap a property in `completable` to complete it. */
  readonly argsSchema?: Args
  /** Completions by argument name, for schema libraries other than zod. */
  readonly complete?: { readonly [argument: string]: Complete<Env, Props> }
  /** Scopes that the access token must have. */
  readonly scopes?: Scopes
  readonly visible?: Visible<Props>
}

/** The return value of a prompt handler. A string becomes one text message of the user. */
export type PromptReturn = string | readonly PromptMessage[] | ReturnedPrompt

export type PromptHandler<
  Args extends PromptArguments | undefined,
  Env = unknown,
  Props = GrantProps,
  Scopes extends readonly string[] = readonly string[],
> = Args extends PromptArguments
  ? (
      args: InferArguments<Args>,
      ctx: ContextOf<Env, Props, Scopes>,
    ) => PromptReturn | Promise<PromptReturn>
  : (ctx: ContextOf<Env, Props, Scopes>) => PromptReturn | Promise<PromptReturn>
