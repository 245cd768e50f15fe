/** `McpAgent`: the class that servers written for the Agents SDK extend. */

import { OPENED } from '../../../durable-objects/hosted-object.ts'
import { findContext, getContext } from '../../../src/context/index.ts'
import type { CallSession } from '../../../src/dispatch/call-session.ts'
import { runOf } from '../../../src/dispatch/handler-context.ts'
import type { MaybePromise } from '../../../src/platform/maybe-promise.ts'
import type { JsonValue } from '../../../src/protocol/json.ts'
import type { AnyServer } from '../../../src/server/mcp-server.ts'
import { ToolError } from '../../../src/server/tool-error.ts'
import { elicitInput } from '../../sdk/src/requests.ts'
import type { ElicitRequestParams, ElicitResult } from '../../sdk/src/types.ts'
import { AgentBase, AgentContext } from './agent-base.ts'
import type { AgentClass } from './agent-class.ts'
import type { AgentOptions } from './agent-options.ts'
import { refuseMembers } from './not-carried.ts'
import { type AgentHandler, type ServeOptions, serveAgent } from './serve.ts'
import { openSessionObject } from './session-class.ts'

/** The form of a question, as `elicitation/create` has it. */
export interface ElicitInput {
  readonly message: string
  /** A JSON Schema of a flat object. */
  readonly requestedSchema: unknown
}

/**
 * The agent of one session: `init()` registers its tools with the environment and the props of its caller.
 * An instance serves one session while that is in memory, and in the modern revision one request.
 *
 * The same class is the Durable Object of the session. Only Edgeway calls the methods of that.
 *
 * @typeParam Env the Worker's bindings
 * @typeParam State the value of `this.state`
 * @typeParam Props the type of `ctx.props`, as the code in front of the agent sets them
 */
export abstract class McpAgent<
  Env = Cloudflare.Env,
  State = unknown,
  Props extends Record<string, unknown> = Record<string, unknown>,
> extends AgentBase<Env> {
  /** Settings of this class, in the Worker and in its session objects. */
  static readonly edgeway: AgentOptions = {}

  /** The server with the tools of this agent. Read once, after `init()`. */
  abstract server: MaybePromise<AnyServer>
  /** The props of the caller; undefined for an anonymous one. A copy, which belongs to this instance. */
  props?: Props
  /** The state of a session before the first `setState()`. */
  declare initialState?: State

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    if (ctx instanceof AgentContext) return
    // The platform constructs the class that the entry exports, and no abstract one.
    const agentClass = new.target as unknown as AgentClass
    this[OPENED] = openSessionObject(agentClass, ctx, Object(env))
  }

  /** Registers tools, resources and prompts. Must not have effects: it runs for each instance. */
  abstract init(): void | Promise<void>

  /**
   * The state of the session, which outlives the memory of its object.
   *
   * @throws {ToolError} for a call without a session
   * @throws {Error} outside of a handler, as in `init()`
   */
  get state(): State {
    // The author names the type of what `setState` has stored.
    return (sessionWithState().state ?? this.initialState) as State
  }

  /**
   * Replaces the state of the session. A handler that asks runs again from the top, and replaces it again.
   *
   * @param state JSON of at most 512 Ki characters
   * @throws {TypeError} for another value
   * @throws {ToolError} for a call without a session
   * @throws {Error} outside of a handler, as in `init()`
   */
  setState(state: State): void {
    sessionWithState().setState(state as JsonValue)
    this.onStateChanged(state, 'server')
    this.onStateUpdate(state, 'server')
  }

  /** Called after `setState()`. An agent overrides it. */
  onStateChanged(_state: State | undefined, _source: unknown): void {}

  /** The earlier name of {@link onStateChanged}. */
  onStateUpdate(_state: State | undefined, _source: unknown): void {}

  /**
   * Asks the person at the client. The handler stops here and runs again from the top when the answer
   * arrives: see the guide on asking.
   *
   * @param _options only one call is running, so nothing says which one asks
   * @throws {Error} outside of a handler, and for a client that cannot show a form
   */
  elicitInput(
    params: ElicitInput,
    _options?: { readonly relatedRequestId?: string | number },
  ): Promise<ElicitResult> {
    return elicitInput(getContext(), params as ElicitRequestParams)
  }

  /** @throws {Error} outside of a handler, and for a call without a session, as every modern one */
  getSessionId(): string {
    const session = findContext()?.session
    if (session === undefined) throw new Error('This call has no session, so it has no session id')
    return session.id
  }

  /** @throws {Error} outside of a handler */
  getTransportType(): 'sse' | 'streamable-http' {
    return getContext().client.era === 'http-sse' ? 'sse' : 'streamable-http'
  }

  /**
   * Serves this class at a path, and at `<path>/message` where the transport is `sse` or `auto`. Cheap
   * to call for every request.
   *
   * @throws {TypeError} for what cannot be carried, with a link to the guide
   */
  static serve(path: string, options: ServeOptions = {}): AgentHandler {
    // biome-ignore lint/complexity/noThisInStatic: `this` is the class of the author
    return serveAgent(this, McpAgent, path, options)
  }

  static serveSSE(path: string, options: Omit<ServeOptions, 'transport'> = {}): AgentHandler {
    // biome-ignore lint/complexity/noThisInStatic: `this` is the class of the author
    return this.serve(path, { ...options, transport: 'sse' })
  }

  /** The name of `serveSSE` in old servers. */
  static mount(path: string, options: Omit<ServeOptions, 'transport'> = {}): AgentHandler {
    // biome-ignore lint/complexity/noThisInStatic: `this` is the class of the author
    return this.serveSSE(path, options)
  }
}

refuseMembers(McpAgent)

function sessionWithState(): CallSession {
  const session = runOf(getContext())?.call.run.session
  if (session !== undefined) return session
  throw new ToolError(
    'This tool keeps its state in a session, and the call has none. Do not repeat it: tell the person to connect with a client that has sessions.',
  )
}
