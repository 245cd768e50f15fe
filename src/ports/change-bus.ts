/** News of changes, from anywhere in the deployment to every listener, also after a moment away. */

/** What changed. `subject` limits it to one principal's listeners; without it everybody hears. */
export type Change =
  | { readonly kind: 'tools' | 'prompts' | 'resources'; readonly subject?: string | undefined }
  | { readonly kind: 'updated'; readonly uri: string; readonly subject?: string | undefined }
  /** A person is done at the address of a URL-mode elicitation. */
  | {
      readonly kind: 'elicitation'
      readonly elicitationId: string
      readonly subject?: string | undefined
    }

export type ChangeKind = Change['kind']

/**
 * A place in the news of one shard, opaque: only ever compared by the bus that gave it. Matches
 * `/^[0-9a-z.]{1,40}$/`, and is no secret: whoever makes one up hears no more than is theirs.
 */
export type ChangePosition = string

/** One listener's line to the hub. */
export interface ChangeFeed {
  /** Where this feed began: everything after it is or was delivered. */
  readonly position: ChangePosition
  /** Ends the line; calls back no more. */
  close(): void
}

export interface ListenOptions {
  /** Only these are delivered. */
  readonly kinds: readonly ChangeKind[]
  /** Whose news beside everybody's; undefined for an anonymous listener. */
  readonly subject: string | undefined
  /** First deliver what was published after this, in order; undefined begins now. */
  readonly since?: ChangePosition | undefined
  /** In order, each once; `position` is that of the change itself. */
  readonly onChange: (change: Change, position: ChangePosition) => void
  /**
   * Called once, before any change, when news after `since` may have been lost: forgotten, on
   * another shard, or `since` is none of ours. `position` is where the feed goes on.
   */
  readonly onGap?: (position: ChangePosition) => void
  /** Called once, when the line breaks by itself. */
  readonly onLost: () => void
}

export interface ChangeBus {
  /** Resolves once every shard has the news durably. */
  publish(change: Change): Promise<void>

  /** Where a feed opened now for that subject would begin. */
  position(subject: string | undefined): Promise<ChangePosition>

  /**
   * Opens a line for one listener.
   *
   * @throws {ChangeBusFullError} when the hub has no room for another listener of this subject
   */
  listen(options: ListenOptions): Promise<ChangeFeed>
}

/** The hub has as many listeners as it takes. */
export class ChangeBusFullError extends Error {
  override readonly name = 'ChangeBusFullError'
}
