/**
 * The lines of a session: hibernatable WebSockets, each the tail of one stream. What an eviction must
 * not take stands in their tags and attachments, so an idle line costs no object duration.
 */
import type { ChangePosition } from '../../src/ports/change-bus.ts'
import type { ChangeFilter, StreamKind, StreamReadRequest } from '../../src/ports/sessions.ts'
import { CloseCode, eventText, primaryText, SECONDARY_TEXT } from './stream-wire.ts'

export { CloseCode } from './stream-wire.ts'

/** The tag of all lines that may carry news. */
const CARRIERS = 'carriers'

interface Attachment {
  readonly stream: string
  readonly kind: StreamKind
  /** A later line has a higher one. */
  readonly order: number
  /** Where its news began. */
  readonly since: ChangePosition | undefined
}

/** What a session wants to hear of. */
type Wanted = Pick<ChangeFilter, 'uris' | 'elicitations'>

/** How long a line may take to go by what it was told; a dead one must hold nobody up. */
const ATTENDING_TIMEOUT_MS = 1000

export class StreamSockets {
  readonly #ctx: DurableObjectState
  #version = 0
  #informed: { readonly version: number; readonly resolve: () => void }[] = []

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx
  }

  /** Opens a line, in place of any other on the same stream, and returns the reader's end of it. */
  accept({ stream, kind, since }: StreamReadRequest, maxCarriers: number): Accepted {
    const superseded = this.#of(stream)
    const carries = kind !== 'answer'
    const carriers = this.changeSockets.filter((socket) => !superseded.includes(socket))
    const { 0: theirs, 1: ours } = new WebSocketPair()
    this.#ctx.acceptWebSocket(ours, carries ? [stream, CARRIERS] : [stream])
    // Without storage there is no counter: the clock orders lines, and those of one moment by number.
    const order = Math.max(Date.now(), ...carriers.map((socket) => attachmentOf(socket).order + 1))
    attach(ours, { stream, kind, order, since })
    for (const socket of superseded) this.end(socket, CloseCode.superseded)
    // Nobody is locked out: a client that has lost count of its streams loses the oldest.
    const excess = carries ? carriers.slice(Math.max(0, maxCarriers - 1)) : []
    for (const socket of excess) this.end(socket, CloseCode.superseded)
    return { theirs, ours }
  }

  /** Newest first. */
  get changeSockets(): WebSocket[] {
    return this.#ctx
      .getWebSockets(CARRIERS)
      .filter(isOpen)
      .sort((a, b) => attachmentOf(b).order - attachmentOf(a).order)
  }

  has(stream: string): boolean {
    return this.#of(stream).length > 0
  }

  send(stream: string, seq: number, data: string): void {
    for (const socket of this.#of(stream)) this.sendTo(socket, seq, data)
  }

  sendTo(socket: WebSocket, seq: number, data: string): void {
    sendQuietly(socket, eventText(seq, data))
  }

  /** Ends the lines of a stream; false where there are none. */
  close(stream: string, why: CloseCode): boolean {
    const sockets = this.#of(stream)
    for (const socket of sockets) this.end(socket, why)
    return sockets.length > 0
  }

  closeAll(why: CloseCode): void {
    for (const socket of this.#ctx.getWebSockets()) this.end(socket, why)
  }

  end(socket: WebSocket, why: CloseCode): void {
    try {
      socket.close(why)
    } catch {
      // It is closed already.
    }
  }

  /** Makes the newest line the one that carries news, and tells the others that they do not. */
  electPrimary(interests: Wanted, since: ChangePosition | undefined): void {
    const [primary, ...others] = this.changeSockets
    if (primary === undefined) return
    const known = [primary, ...others].map((socket) => attachmentOf(socket).since)
    const from = since ?? known.find((position) => position !== undefined)
    sendQuietly(primary, primaryText({ ...interests, since: from, version: ++this.#version }))
    for (const socket of others) sendQuietly(socket, SECONDARY_TEXT)
  }

  /** Tells the line that carries news what to look out for, and resolves when it does. */
  async updateFilter(interests: Wanted): Promise<void> {
    const [primary] = this.changeSockets
    if (primary === undefined) return
    const version = ++this.#version
    sendQuietly(primary, primaryText({ ...interests, since: undefined, version }))
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ATTENDING_TIMEOUT_MS)
      this.#informed.push({
        version,
        resolve: () => {
          clearTimeout(timer)
          resolve()
        },
      })
    })
  }

  /** The line that carries news goes by this, and by all that was said before. */
  filterApplied(version: number): void {
    const [done, waiting] = [
      this.#informed.filter((one) => one.version <= version),
      this.#informed.filter((one) => one.version > version),
    ]
    this.#informed = waiting
    for (const { resolve } of done) resolve()
  }

  setSince(socket: WebSocket, since: ChangePosition): void {
    attach(socket, { ...attachmentOf(socket), since })
  }

  streamOf(socket: WebSocket): { readonly stream: string; readonly kind: StreamKind } {
    return attachmentOf(socket)
  }

  #of(stream: string): WebSocket[] {
    return this.#ctx.getWebSockets(stream).filter(isOpen)
  }
}

interface Accepted {
  readonly theirs: WebSocket
  readonly ours: WebSocket
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

function sendQuietly(socket: WebSocket, text: string): void {
  try {
    socket.send(text)
  } catch {
    // It is gone; whoever comes back finds the event in the log.
  }
}
