/** A tool, as an author writes it. */
import type { ContentBlock, Icon, Meta } from '../protocol/content.ts'
import type { CallToolResult, ToolAnnotations } from '../protocol/primitives.ts'
import type { Context } from './context.ts'
import type { InferArguments, InferInput, Schema } from './schema/standard-schema.ts'
import type { Visible } from './visibility.ts'

/**
 * What a tool may return: text, content blocks, a whole result, or, with an `outputSchema`, the
 * value it describes. A value is validated, sent as `structuredContent` and mirrored as JSON text.
 * With an `outputSchema` a string is what the model reads instead of the value: it is sent with
 * `isError`, because the protocol allows nothing else without structured content.
 */
export type ToolReturn<Output extends Schema | undefined> = Output extends undefined
  ? string | ContentBlock | readonly ContentBlock[] | CallToolResult
  : InferInput<Output> | CallToolResult | string

/** What a tool's configuration holds whatever its schemas are. */
interface ToolSettings {
  /** For people; `name` is for programs. */
  readonly title?: string
  readonly description?: string
  readonly annotations?: ToolAnnotations
  readonly icons?: readonly Icon[]
  readonly _meta?: Meta
  /** Scopes the access token must have; checked before the handler and before any stream opens. */
  readonly scopes?: readonly string[]
  /** Whether a caller sees and may use the tool. Must depend on the principal alone. */
  readonly visible?: Visible
  /**
   * Whether the state that a question sends along may be redeemed once only, where answering twice
   * would do something twice. Costs one call to an object per answer. Default false.
   */
  readonly singleUse?: boolean
  /** How long one call may take, in milliseconds. Default: the runtime's `handlerTimeoutMs`. */
  readonly timeoutMs?: number
}

export interface ToolConfig<
  Input extends Schema | undefined = Schema | undefined,
  Output extends Schema | undefined = Schema | undefined,
> extends ToolSettings {
  /**
   * The arguments: an object schema. A property may carry `x-mcp-header` to be mirrored into the
   * header `Mcp-Param-<name>` (with zod: `.meta({ 'x-mcp-header': 'Region' })`).
   */
  readonly inputSchema?: Input
  readonly outputSchema?: Output
}

/** With an `inputSchema` a handler takes `(args, ctx)`; without one, `(ctx)`. */
export type ToolHandler<
  Input extends Schema | undefined,
  Output extends Schema | undefined,
  Env,
> = Input extends undefined
  ? (ctx: Context<Env>) => Eventual<ToolReturn<Output>>
  : (args: InferArguments<Input>, ctx: Context<Env>) => Eventual<ToolReturn<Output>>

type Eventual<T> = T | Promise<T>
