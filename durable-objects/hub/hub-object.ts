/** The object of one hub shard: stores changes and sends them to listeners. */
import { isChangeKind } from '../../src/ports/change-kinds.ts'
import { EarliestAlarm } from '../earliest-alarm.ts'
import { ObjectPart } from '../object-part.ts'
import { SocketCounts } from '../socket-counts.ts'
import { answerHeartbeats, closeIfOpen, NORMAL_CLOSURE } from '../stream-socket.ts'
import { ChangeLog } from './change-log.ts'
import { FanOut } from './fan-out.ts'
import {
  BEGAN_HEADER,
  ListenRefusalStatus,
  type PublishedMessage,
  parseListenRequest,
} from './hub-wire.ts'

/** Begins the tag of listeners without a subject. No kind and no subject key begins with it. */
const ANONYMOUS = '-'

/**
 * One shard of the hub.
 *
 * Layout: one table of changes, numbered without holes, created by the first publication. Each
 * listener is a hibernatable WebSocket; its tags, which outlive an eviction, are the kinds it listens
 * to and its subject, or its network without one. Lifetime: a listener lives as long as its socket. A change is stored as long as
 * its publisher chose, and at most as long again, unless 10,000 newer ones replace it. The object
 * wakes for a new listener, a publication, the end of a socket and its alarm, and hibernates in
 * between, however many listeners it has. Trade-off: a publication writes two rows (the change and
 * the newest version), so that a listener whose connection was interrupted, or whose hub was killed,
 * loses no change. A listener that was away for longer receives a gap.
 */
export class HubObject extends ObjectPart {
  readonly #counts: SocketCounts
  readonly #log: ChangeLog
  readonly #fanOut: FanOut
  readonly #alarm: EarliestAlarm

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env)
    answerHeartbeats(ctx)
    this.#counts = new SocketCounts(ctx)
    this.#log = new ChangeLog(ctx.storage)
    this.#fanOut = new FanOut(ctx)
    this.#alarm = new EarliestAlarm(ctx, this.#log.version > 0)
  }

  /** Opens the stream socket of a listener, or refuses it with a {@link ListenRefusalStatus}. */
  fetch(request: Request): Response {
    const listen = parseListenRequest(request)
    if (listen === undefined) {
      return refusal(ListenRefusalStatus.malformed, 'Not a request for a stream socket')
    }
    const subject = listen.subject ?? `${ANONYMOUS}${listen.network ?? ''}`
    if (this.#counts.count(undefined, listen.perShard) >= listen.perShard) {
      return refusal(ListenRefusalStatus.hubFull, 'The hub is full')
    }
    if (this.#counts.count(subject, listen.perSubject) >= listen.perSubject) {
      return refusal(ListenRefusalStatus.subjectFull, 'The caller has reached its listener limit')
    }
    const { 0: theirs, 1: ours } = new WebSocketPair()
    // Nothing here awaits, and neither does `publish` between storing a change and giving it to the fan-out, so
    // each change is either in the backlog or sent to the accepted socket, never both.
    const { began, changes } = this.#log.after(listen.since, listen.kinds, listen.subject)
    this.#fanOut.accept(ours, [...listen.kinds, subject], changes)
    this.#counts.add(subject)
    const headers = { [BEGAN_HEADER]: String(began) }
    return new Response(null, { status: 101, webSocket: theirs, headers })
  }

  /**
   * The version up to which the connected listeners have been sent every change, 0 before the first. A session saves
   * it as its position, so a later change must not be below it when the Worker of the session is lost.
   */
  version(): number {
    const { firstWaiting } = this.#fanOut
    return firstWaiting === undefined ? this.#log.version : firstWaiting - 1
  }

  /**
   * Stores a change, sends it to the listeners of its kind and subject, and returns their number. Changes that
   * are published at the same time are sent together. The platform holds back what an object sends until its
   * writes are durable, so no listener receives a change that could be lost. A change of a kind that only a
   * newer Worker knows is not stored: it could not be read back.
   *
   * @param published its `subject`, if any, is a `subjectKey`
   * @param retentionMs how long the change is stored at least
   */
  async publish(published: PublishedMessage, retentionMs: number): Promise<number> {
    const { server, ...change } = published
    if (!isChangeKind(change.kind)) return 0
    const retainUntil = Date.now() + retentionMs
    const version = this.#log.append(change, retainUntil, server)
    const isOwn = change.subject !== undefined
    this.#alarm.wakeAt(retainUntil)
    return await this.#fanOut.send({ version, change, isOwn, server })
  }

  /** Deletes expired changes. Runs once per retention period, however many changes there are. */
  async alarm(): Promise<void> {
    this.#alarm.reset()
    const due = this.#log.prune(Date.now())
    if (due !== undefined) this.#alarm.wakeAt(due)
  }

  /** How many listeners a subject has on this shard; undefined: all of them. */
  countListeners(subject: string | undefined): number {
    return this.ctx.getWebSockets(subject).length
  }

  webSocketClose(socket: WebSocket): void {
    closeIfOpen(socket, NORMAL_CLOSURE)
  }

  webSocketError(socket: WebSocket): void {
    closeIfOpen(socket, NORMAL_CLOSURE)
  }
}

function refusal(status: number, message: string): Response {
  return new Response(message, { status })
}
