/**
 * Forwards changes from the hub to a session. The Worker that holds the primary stream subscribes to
 * the hub, and forwards the changes that pass the session's filter and that the caller may read. The
 * session object persists them in the log of that stream, and they return on the same stream reader.
 */
import { type Result, valid } from '../../../platform/result.ts'
import type { ChangeBus, ChangeFeed, ChangePosition } from '../../../ports/change-bus.ts'
import type { Change, ChangeKind } from '../../../ports/change-kinds.ts'
import type { ChangeFilter, Election, StreamReader } from '../../../ports/sessions.ts'
import { normaliseUri } from '../../../protocol/uri.ts'
import type { StreamDefinition } from '../../../transport/stream-definition.ts'

export interface ChangeSource {
  readonly bus: ChangeBus
  readonly kinds: readonly ChangeKind[]
  readonly subject: string | undefined
  readonly network: string
  /** Observes the changes of each message of the hub, before they are forwarded. */
  readonly definition: Pick<StreamDefinition, 'mayRead' | 'observe' | 'renewed'>
  readonly onError: (error: unknown) => void
}

export class ChangeForwarder {
  readonly #source: ChangeSource
  #feed: ChangeFeed | undefined
  #position: ChangePosition | undefined
  #reader: StreamReader | undefined
  #uris: ReadonlySet<string> = new Set()
  #elicitations: ReadonlySet<string> = new Set()
  /** Counts subscriptions, so that a feed that opens after its subscription was replaced is closed. */
  #subscription = 0
  #isPrimary = false
  /** Resolves when the feed of this reader is open. */
  #subscribed: Promise<Result<void>> = Promise.resolve(valid(undefined))
  /** Called when the feed is lost. The stream then ends, and the client resumes it. */
  onLost: () => void = () => undefined

  constructor(source: ChangeSource) {
    this.#source = source
  }

  /** The position at which the changes of this stream begin; undefined before the first feed. */
  get position(): ChangePosition | undefined {
    return this.#position
  }

  /**
   * Follows the elections of a reader in place of any other. Resolves when the first one is applied, or the hub has
   * reached its limit of listeners, and ends the stream when a later one cannot be.
   */
  follow(reader: StreamReader): Promise<Result<void>> {
    return new Promise((resolve, reject) => {
      let isFirst = true
      reader.onElection((election) => {
        const applied = this.#apply(election, reader)
        if (isFirst) applied.then(resolve, reject)
        else this.#loseUnless(applied)
        isFirst = false
      })
    })
  }

  /** The same for a reader that was opened again: a fault ends the stream. */
  followAgain(reader: StreamReader): void {
    this.#loseUnless(this.follow(reader))
  }

  #loseUnless(applied: Promise<Result<void>>): void {
    applied.then(
      (outcome) => outcome.ok || this.#lose(new Error(outcome.error)),
      (error) => this.#lose(error),
    )
  }

  async #apply(election: Election, reader: StreamReader): Promise<Result<void>> {
    if (election.kind === 'secondary') return valid(this.close())
    this.#updateFilter(election)
    if (!this.#isPrimary || this.#reader !== reader) {
      // Changes forwarded on a broken reader may be lost, so a new reader subscribes again from the
      // position that the session has persisted.
      this.close()
      this.#reader = reader
      this.#isPrimary = true
      this.#subscribed = this.#subscribe(election.since ?? this.#position)
    }
    try {
      const subscribed = await this.#subscribed
      // A client may subscribe to a resource that the last change has brought.
      await this.#source.definition.renewed
      return subscribed
    } finally {
      // Only now: a change that is published after this must not precede the feed. Without a feed no
      // change moves the position of the session, so a later stream subscribes before this filter.
      reader.filterApplied(election.version)
    }
  }

  #lose(error?: unknown): void {
    if (error !== undefined) this.#source.onError(error)
    this.onLost()
  }

  close(): void {
    this.#isPrimary = false
    this.#feed?.close()
    this.#feed = undefined
    this.#reader = undefined
  }

  #updateFilter({ uris, elicitations }: ChangeFilter): void {
    this.#uris = new Set(uris)
    this.#elicitations = new Set(elicitations)
  }

  async #subscribe(since: ChangePosition | undefined): Promise<Result<void>> {
    const { bus, kinds, subject, network } = this.#source
    const subscription = ++this.#subscription
    const listened = await bus.listen({
      kinds,
      subject,
      network,
      since,
      onChanges: (changes) => {
        this.#source.definition.observe(changes)
        const passed = changes.filter(({ change }) => this.#passesFilter(change))
        if (passed.length > 0) this.#reader?.forward(passed)
      },
      onGap: (position) => this.#reader?.changesLost(kinds, position),
      onLost: (error) => this.#lose(error),
    })
    if (!listened.ok) return listened
    const feed = listened.value
    // Another stream may have become primary, or another reader replaced this one.
    if (!this.#isPrimary || subscription !== this.#subscription) return valid(feed.close())
    this.#feed = feed
    this.#position = feed.position
    this.#reader?.changesBeginAt(feed.position)
    return valid(undefined)
  }

  #passesFilter(change: Change): boolean {
    if ('uri' in change) {
      const { uri } = change
      return this.#uris.has(normaliseUri(uri)) && this.#source.definition.mayRead(uri)
    }
    return !('elicitationId' in change) || this.#elicitations.has(change.elicitationId)
  }
}
