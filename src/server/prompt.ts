/** A prompt, as an author writes it. */
import type { Icon, Meta, PromptMessage } from '../protocol/content.ts'
import type { GetPromptResult } from '../protocol/primitives.ts'
import type { Complete } from './completion.ts'
import type { Context } from './context.ts'
import type { InferArguments, StandardSchema } from './schema/standard-schema.ts'
import type { Visible } from './visibility.ts'

export interface PromptConfig<
  Args extends StandardSchema | undefined = StandardSchema | undefined,
  Env = unknown,
> {
  readonly title?: string
  readonly description?: string
  /** An object schema whose properties take strings; wrap a property in `completable` for suggestions. */
  readonly argsSchema?: Args
  /** Suggestions by argument name, for schema libraries other than zod. */
  readonly complete?: { readonly [argument: string]: Complete<Env> }
  readonly icons?: readonly Icon[]
  readonly _meta?: Meta
  readonly scopes?: readonly string[]
  readonly visible?: Visible
}

/** A string stands for one user message of text. */
export type PromptReturn = string | readonly PromptMessage[] | GetPromptResult

export type PromptHandler<
  Args extends StandardSchema | undefined,
  Env,
> = Args extends StandardSchema
  ? (args: InferArguments<Args>, ctx: Context<Env>) => PromptReturn | Promise<PromptReturn>
  : (ctx: Context<Env>) => PromptReturn | Promise<PromptReturn>
