/**
 * The changes that a session's client asked for. The socket of the primary stream brings changes, and
 * each change becomes a notification in the log of that stream only.
 */
import { utf8Length } from '../../src/platform/utf8.ts'
import type { ChangeBus } from '../../src/ports/change-bus.ts'
import { CHANGES, type Change, type ChangeKind, LIST_KINDS } from '../../src/ports/change-kinds.ts'
import type { StreamKind, StreamReadRequest } from '../../src/ports/sessions.ts'
import { notificationText } from '../../src/protocol/json-rpc.ts'
import { invalidParams } from '../../src/protocol/protocol-error.ts'
import { normaliseUri } from '../../src/protocol/uri.ts'
import { Setting } from './row-keys.ts'
import { Retention } from './schema.ts'
import type { SessionParts } from './session-parts.ts'
import type { RequestedChanges } from './stream-sockets.ts'
import type { WorkerMessageBody } from './stream-wire.ts'

/** Elicitations whose completion one session may wait for. */
const MAX_ELICITATIONS = 100

/** How long after an elicitation its completion is still reported to the client. */
const ELICITATION_TTL_MS = 24 * 60 * 60 * 1000

/** All URIs of one session together: every filter contains all of them. */
const MAX_URIS_BYTES = 64 * 1024

type ChangesMessage = Extract<WorkerMessageBody, { kind: 'changes' | 'changes-lost' }>

export class SessionSubscriptions {
  readonly #parts: SessionParts

  constructor(parts: SessionParts) {
    this.#parts = parts
  }

  /** @throws {ProtocolError} invalidParams at the limit */
  async subscribe(uri: string, subject: string | undefined): Promise<void> {
    const bus = this.#bus
    if (bus === undefined) throw new TypeError('A subscription needs the hub')
    const key = normaliseUri(uri)
    if (this.#parts.storage.existing?.spellingOf(key) === undefined) this.#checkLimits(uri)
    await this.#promise(subject, bus, () => this.#parts.storage.statements.subscribe(key, uri))
  }

  unsubscribe(uri: string): void {
    if (this.#parts.storage.existing?.unsubscribe(normaliseUri(uri)))
      void this.#parts.sockets.updateFilter(() => this.#requested)
  }

  /**
   * Reports the completion of these elicitations to the client. Resolves when this is certain; to false where nothing
   * can be reported.
   */
  async expectElicitations(ids: readonly string[], subject: string | undefined): Promise<boolean> {
    const bus = this.#bus
    if (bus === undefined || ids.length === 0) return false
    await this.#promise(subject, bus, () => {
      const { statements } = this.#parts.storage
      for (const id of ids) statements.insertElicitation(id, Date.now())
      const excess = Math.max(0, statements.elicitations().length - MAX_ELICITATIONS)
      for (const id of statements.elicitations().slice(0, excess)) statements.deleteElicitation(id)
    })
    return true
  }

  get #bus(): ChangeBus | undefined {
    return this.#parts.deployment.services.changes()
  }

  /** Elects the primary stream anew, after a socket was opened or closed. */
  electPrimary(): void {
    this.#parts.sockets.electPrimary(this.#requested, this.#position)
  }

  /** Processes a message of the Worker; returns whether it wrote to a log. */
  receive(
    socket: WebSocket,
    message: Exclude<WorkerMessageBody, { kind: 'acknowledge' }>,
  ): boolean {
    const { sockets } = this.#parts
    if (message.kind === 'filter-applied') {
      sockets.filterApplied(message.version)
      return false
    }
    if (message.kind === 'changes-begin') {
      sockets.setSince(socket, message.position)
      return false
    }
    // A stream that is not the primary any more may still send changes: the primary sends them too.
    if (socket !== sockets.changeSockets[0]) return false
    const notifications = this.#notificationsOf(message)
    if (notifications.length === 0) return false
    const { stream, kind } = sockets.streamOf(socket)
    this.#append(stream, kind, notifications, Setting.changePosition, message.position)
    return true
  }

  /**
   * Tells the client, on a stream that opens, which lists differ from those that it was given before a deployment.
   * Returns whether it wrote to the log.
   */
  tellOfLists({ claims, lists, stream, kind }: StreamReadRequest): boolean {
    const { storage } = this.#parts
    const known = storage.existing?.setting(Setting.lists) ?? claims.lists
    if (known === undefined || lists === undefined || known === lists) return false
    const before = known.split('.')
    const now = lists.split('.')
    const changed = LIST_KINDS.filter((_, at) => before[at] !== now[at])
    this.#append(stream, kind, this.#forLost(changed), Setting.lists, lists)
    return true
  }

  /** Appends notifications to a log, and stores in the same step how far they reach. */
  #append(
    stream: string,
    kind: StreamKind,
    notifications: readonly string[],
    upTo: Setting,
    value: string,
  ): void {
    const { storage, logs, client } = this.#parts
    storage.transaction(() => {
      client.persist()
      storage.statements.saveSetting(upTo, value)
      logs.open(stream, kind)
      for (const text of notifications) logs.append(stream, text, Retention.prunable)
    })
  }

  /**
   * Writes a subscription, and resolves when every later change of it reaches the client: on the present
   * stream, or on a later one that begins at the saved position.
   */
  async #promise(subject: string | undefined, bus: ChangeBus, write: () => void): Promise<void> {
    const { storage, client, sockets } = this.#parts
    const position = this.#position === undefined ? await bus.position(subject) : undefined
    storage.transaction(() => {
      client.persist()
      write()
      if (position !== undefined && this.#position === undefined) {
        storage.statements.saveSetting(Setting.changePosition, position)
      }
    })
    await sockets.updateFilter(() => this.#requested)
  }

  /** Deletes expired elicitations, and returns when the next one expires. */
  deleteExpired(now: number): number | undefined {
    this.#parts.storage.existing?.deleteElicitationsBefore(now - ELICITATION_TTL_MS)
    const oldest = this.#parts.storage.existing?.oldestElicitation()
    return oldest === undefined ? undefined : oldest + ELICITATION_TTL_MS
  }

  get isEmpty(): boolean {
    const { existing } = this.#parts.storage
    return (
      existing === undefined ||
      (existing.subscriptions().length === 0 && existing.elicitations().length === 0)
    )
  }

  #notificationsOf(message: ChangesMessage): string[] {
    switch (message.kind) {
      case 'changes':
        return message.changes.flatMap((change) => this.#notificationsFor(change))
      case 'changes-lost':
        return this.#forLost(message.kinds)
    }
  }

  #notificationsFor(change: Change): string[] {
    const { method, about } = CHANGES[change.kind]
    const { existing } = this.#parts.storage
    if ('uri' in change) {
      const uri = existing?.spellingOf(normaliseUri(change.uri))
      return uri === undefined ? [] : [notificationText(method, { uri })]
    }
    if ('elicitationId' in change) {
      const { elicitationId } = change
      const wasExpected = existing?.deleteElicitation(elicitationId) === true
      return wasExpected ? [notificationText(method, { elicitationId })] : []
    }
    return about === undefined ? [notificationText(method, undefined)] : []
  }

  /** When changes are lost, everything of their kinds may have changed. */
  #forLost(kinds: readonly ChangeKind[]): string[] {
    return kinds.flatMap((kind) => {
      const { method, about } = CHANGES[kind]
      if (about === undefined) return [notificationText(method, undefined)]
      const held = about === 'uri' ? this.#parts.storage.existing?.subscriptions() : undefined
      return held?.map(({ spelling: uri }) => notificationText(method, { uri })) ?? []
    })
  }

  get #position(): string | undefined {
    return this.#parts.storage.existing?.setting(Setting.changePosition)
  }

  get #requested(): RequestedChanges {
    const { existing } = this.#parts.storage
    return {
      uris: existing?.subscriptions().map(({ uri }) => uri) ?? [],
      elicitations: existing?.elicitations() ?? [],
    }
  }

  #checkLimits(uri: string): void {
    const held = this.#parts.storage.existing?.subscriptionTotals() ?? { count: 0, bytes: 0 }
    const bytes = held.bytes + utf8Length(uri)
    if (held.count >= this.#parts.limits.subscriptionsPerSession || bytes > MAX_URIS_BYTES) {
      throw invalidParams('The session has reached its limit of subscriptions')
    }
  }
}
