/** The types of `registerTool`. */

import type { MaybePromise } from '../platform/maybe-promise.ts'
import type { GrantProps } from '../protocol/auth-info.ts'
import type { ContentBlock, Icon, Meta } from '../protocol/content.ts'
import type { Deprecation } from '../protocol/deprecation.ts'
import type { ReturnedToolResult, ToolAnnotations } from '../protocol/primitives.ts'
import type { NoMembers, ScopedContext } from './context.ts'
import type { DefaultEnv } from './default-env.ts'
import type { FileArguments, ReceivedFiles } from './file.ts'
import type { InferArguments, InferInput, Schema } from './schema/standard-schema.ts'
import type { View } from './view.ts'
import type { Visible } from './visibility.ts'

/**
 * The return value of a tool handler: text, content blocks, a whole result, or, with an
 * `outputSchema`, the value that the schema describes. The value is validated, sent as
 * `structuredContent`, and repeated as JSON text for models that read text only.
 * With an `outputSchema`, a string is sent as an error (`isError: true`): the protocol requires
 * structured content of every other result.
 */
export type ToolReturn<Output extends Schema | undefined> = Output extends undefined
  ? string | ContentBlock | readonly ContentBlock[] | ReturnedToolResult
  : InferInput<Output> | ReturnedToolResult | string

/** The part of a tool's configuration that does not depend on its schemas. */
export interface ToolSettings<Props = GrantProps> {
  /** The display name. */
  readonly title?: string
  /** What the tool does and when to use it. The model reads it. */
  readonly description?: string
  /** Hints about effects, such as `readOnlyHint`. Clients show them and decide by them whether to ask the person. */
  readonly annotations?: ToolAnnotations
  /** Icons that clients may show beside the tool. */
  readonly icons?: readonly Icon[]
  /** `_meta` of the tool in `tools/list`. */
  readonly _meta?: Meta
  /**
   * Whether hosts that search tools themselves show this one to the model from the start: `_meta` has
   * `anthropic/alwaysLoad`. For the few that the model must see first. Default false.
   */
  readonly alwaysLoad?: boolean
  /** What the tool belongs to, such as `['billing']`: words by which `search()` finds it. The list of tools does not have them. */
  readonly tags?: readonly string[]
  /** Scopes that the access token must have. Checked before the handler runs and before a stream opens. */
  readonly scopes?: readonly string[]
  /** Restricts the tool to some callers. */
  readonly visible?: Visible<Props>
  /**
   * Announces that the tool is going to be removed. It answers as before, also after the date. The list has it behind all
   * others, its description begins with the name of the replacement, and telemetry reports each call (`deprecated-call`).
   */
  readonly deprecated?: ToolDeprecation
  /**
   * Accepts each `requestState` of this tool once, so that a client cannot answer the same question
   * twice. Costs one call to the keyring object per answer. Modern era only; a session accepts each
   * answer once in any case. Default false.
   */
  readonly singleUse?: boolean
  /**
   * Whether the model of a client that cannot be asked may put the forms of this tool to its person, and pass on the answers by
   * `answer_question`. An injected page can make a model answer by itself. It needs `asks()` and `tasks()`. Default: what
   * `asks({ throughModel })` says for tools with `readOnlyHint: true` or `destructiveHint: false`.
   */
  readonly throughModel?: boolean
  /**
   * The connection whose account the tool uses by `ctx.connect`: a name in `connections({ … })`. A caller with several
   * accounts there then sees the optional argument `account`, which names one of them.
   */
  readonly connection?: string
  /**
   * The class of rate limits that counts the calls of this tool: a name in the option
   * `rateLimits.classes` of `createEdgeway`. Calls are counted by principal or, without one, by network.
   * Each round of a call that asks is counted.
   */
  readonly limitClass?: string
  /**
   * Timeout of one call in milliseconds; in a task, of each stay in memory between two waits. Default:
   * the limit `handlerTimeoutMs`, and in a task none.
   */
  readonly timeoutMs?: number
  /**
   * Whether a call may continue as a task, which outlives the request, the connection and a restart of
   * the server. `required` refuses clients without tasks, which are most clients. In a task, work that has effects belongs in
   * `ctx.step`: after an interruption the handler runs again from the top. Default: never.
   */
  readonly task?: TaskSupport | TaskOptions
}

export interface ToolDeprecation extends Deprecation {
  /** Whether the list has the tool. Default true. */
  readonly listed?: boolean
}

/** `optional`: clients without tasks wait for the result by `get_result`. `required`: they cannot call the tool. */
export type TaskSupport = 'optional' | 'required'

/** How the calls of a tool become tasks. Durations are in milliseconds. */
export interface TaskOptions {
  /** Whether clients without tasks may call the tool. */
  readonly support: TaskSupport
  /**
   * How long an `optional` call may answer by itself before it becomes a task. Default 0: it becomes one
   * at once; one of a client without tasks after a second. Ignored where the client asks for a task by `params.task`.
   */
  readonly inlineMs?: number
  /**
   * `during`: the task is created first, and asks while it runs. `before`: what the handler asks in its
   * first moments (`inlineMs`, at least a second) is asked before the task is created. Default `during`.
   */
  readonly asks?: 'during' | 'before'
  /** How long a task and its result are kept, from its creation. Default one day, at most `tasks({ ttlMs })`. */
  readonly ttlMs?: number
  /** How often a client should ask for the state while the handler runs. Default one second. */
  readonly pollIntervalMs?: number
  /**
   * How long the client should wait at most between two requests for the state while the task waits for an
   * answer or an event: the time grows from `pollIntervalMs` to this. A task that only sleeps names the end
   * of its sleep instead. Default 30 seconds, at least `pollIntervalMs`.
   */
  readonly maxPollIntervalMs?: number
}

export interface ToolConfig<
  Input extends Schema | undefined = Schema | undefined,
  Output extends Schema | undefined = Schema | undefined,
  Props = GrantProps,
  Env = DefaultEnv,
  Scopes extends readonly string[] = readonly string[],
  Files extends FilesOption | undefined = FilesOption | undefined,
  Members = NoMembers,
> extends ToolSettings<Props> {
  /** Scopes that the access token must have. Checked before the handler runs and before a stream opens. */
  readonly scopes?: Scopes
  /**
   * The arguments, as an object schema. Clients repeat a property with the keyword `x-mcp-header` in the
   * header `Mcp-Param-<name>` (with zod: `.meta({ 'x-mcp-header': 'Region' })`).
   */
  readonly inputSchema?: Input
  /** The value that the handler returns. It is validated and sent as `structuredContent`. */
  readonly outputSchema?: Output
  /**
   * True for a handler that stores files with `ctx.file` or returns those of `ctx.upload`. The server then
   * declares resources, because clients read files as such. `{ photo: file({ … }) }` declares files that the tool takes besides:
   * the handler has them as `ctx.files.photo`. Default false.
   */
  readonly files?: Files
  /** The user interface of the tool, for hosts with MCP Apps. */
  readonly ui?: View<Env, Props, Members>
}

/** A config of any type parameters, as it is checked and compiled. */
export type AnyToolConfig = ToolConfig<Schema | undefined, Schema | undefined, never, never>

/** Whether a tool stores files, or which ones it takes. */
export type FilesOption = boolean | FileArguments

/** The context of a tool, with the files that it takes. */
export type ToolContext<Env, Props, Scopes, Files, Members> = Files extends FileArguments
  ? ScopedContext<Env, Props, Scopes, Members> & { readonly files: ReceivedFiles<Files> }
  : ScopedContext<Env, Props, Scopes, Members>

/** A tool handler: `(args, ctx)` with an `inputSchema`, `(ctx)` without. */
export type ToolHandler<
  Input extends Schema | undefined,
  Output extends Schema | undefined,
  Env = DefaultEnv,
  Props = GrantProps,
  Scopes extends readonly string[] = readonly string[],
  Files extends FilesOption | undefined = undefined,
  Members = NoMembers,
> = Input extends undefined
  ? (ctx: ToolContext<Env, Props, Scopes, Files, Members>) => MaybePromise<ToolReturn<Output>>
  : (
      args: InferArguments<Input>,
      ctx: ToolContext<Env, Props, Scopes, Files, Members>,
    ) => MaybePromise<ToolReturn<Output>>

/** The arguments that the job of a tool receives: none without an `inputSchema`. */
export type JobArguments<Input extends Schema | undefined> = Input extends undefined
  ? undefined
  : InferArguments<Input>
