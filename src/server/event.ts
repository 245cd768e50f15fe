/** The types of `emit`. `events()` implements it. */

/**
 * An event type, as `defineEvent` returns it.
 *
 * @typeParam Data what is emitted
 */
export interface EventType<Name extends string = string, Data = unknown> {
  readonly name: Name
  /** Has the type of the data, for the compiler alone. */
  readonly data?: Data
}

export interface EmitOptions {
  /**
   * The id of the occurrence at its source. The same id twice for the same subject is one occurrence. 1 to 128 of the
   * characters `A-Z a-z 0-9 _ - : =`. Default: a random one.
   */
  readonly eventId?: string
  /** When it has occurred: a `Date`, or ISO 8601 with a time zone. Default: now. */
  readonly timestamp?: Date | string
  /** `ctx.auth.subject` of the one person whom it concerns. Default: everyone. */
  readonly subject?: string
}

export interface EmittedEvent {
  readonly eventId: string
}

/** Stores an occurrence. When the promise resolves, it is stored and will be delivered. */
export interface Emit {
  /** @throws {OperationError} and nothing is stored */
  <Name extends string, Data>(
    type: EventType<Name, Data>,
    data: NoInfer<Data>,
    options?: EmitOptions,
  ): Promise<EmittedEvent>
  /** @throws {OperationError} and nothing is stored */
  (type: string, data: unknown, options?: EmitOptions): Promise<EmittedEvent>
}

/** Why an occurrence was not stored. */
export type EmitErrorReason =
  | 'unknown-type'
  | 'invalid-data'
  | 'too-large'
  | 'invalid-id'
  | 'invalid-timestamp'
  | 'invalid-subject'
