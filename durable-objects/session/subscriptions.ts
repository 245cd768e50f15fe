/**
 * News on a session's standalone streams: what its client has subscribed to, and what of the hub's
 * changes it is told. The line of the newest stream brings the changes; each is told on it alone.
 */
import {
  type ChangeBus,
  type ChangeKind,
  LIST_CHANGED_METHODS,
  type ListChangeKind,
} from '../../src/ports/change-bus.ts'
import type { ChangeFilter } from '../../src/ports/sessions.ts'
import { notificationText } from '../../src/protocol/json-rpc.ts'
import { invalidParams } from '../../src/protocol/protocol-error.ts'
import { normaliseUri } from '../../src/protocol/uri.ts'
import type { ClientState } from './client-state.ts'
import { Setting } from './row-keys.ts'
import { Retention } from './schema.ts'
import type { SessionStorage } from './session-storage.ts'
import type { StreamLogs } from './stream-logs.ts'
import type { StreamSockets } from './stream-sockets.ts'
import type { WorkerMessageBody } from './stream-wire.ts'

/** Elicitations that one session may wait to see completed. */
const MAX_ELICITATIONS = 100

/** How long a person may take elsewhere for the client to hear of it. */
const ELICITATION_TTL_MS = 24 * 60 * 60 * 1000

/** All URIs of one session together, in UTF-16 code units: every line holds them. */
const MAX_URIS_LENGTH = 64 * 1024

export class SessionSubscriptions {
  readonly #storage: SessionStorage
  readonly #logs: StreamLogs
  readonly #tails: StreamSockets
  readonly #client: ClientState
  readonly #maxSubscriptions: number

  constructor(
    storage: SessionStorage,
    logs: StreamLogs,
    tails: StreamSockets,
    client: ClientState,
    maxSubscriptions: number,
  ) {
    this.#storage = storage
    this.#logs = logs
    this.#tails = tails
    this.#client = client
    this.#maxSubscriptions = maxSubscriptions
  }

  /** @throws {ProtocolError} invalidParams for one too many */
  async subscribe(uri: string, subject: string | undefined, bus: ChangeBus): Promise<void> {
    const key = normaliseUri(uri)
    const held = this.#storage.existing?.subscriptions() ?? []
    if (!held.some((subscription) => subscription.uri === key)) this.#checkRoom(uri, held)
    // What happens from here on is told, even to a client that opens its stream later.
    const position = this.#position === undefined ? await bus.position(subject) : undefined
    this.#storage.transaction(() => {
      this.#client.persist()
      this.#storage.statements.subscribe(key, uri)
      if (position !== undefined && this.#position === undefined) {
        this.#storage.statements.saveSetting(Setting.changePosition, position)
      }
    })
    await this.#tails.updateFilter(this.#interests)
  }

  unsubscribe(uri: string): void {
    if (this.#storage.existing?.unsubscribe(normaliseUri(uri)))
      void this.#tails.updateFilter(this.#interests)
  }

  expectElicitation(id: string): void {
    const held = this.#storage.existing?.elicitations() ?? []
    // The oldest is the one that is most likely of no interest any more.
    if (held.length >= MAX_ELICITATIONS) this.#storage.statements.completeElicitation(held[0] ?? '')
    this.#client.persist()
    this.#storage.statements.expectElicitation(id, Date.now())
    void this.#tails.updateFilter(this.#interests)
  }

  /** After a line has come or gone: whose turn it is. */
  electPrimary(): void {
    this.#tails.electPrimary(this.#interests, this.#position)
  }

  /** Takes what a Worker tells, from the line whose turn it is alone; whether anything was kept. */
  take(socket: WebSocket, news: Exclude<WorkerMessageBody, { kind: 'acknowledge' }>): boolean {
    if (news.kind === 'filter-applied') {
      this.#tails.filterApplied(news.version)
      return false
    }
    if (news.kind === 'changes-begin') {
      this.#tails.setSince(socket, news.position)
      return false
    }
    if (socket !== this.#tails.changeSockets[0]) return false
    const messages = news.kind === 'changes-lost' ? this.#missed(news.kinds) : this.#told(news)
    if (messages.length === 0) return false
    const { stream, kind } = this.#tails.streamOf(socket)
    this.#storage.transaction(() => {
      this.#client.persist()
      this.#storage.statements.saveSetting(Setting.changePosition, news.position)
      this.#logs.open(stream, kind)
      for (const message of messages) this.#logs.append(stream, message, Retention.prunable)
    })
    return true
  }

  /** Forgets what nobody waits for any more, and says when to look again. */
  sweep(now: number): number | undefined {
    this.#storage.existing?.forgetElicitations(now - ELICITATION_TTL_MS)
    const oldest = this.#storage.existing?.oldestElicitation()
    return oldest === undefined ? undefined : oldest + ELICITATION_TTL_MS
  }

  get isEmpty(): boolean {
    const { existing } = this.#storage
    return (
      existing === undefined ||
      (existing.subscriptions().length === 0 && existing.elicitations().length === 0)
    )
  }

  #told({ change }: Extract<WorkerMessageBody, { kind: 'change' }>): string[] {
    if (change.kind === 'resource_updated') {
      const uri = this.#spellingOf(change.uri)
      return uri === undefined ? [] : [notificationText('notifications/resources/updated', { uri })]
    }
    if (change.kind === 'elicitation_complete') {
      const { elicitationId } = change
      const expected = this.#storage.existing?.completeElicitation(elicitationId) === true
      return expected
        ? [notificationText('notifications/elicitation/complete', { elicitationId })]
        : []
    }
    return [listChanged(change.kind)]
  }

  /** Nobody knows what has changed, so everything may have. */
  #missed(kinds: readonly ChangeKind[]): string[] {
    const lists = kinds.flatMap((kind) =>
      kind === 'resource_updated' || kind === 'elicitation_complete' ? [] : [listChanged(kind)],
    )
    const held = kinds.includes('resource_updated')
      ? (this.#storage.existing?.subscriptions() ?? [])
      : []
    return [
      ...lists,
      ...held.map(({ spelling: uri }) =>
        notificationText('notifications/resources/updated', { uri }),
      ),
    ]
  }

  #spellingOf(uri: string): string | undefined {
    const key = normaliseUri(uri)
    return this.#storage.existing?.subscriptions().find((held) => held.uri === key)?.spelling
  }

  get #position(): string | undefined {
    return this.#storage.existing?.setting(Setting.changePosition)
  }

  get #interests(): Pick<ChangeFilter, 'uris' | 'elicitations'> {
    const { existing } = this.#storage
    return {
      uris: existing?.subscriptions().map(({ uri }) => uri) ?? [],
      elicitations: existing?.elicitations() ?? [],
    }
  }

  #checkRoom(uri: string, held: readonly { readonly spelling: string }[]): void {
    const length = held.reduce((sum, { spelling }) => sum + spelling.length, uri.length)
    if (held.length >= this.#maxSubscriptions || length > MAX_URIS_LENGTH) {
      throw invalidParams('This session has as many subscriptions as it may')
    }
  }
}

function listChanged(kind: ListChangeKind): string {
  return notificationText(LIST_CHANGED_METHODS[kind], undefined)
}
