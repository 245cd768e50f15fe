/** The types of `ctx.state`. `../features/state/context-state.ts` implements them. */

/**
 * Why an operation on state failed: the `reason` of its `ToolError`.
 * - `unknown-handle`: the handle is expired, deleted, forged, or of another caller.
 * - `unknown-key`: there is no value to update.
 * - `changed`: the value is not the expected one.
 * - `too-large`: the value has more bytes than `state({ bytes })`.
 * - `too-many`: the owner has as many values as its limit.
 * - `no-session`: the call has no session.
 * - `no-principal`: the caller is anonymous.
 */
export type StateErrorReason =
  | 'unknown-handle'
  | 'unknown-key'
  | 'changed'
  | 'too-large'
  | 'too-many'
  | 'no-session'
  | 'no-principal'

export interface StateLifetime {
  /**
   * Milliseconds until the handle expires, counted from this operation; at most `state({ ttlMs })`.
   * Default of `create` one day. An `update` without it leaves the end as it is.
   */
  readonly ttlMs?: number | undefined
}

export interface StateCondition {
  /**
   * The value that the caller of `update` has read: compare and swap. When the present value differs from
   * it, nothing changes and the update fails with the reason `changed`. The order of
   * the members of an object does not count. Default: any value is replaced.
   */
  readonly expected?: unknown
}

/** Values by key: 1 to 64 of `A-Z a-z 0-9 _ - .`. They do not expire by themselves. */
export interface KeyedState {
  /** Returns the value of a key, frozen; undefined without one. */
  get<T = unknown>(key: string): Promise<T | undefined>
  /** @throws {ToolError} `too-large`, `too-many` */
  set(key: string, value: unknown): Promise<void>
  /** @throws {ToolError} `unknown-key`, `changed`, `too-large` */
  update(key: string, value: unknown, options?: StateCondition): Promise<void>
  /** Does nothing for a key without a value. */
  delete(key: string): Promise<void>
}

/**
 * JSON values that outlive the call. Each operation is a step: a handler that runs again from the top has
 * the results of the first run again, and repeats no effect.
 *
 * @throws {TypeError} by each operation: for a value that is not JSON, a malformed key or time, and without
 *   the binding `MCP_OBJECTS`
 */
export interface StateContext {
  /**
   * Stores a value and returns its handle, which a tool returns to the model and takes as an argument.
   * Only the same issuer, subject and resource can use it; the handle of an anonymous caller is for
   * every anonymous caller that has it.
   *
   * @throws {ToolError} `too-large`, `too-many`
   */
  create(value: unknown, options?: StateLifetime): Promise<string>
  /**
   * Returns the value of a handle, frozen.
   *
   * @throws {ToolError} `unknown-handle`
   */
  get<T = unknown>(handle: string): Promise<T>
  /**
   * Replaces the value of a handle. Of concurrent updates that expect the same value, one succeeds.
   *
   * @throws {ToolError} `unknown-handle`, `changed`, `too-large`
   */
  update(handle: string, value: unknown, options?: StateCondition & StateLifetime): Promise<void>
  /** @throws {ToolError} `unknown-handle` */
  delete(handle: string): Promise<void>
  /**
   * Values of the session, which end with it.
   *
   * @throws {ToolError} by each operation: `no-session` for a call without one, as every modern one
   */
  readonly session: KeyedState
  /**
   * Values of the caller: issuer, subject and resource.
   *
   * @throws {ToolError} by each operation: `no-principal` for an anonymous caller
   */
  readonly principal: KeyedState
}
