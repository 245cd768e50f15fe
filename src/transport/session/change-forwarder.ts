/**
 * Forwards changes from the hub to a session. The Worker that holds the primary stream subscribes to
 * the hub, and forwards the changes that pass the session's filter and that the caller may read. The
 * session object persists them in the log of that stream, and they return on the same stream reader.
 */
import type {
  Change,
  ChangeBus,
  ChangeFeed,
  ChangeKind,
  ChangePosition,
} from '../../ports/change-bus.ts'
import type { ChangeFilter, StreamItem, StreamReader } from '../../ports/sessions.ts'
import { normaliseUri } from '../../protocol/uri.ts'

export interface ChangeSource {
  readonly bus: ChangeBus
  readonly kinds: readonly ChangeKind[]
  readonly subject: string | undefined
  readonly mayRead: (uri: string) => boolean
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
  /** Called when the feed is lost. The stream then ends, and the client resumes it. */
  onLost: () => void = () => undefined

  constructor(source: ChangeSource) {
    this.#source = source
  }

  /** The position at which the changes of this stream begin; undefined before the first feed. */
  get position(): ChangePosition | undefined {
    return this.#position
  }

  /** Applies an item of the session object. Ends the stream if the feed cannot be opened. */
  handleItem(item: StreamItem, reader: StreamReader): void {
    void this.follow(item, reader).catch((error) => {
      this.#source.onError(error)
      this.onLost()
    })
  }

  /** @throws {ChangeBusFullError} when the hub has reached its limit of listeners */
  async follow(item: StreamItem, reader: StreamReader): Promise<void> {
    if (item.kind === 'secondary') return this.close()
    if (item.kind !== 'primary') return
    this.#updateFilter(item)
    reader.filterApplied(item.version)
    if (this.#isPrimary && this.#reader === reader) return
    // Changes forwarded on a broken reader may be lost, so a new reader subscribes again from the
    // position that the session has persisted.
    this.close()
    this.#reader = reader
    this.#isPrimary = true
    await this.#subscribe(item.since ?? this.#position)
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

  async #subscribe(since: ChangePosition | undefined): Promise<void> {
    const { bus, kinds, subject } = this.#source
    const subscription = ++this.#subscription
    const feed = await bus.listen({
      kinds,
      subject,
      since,
      onChange: (change, position) => {
        if (this.#passesFilter(change)) this.#reader?.forward(change, position)
      },
      onGap: (position) => this.#reader?.changesLost(kinds, position),
      onLost: () => this.onLost(),
    })
    // Another stream may have become primary, or another reader replaced this one.
    if (!this.#isPrimary || subscription !== this.#subscription) return feed.close()
    this.#feed = feed
    this.#position = feed.position
    this.#reader?.changesBeginAt(feed.position)
  }

  #passesFilter(change: Change): boolean {
    switch (change.kind) {
      case 'resource_updated':
        return this.#uris.has(normaliseUri(change.uri)) && this.#source.mayRead(change.uri)
      case 'elicitation_complete':
        return this.#elicitations.has(change.elicitationId)
      default:
        return true
    }
  }
}
