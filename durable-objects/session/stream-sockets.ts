/**
 * The stream sockets of a session: hibernatable WebSockets, each reading one stream. Everything that
 * must survive an eviction is in their tags and attachments, so an idle socket costs no object duration.
 */
import { withDeadline } from '../../src/platform/deadline.ts'
import type { ChangePosition } from '../../src/ports/change-bus.ts'
import type { ChangeFilter, StreamKind, StreamReadRequest } from '../../src/ports/sessions.ts'
import { closeIfOpen, sendIfOpen } from '../stream-socket.ts'
import { CloseCode, eventText, primaryText, SECONDARY_TEXT } from './stream-wire.ts'

/** The tag of all sockets that may carry changes. */
const CHANGES_TAG = 'changes'

interface Attachment {
  readonly stream: string
  readonly kind: StreamKind
  /** A later socket has a higher one. */
  readonly order: number
  /** The position at which its changes begin. */
  readonly since: ChangePosition | undefined
}

/** The changes that a session asked for. */
export type RequestedChanges = Pick<ChangeFilter, 'uris' | 'elicitations'>

/** A socket without a heartbeat for this long has lost its Worker. Heartbeats come every 10 s. */
const SILENT_SOCKET_MS = 30_000

/** How long a subscription waits until the Worker applies its filter. */
const FILTER_TIMEOUT_MS = 3000

export class StreamSockets {
  readonly #ctx: DurableObjectState
  /** Version of the last filter that was sent. */
  #version = 0
  /** Filters that the Worker has not applied yet, by version. */
  readonly #pendingFilters = new Map<number, () => void>()

  /** Resolves when the last filter is applied, or the time for it is over. */
  #sentFilter: Promise<void> = Promise.resolve()
  /** The filter after it, if one is wanted. */
  #nextFilter: Promise<void> | undefined
  /** Resolves with the next socket. */
  #nextSocket = Promise.withResolvers<void>()

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx
  }

  /**
   * Accepts a socket in place of any other of the same stream, and returns both of its ends; undefined
   * when the session has `maxChangeSockets` others and each has a recent heartbeat. A socket with a
   * heartbeat is never closed for a new one: its client would reconnect, and close the next one.
   */
  accept(
    { stream, kind, since }: StreamReadRequest,
    maxChangeSockets: number,
  ): Accepted | undefined {
    const superseded = this.#of(stream)
    const carriesChanges = kind !== 'answer'
    const others = this.changeSockets.filter((socket) => !superseded.includes(socket))
    if (carriesChanges && others.length >= maxChangeSockets) {
      const silent = others.filter((socket) => this.#isSilent(socket))
      for (const socket of silent) this.close(socket, CloseCode.superseded)
      if (others.length - silent.length >= maxChangeSockets) return undefined
    }
    const { 0: client, 1: server } = new WebSocketPair()
    this.#ctx.acceptWebSocket(server, carriesChanges ? [stream, CHANGES_TAG] : [stream])
    // There may be no storage for a counter, so sockets are ordered by the clock.
    const order = Math.max(Date.now(), ...others.map((socket) => attachmentOf(socket).order + 1))
    attach(server, { stream, kind, order, since })
    for (const socket of superseded) this.close(socket, CloseCode.superseded)
    this.#nextSocket.resolve()
    this.#nextSocket = Promise.withResolvers()
    return { client, server }
  }

  /** The sockets that may carry changes, newest first. */
  get changeSockets(): WebSocket[] {
    return this.#ctx
      .getWebSockets(CHANGES_TAG)
      .filter(isOpen)
      .sort((a, b) => attachmentOf(b).order - attachmentOf(a).order)
  }

  has(stream: string): boolean {
    return this.#of(stream).length > 0
  }

  /** Resolves when a stream has a reader; with false when it has none in time. */
  async waitForReader(stream: string, timeoutMs: number): Promise<boolean> {
    const until = Date.now() + timeoutMs
    while (!this.has(stream)) {
      const remainingMs = until - Date.now()
      if (remainingMs <= 0) return false
      await withDeadline(remainingMs, this.#nextSocket.promise)
    }
    return true
  }

  send(stream: string, seq: number, data: string): void {
    for (const socket of this.#of(stream)) this.sendTo(socket, seq, data)
  }

  sendTo(socket: WebSocket, seq: number, data: string): void {
    sendIfOpen(socket, eventText(seq, data))
  }

  /** Closes the sockets of a stream; false when there are none. */
  closeStream(stream: string, why: CloseCode): boolean {
    const sockets = this.#of(stream)
    for (const socket of sockets) this.close(socket, why)
    return sockets.length > 0
  }

  closeAll(why: CloseCode): void {
    for (const socket of this.#ctx.getWebSockets()) this.close(socket, why)
  }

  close(socket: WebSocket, why: CloseCode): void {
    closeIfOpen(socket, why)
  }

  /** Makes the newest socket the primary one, and every other secondary. */
  electPrimary(changes: RequestedChanges, since: ChangePosition | undefined): void {
    const [primary, ...others] = this.changeSockets
    if (primary === undefined) return
    const known = [primary, ...others].map((socket) => attachmentOf(socket).since)
    const from = since ?? known.find((position) => position !== undefined)
    sendIfOpen(primary, primaryText({ ...changes, since: from, version: ++this.#version }))
    for (const socket of others) sendIfOpen(socket, SECONDARY_TEXT)
  }

  /**
   * Resolves when the Worker of the primary socket applies a filter that was read after this call.
   * Calls share the next filter while another one is on its way: each contains all URIs.
   */
  updateFilter(read: () => RequestedChanges): Promise<void> {
    this.#nextFilter ??= this.#sentFilter.then(() => {
      this.#nextFilter = undefined
      this.#sentFilter = this.#sendFilter(read())
      return this.#sentFilter
    })
    return this.#nextFilter
  }

  /**
   * Sends a filter. Closes a socket whose Worker does not apply it in time: its changes, chosen by the
   * old filter, must not move the position of the session any more.
   */
  async #sendFilter(changes: RequestedChanges): Promise<void> {
    const [primary] = this.changeSockets
    if (primary === undefined) return
    const version = ++this.#version
    sendIfOpen(primary, primaryText({ ...changes, since: undefined, version }))
    const { promise: applied, resolve } = Promise.withResolvers<void>()
    this.#pendingFilters.set(version, resolve)
    await withDeadline(FILTER_TIMEOUT_MS, applied, () => this.close(primary, CloseCode.lost))
    this.#pendingFilters.delete(version)
  }

  /** The Worker applies the filter of this version, which replaces all before it. */
  filterApplied(version: number): void {
    for (const [pending, resolve] of this.#pendingFilters) if (pending <= version) resolve()
  }

  setSince(socket: WebSocket, since: ChangePosition): void {
    attach(socket, { ...attachmentOf(socket), since })
  }

  streamOf(socket: WebSocket): { readonly stream: string; readonly kind: StreamKind } {
    return attachmentOf(socket)
  }

  /** A new socket has sent no heartbeat yet, and its order is the time at which it was opened. */
  #isSilent(socket: WebSocket): boolean {
    const heartbeatAt = this.#ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime() ?? 0
    const aliveAt = Math.max(heartbeatAt, attachmentOf(socket).order)
    return Date.now() - aliveAt > SILENT_SOCKET_MS
  }

  #of(stream: string): WebSocket[] {
    return this.#ctx.getWebSockets(stream).filter(isOpen)
  }
}

interface Accepted {
  /** The end for the response to the Worker. */
  readonly client: WebSocket
  readonly server: WebSocket
}

function attachmentOf(socket: WebSocket): Attachment {
  return socket.deserializeAttachment() as Attachment
}

function attach(socket: WebSocket, attachment: Attachment): void {
  socket.serializeAttachment(attachment)
}

function isOpen(socket: WebSocket): boolean {
  return socket.readyState === WebSocket.OPEN
}
