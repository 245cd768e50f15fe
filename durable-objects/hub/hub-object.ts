/** The Durable Object of one shard of the hub: who listens, and telling them. */
import { DurableObject } from 'cloudflare:workers'
import type { Change } from '../../src/ports/change-bus.ts'
import { changeText, LineStatus, PING, PONG, readLineRequest } from './hub-wire.ts'

/** The tag of listeners without a subject; no kind and no subject key is spelt like it. */
const ANONYMOUS = '-'

/** Of how many subjects a count is remembered; above it all are counted anew. */
const MAX_REMEMBERED = 10_000

/**
 * One shard of the hub.
 *
 * Layout: no storage. Each listener is a hibernatable WebSocket whose tags, which outlive an
 * eviction, say which kinds it wants and whose it is. Lifetime: as long as the socket; the object
 * wakes for a new line, a publication and the end of a line, and costs nothing in between, however
 * many listen. Trade-off: a publication is told to who listens now and to nobody later; whoever was
 * away reads the lists again when it comes back.
 */
export class McpHub extends DurableObject {
  /**
   * By tag, and by undefined for all: no fewer lines than are open. Counting means making a list of
   * them, so it is done when a tag is first met and when its number reaches a cap, not per line.
   */
  readonly #openAtMost = new Map<string | undefined, number>()

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env)
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG))
  }

  /** Opens a line, or refuses it with a status of {@link LineStatus}. */
  override fetch(request: Request): Response {
    const line = readLineRequest(request)
    if (line === undefined) return refused(LineStatus.malformed, 'Not a request for a line')
    const subject = line.subject ?? ANONYMOUS
    const inAll = this.#count(undefined, line.perShard)
    if (inAll >= line.perShard) return refused(LineStatus.hubFull, 'The hub is full')
    const ofSubject = this.#count(subject, line.perSubject)
    if (ofSubject >= line.perSubject) {
      return refused(LineStatus.subjectFull, 'This subject has as many lines as it may')
    }
    const { 0: theirs, 1: ours } = new WebSocketPair()
    this.ctx.acceptWebSocket(ours, [...line.kinds, subject])
    this.#openAtMost.set(undefined, inAll + 1).set(subject, ofSubject + 1)
    return new Response(null, { status: 101, webSocket: theirs })
  }

  /**
   * Tells everybody who wants to hear of a change, and returns how many those are.
   *
   * @param change its `subject`, if any, spelt by `subjectKey`
   */
  publish(change: Change): number {
    const text = changeText(change)
    let told = 0
    for (const socket of this.#listenersOf(change)) {
      if (sendQuietly(socket, text)) told++
    }
    return told
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
