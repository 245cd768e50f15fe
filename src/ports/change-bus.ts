/** The change bus: publishes changes to every listener of the deployment and replays them after a reconnect. */
import type { Result } from '../platform/result.ts'
import type { Change, ChangeKind } from './change-kinds.ts'

/** A change that the hub has stored, as a listener receives it. */
export interface PublishedChange {
  readonly change: Change
  /** Of the change itself. */
  readonly position: ChangePosition
  /** Whether it is for the subject of its listener alone. */
  readonly isOwn: boolean
}

/**
 * A position in the change log of one shard. Opaque: only the bus that issued it interprets it. Matches
 * `/^[0-9a-z.]{1,40}$/`. It is not a secret: a forged position grants access to no other changes.
 */
export type ChangePosition = string

/** The subscription of one listener to the hub. */
export interface ChangeFeed {
  /** The position at which this feed begins. Every later change is delivered. */
  readonly position: ChangePosition
  /** Ends the feed. No callback runs afterwards. */
  close(): void
}

export interface ListenOptions {
  /** The kinds of change to deliver. */
  readonly kinds: readonly ChangeKind[]
  /** Deliver the changes of this subject in addition to those for all; undefined for an anonymous listener. */
  readonly subject: string | undefined
  /** The network of the client. Listeners without a subject are counted by it. At most 100 characters. */
  readonly network?: string | undefined
  /** Replay the changes published after this position first, in order; undefined begins with the next change. */
  readonly since?: ChangePosition | undefined
  /**
   * Called once per message of the hub, with all changes in it, at least one, in order. When it throws, the feed
   * ends with `onLost`: later changes would hide from the listener that it has not processed these.
   */
  readonly onChanges: (changes: readonly PublishedChange[]) => void
  /**
   * Called once, before any change, when changes after `since` may have been lost: they expired, they
   * are on another shard, or `since` was not issued by this hub. The feed continues at `position`.
   */
  readonly onGap?: (position: ChangePosition) => void
  /** Called once, when the connection to the hub is lost, or with the error that `onChanges` has thrown. */
  readonly onLost: (error?: unknown) => void
}

export interface ChangeBus {
  /** Resolves once every shard has persisted the change. */
  publish(change: Change): Promise<void>

  /**
   * Returns the position up to which the listeners of this subject have been sent every change. A feed that begins
   * there receives every change that they have not been sent.
   */
  position(subject: string | undefined): Promise<ChangePosition>

  /**
   * Subscribes one listener. Fails when the hub has reached its limit of listeners: in total, of this subject, or of
   * this network for a listener without a subject.
   */
  listen(options: ListenOptions): Promise<Result<ChangeFeed>>

  /** How many listeners a subject has; undefined: all listeners of all callers. */
  countListeners(subject: string | undefined): Promise<number>
}
