/**
 * The hub's changes on their way to a session: the Worker that holds the newest standalone stream
 * listens, and forwards what the session is interested in and its caller may see. The object then
 * keeps it in that stream's log, and sends it back down the same line.
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
  #line: StreamReader | undefined
  #uris: ReadonlySet<string> = new Set()
  #elicitations: ReadonlySet<string> = new Set()
  /** Counts the times that it was this line's turn: a feed that comes too late for one is closed. */
  #turn = 0
  #listening = false
  /** Called when the feed is lost: the stream ends, and its reader comes back. */
  onLost: () => void = () => undefined

  constructor(source: ChangeSource) {
    this.#source = source
  }

  /** Where its news begins; undefined while it has none. */
  get position(): ChangePosition | undefined {
    return this.#position
  }

  /** Goes by what the object says of a line. A feed that cannot be opened ends the stream. */
  take(item: StreamItem, line: StreamReader): void {
    void this.follow(item, line).catch((error) => {
      this.#source.onError(error)
      this.onLost()
    })
  }

  /** @throws {ChangeBusFullError} when the hub has no room */
  async follow(item: StreamItem, line: StreamReader): Promise<void> {
    if (item.kind === 'secondary') return this.#stop()
    if (item.kind !== 'primary') return
    this.#attend(item)
    line.filterApplied(item.version)
    // What was forwarded on a line that broke may be lost: on a new one all is heard again from where
    // the session has kept it.
    if (this.#listening && this.#line === line) return
    this.#stop()
    this.#line = line
    this.#listening = true
    await this.#listen(item.since ?? this.#position)
  }

  close(): void {
    this.#stop()
  }

  #attend({ uris, elicitations }: ChangeFilter): void {
    this.#uris = new Set(uris)
    this.#elicitations = new Set(elicitations)
  }

  async #listen(since: ChangePosition | undefined): Promise<void> {
    const { bus, kinds, subject } = this.#source
    const turn = ++this.#turn
    const feed = await bus.listen({
      kinds,
      subject,
      since,
      onChange: (change, position) => {
        if (this.#concerns(change)) this.#line?.forward(change, position)
      },
      onGap: (position) => this.#line?.changesLost(kinds, position),
      onLost: () => this.onLost(),
    })
    // It may have been another's turn in the meantime.
    if (!this.#listening || turn !== this.#turn) return feed.close()
    this.#feed = feed
    this.#position = feed.position
    this.#line?.changesBeginAt(feed.position)
  }

  #concerns(change: Change): boolean {
    switch (change.kind) {
      case 'resource_updated':
        return this.#uris.has(normaliseUri(change.uri)) && this.#source.mayRead(change.uri)
      case 'elicitation_complete':
        return this.#elicitations.has(change.elicitationId)
      default:
        return true
    }
  }

  #stop(): void {
    this.#listening = false
    this.#feed?.close()
    this.#feed = undefined
    this.#line = undefined
  }
}
