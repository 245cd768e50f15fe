/** What features add to dispatch, one member per extension point. Types alone: dispatch imports no feature. */

import type { AuthInfo } from '../protocol/auth-info.ts'
import type { ServerCapabilities } from '../protocol/capabilities.ts'
import type { Codec } from '../protocol/codec/codec.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { CallToolResult, ReadResourceResult, Tool } from '../protocol/primitives.ts'
import type { Revision } from '../protocol/revisions.ts'
import type { Askable } from '../server/context.ts'
import type { Definition, ToolDefinition } from '../server/definition.ts'
import type { ContextWithJob } from '../server/job-journal.ts'
import type { Call, ResultText } from './call.ts'
import type { ContextClass } from './handler-context.ts'
import type { HandlerRun } from './handler-run.ts'
import type { Journal } from './journal/journal.ts'
import type { Suspension } from './journal/suspension.ts'
import type { ListClient, ListView } from './listing/list-view.ts'
import type { MethodEntry, RevisionContext } from './methods/method.ts'

/** A method of one era, or of both: the modern one, and those with sessions. */
export interface MethodRow extends MethodEntry {
  readonly method: string
  readonly era?: 'modern' | 'session'
}

/** The members of the context that a feature brings. Each is computed when a handler reads it. */
export type ContextMembers = {
  readonly [Name in keyof ContextWithJob]?: (run: HandlerRun) => ContextWithJob[Name]
}

/** How the journal of a run passes from one modern round to the next. */
export interface RoundExtension {
  /** How long the client may take to answer an ask, in milliseconds. */
  readonly answerTimeoutMs: number
  /** Opens the journal of the earlier rounds. @throws {ProtocolError} invalidParams */
  resume(call: Call, singleUse: boolean): Promise<Journal>
  /** Seals the journal of a suspended run. @throws {ProtocolError} when it cannot be sealed */
  seal(call: Call, suspension: Suspension): Promise<string | undefined>
  /** Returns the error to throw instead of one that a handler has thrown. */
  convert(call: Call, codec: Codec, run: HandlerRun, error: unknown): unknown
  /** Says in a result that the model of the client has passed on answers, where it has. */
  mark(call: Call, result: CallToolResult): CallToolResult
  /** Whether a handler can ask for something on this call. */
  canAsk(call: Call, kind: Askable): boolean
}

/** A call of a tool that runs elsewhere than in its request. */
export interface LongCall {
  /** Whether the client cannot parse the result of a tool as the answer. */
  readonly hasOwnAnswer: boolean
  /** Starts the call. Its arguments were validated. */
  start(): Promise<ResultText | CallInRequest>
}

/** A call that runs in its request after all. */
export interface CallInRequest {
  /** With the journal of the handler, if it has begun. */
  readonly call: Call
  /** Returns the error to throw instead of one of the handler. */
  convert(error: unknown): unknown
  /** Continues a call elsewhere that waits for what its client cannot answer. Undefined for one that stays in its request. */
  continued?(suspension: Suspension): Promise<ResultText> | undefined
}

export interface LongCallExtension {
  /**
   * Undefined for a call that runs in its request.
   *
   * @throws {ProtocolError} for a call that the client must send in another form
   */
  begin(tool: ToolDefinition, context: RevisionContext, call: Call): LongCall | undefined
  /**
   * Calls another tool in the task of a run.
   *
   * @throws {ToolError} for a call that was interrupted, and may have had its effect
   */
  callInTask(run: HandlerRun, tool: ToolDefinition, args: JsonObject): Promise<CallToolResult>
}

/** Files of arguments that clients send outside of the messages. */
export interface UploadExtension {
  /**
   * Undefined for a call without such files, and for one whose client has been asked to send them.
   *
   * @throws {Suspension} with the targets of the files
   * @throws {ToolError} for a file that the tool does not take
   */
  request(tool: ToolDefinition, context: RevisionContext, call: Call): Promise<never> | undefined
}

/** What a feature knows of the caller of a tool. */
export interface CallerExtension {
  /**
   * What the list of a caller depends on beside its client, such as the accounts that it has: `own` of {@link ListClient}.
   * Undefined for a definition whose list depends on nothing else.
   */
  ownListOf(definition: Definition, call: Call): Promise<string> | undefined
  /** The arguments of a call without those that are the feature's. */
  argumentsOf(tool: ToolDefinition, args: JsonObject): JsonObject
  /** Says in a result what the call has used. */
  mark(call: Call, result: CallToolResult): CallToolResult
}

/** Resources that no author has registered. */
export interface ResourceExtension {
  /** Undefined for a URI of any other kind. */
  read(definition: Definition, call: Call, uri: string): Promise<ReadResourceResult> | undefined
}

export type Forward = (
  definition: Definition,
  params: JsonObject,
  auth: AuthInfo | undefined,
) => Forwarded | undefined

/** A call of a tool that the caller sees. */
export interface Forwarded {
  readonly tool: ToolDefinition
  readonly params: JsonObject
}

/** Tools of a feature, and how the clients see the tools of a definition. */
export interface ToolExtension {
  /**
   * The tools that the feature adds when a definition is sealed.
   *
   * @throws {TypeError} for a definition that it cannot serve
   */
  readonly add?: (definition: Definition) => readonly ToolDefinition[]
  /** Undefined where all clients of the revision get the same list. `definition` has the tools of all features. */
  readonly viewOf?: (definition: Definition, revision: Revision) => ListView<Tool> | undefined
  /** What the instructions say of these tools to a client. Undefined where the definition has none of them. */
  readonly instructionsOf?: (
    definition: Definition,
  ) => ((client: ListClient) => string | undefined) | undefined
  /**
   * The call that a call stands for: one tool calls another. Undefined for any other call, and for one that the first tool
   * answers itself. A call is replaced before it is counted, bound and recorded: it is one of the second tool.
   */
  readonly forward?: Forward
}

/** The capabilities as one caller is offered them, beginning with those of the definition. */
export type OfferCapabilities = (
  capabilities: ServerCapabilities,
  call: Pick<Call, 'client' | 'services' | 'request' | 'run'>,
) => ServerCapabilities

export interface DispatchParts {
  readonly methods?: readonly MethodRow[]
  /** Methods and notifications that are served outside of dispatch, for telemetry. */
  readonly otherMethods?: readonly string[]
  readonly capabilities?: (definition: Definition) => ServerCapabilities
  readonly offer?: OfferCapabilities
  /** The extensions that a session declares also to a client that has not offered them. */
  readonly declared?: readonly string[]
  readonly context?: ContextMembers
  readonly rounds?: RoundExtension
  readonly longCalls?: LongCallExtension
  readonly tools?: ToolExtension
  readonly uploads?: UploadExtension
  readonly callers?: CallerExtension
  readonly resources?: ResourceExtension
}

/** The parts of all features as dispatch uses them. */
export interface Extensions {
  readonly modernMethods: ReadonlyMap<string, MethodEntry>
  readonly sessionMethods: ReadonlyMap<string, MethodEntry>
  /** Whether any revision has the method: a method that a client has made up is not recorded. */
  readonly isKnownMethod: (method: string) => boolean
  readonly capabilitiesOf: (definition: Definition) => ServerCapabilities
  readonly offered: OfferCapabilities
  readonly declared: ReadonlySet<string>
  readonly context: ContextMembers
  /** The features that bring further members of the context, by member. */
  readonly absent: Readonly<Record<string, string>>
  /** The contexts of handlers. */
  readonly Context: ContextClass
  readonly rounds: RoundExtension | undefined
  readonly longCalls: LongCallExtension | undefined
  readonly tools: readonly ToolExtension[]
  readonly uploads: UploadExtension | undefined
  readonly callers: CallerExtension | undefined
  readonly resources: ResourceExtension | undefined
}
