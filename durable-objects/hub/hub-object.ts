/** The Durable Object of one shard of the hub: who listens, what they are told and have missed. */
import { DurableObject } from 'cloudflare:workers'
import type { Change } from '../../src/ports/change-bus.ts'
import { answerHeartbeats } from '../stream-socket.ts'
import { ChangeLog } from './change-log.ts'
import {
  BEGAN_HEADER,
  ListenRefusalStatus,
  loggedChangeText,
  parseListenRequest,
} from './hub-wire.ts'

/** The tag of listeners without a subject; no kind and no subject key is spelt like it. */
const ANONYMOUS = '-'

/** Of how many subjects a count is remembered; above it all are counted anew. */
const MAX_REMEMBERED = 10_000

/**
 * One shard of the hub.
 *
 * Layout: one table of changes, numbered for ever and without holes, made by the first publication.
 * Each listener is a hibernatable WebSocket whose tags, which outlive an eviction, say which kinds
 * it wants and whose it is. Lifetime: a line lives as long as its socket; a change as long as its
 * publisher asked and at most as long again, unless 10,000 newer ones push it out. The object wakes
 * for a new line, a publication, the end of a line and to forget, and costs nothing in between,
 * however many listen; where nothing is kept nothing wakes it. Trade-off: a publication writes two
 * rows (the change, and the last number given out), so that whoever was away for a moment, or while
 * the process was killed, misses nothing. Whoever was away for longer is told so, and reads anew.
 */
export class McpHub extends DurableObject {
  /**
   * By tag, and by undefined for all: no fewer lines than are open. Counting means making a list of
   * them, so it is done when a tag is first met and when its number reaches a cap, not per line.
   */
  readonly #openAtMost = new Map<string | undefined, number>()
  readonly #log: ChangeLog

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env)
    answerHeartbeats(ctx)
    this.#log = new ChangeLog(ctx.storage)
  }

  /** Opens a line, or refuses it with a status of {@link ListenRefusalStatus}. */
  override fetch(request: Request): Response {
    const line = parseListenRequest(request)
    if (line === undefined)
      return refused(ListenRefusalStatus.malformed, 'Not a request for a line')
    const subject = line.subject ?? ANONYMOUS
    const inAll = this.#count(undefined, line.perShard)
    if (inAll >= line.perShard) return refused(ListenRefusalStatus.hubFull, 'The hub is full')
    const ofSubject = this.#count(subject, line.perSubject)
    if (ofSubject >= line.perSubject) {
      return refused(ListenRefusalStatus.subjectFull, 'This subject has as many lines as it may')
    }
    const { 0: theirs, 1: ours } = new WebSocketPair()
    // Nothing here awaits, and neither does a publication between storing and telling: so each is
    // either in the backlog or told on the accepted line, and never both.
    const { began, changes } = this.#log.after(line.since, line.kinds, line.subject)
    this.ctx.acceptWebSocket(ours, [...line.kinds, subject])
    for (const each of changes) sendQuietly(ours, loggedChangeText(each))
    this.#openAtMost.set(undefined, inAll + 1).set(subject, ofSubject + 1)
    const headers = { [BEGAN_HEADER]: String(began) }
    return new Response(null, { status: 101, webSocket: theirs, headers })
  }

  /** The version of the newest change, 0 before the first. */
  version(): number {
    return this.#log.version
  }

  /**
   * Keeps a change, tells everybody who wants to hear of it, and returns how many those are. None
   * of them hears before it is on disk: the platform holds back what an object sends until then.
   *
   * @param change its `subject`, if any, spelt by `subjectKey`
   * @param keptMs for how long at least
   */
  async publish(change: Change, keptMs: number): Promise<number> {
    // Asked first: from here to the alarm nothing awaits, so that no change is kept without one.
    const alarm = await this.ctx.storage.getAlarm()
    const keptUntil = Date.now() + keptMs
    const version = this.#log.append(change, keptUntil)
    const text = loggedChangeText({ version, change })
    let told = 0
    for (const socket of this.#listenersOf(change)) {
      if (sendQuietly(socket, text)) told++
    }
    if (alarm === null) await this.ctx.storage.setAlarm(keptUntil)
    return told
  }

  /** Forgets in generations: once per time that changes are kept, however many there are. */
  override async alarm(): Promise<void> {
    const due = this.#log.prune(Date.now())
    if (due !== undefined) await this.ctx.storage.setAlarm(due)
  }

  override webSocketClose(socket: WebSocket): void {
    closeQuietly(socket)
  }

  override webSocketError(socket: WebSocket): void {
    closeQuietly(socket)
  }

  /** How many lines a tag has: exactly from `cap` on, and at most the number returned below it. */
  #count(tag: string | undefined, cap: number): number {
    const known = this.#openAtMost.get(tag)
    if (known !== undefined && known < cap) return known
    if (this.#openAtMost.size > MAX_REMEMBERED) this.#openAtMost.clear()
    const open = this.ctx.getWebSockets(tag).length
    this.#openAtMost.set(tag, open)
    return open
  }

  #listenersOf({ kind, subject }: Change): WebSocket[] {
    if (subject === undefined) return this.ctx.getWebSockets(kind)
    return this.ctx
      .getWebSockets(subject)
      .filter((socket) => this.ctx.getTags(socket).includes(kind))
  }
}

function refused(status: number, reason: string): Response {
  return new Response(reason, { status })
}

function sendQuietly(socket: WebSocket, text: string): boolean {
  try {
    socket.send(text)
    return true
  } catch {
    // Closing at this moment: its end is on the way to `webSocketClose`, and the others still hear.
    return false
  }
}

function closeQuietly(socket: WebSocket): void {
  try {
    socket.close(1000)
  } catch {
    // Already closed, which is what was wanted.
  }
}
