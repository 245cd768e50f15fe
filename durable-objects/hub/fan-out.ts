/**
 * Sends the changes of one hub shard to its listeners. What is published while the object is busy is sent together:
 * a message costs a listener as much with several changes as with one.
 *
 * Nothing is merged here: changes would leave the hub in another order than that of their numbers, and a session could
 * save a position after a change that it has not received. Publishers wait until their change was sent, so a storm is
 * slowed to what the shard can send.
 */
import type { Change } from '../../src/ports/change-kinds.ts'
import { sendIfOpen } from '../stream-socket.ts'
import type { LoggedChange } from './change-log.ts'
import { changesText, loggedChangeText } from './hub-wire.ts'

/** So many changes are sent at once, so that many publishers at the same time need little memory. */
const MAX_WAITING = 64

/** Changes are sent together up to this length, in UTF-16 code units. */
const MAX_BATCH_LENGTH = 64 * 1024

export class FanOut {
  readonly #ctx: DurableObjectState
  #waiting: { readonly logged: LoggedChange; readonly sent: (listeners: number) => void }[] = []

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx
  }

  /**
   * Accepts a listener, and sends it the changes that it has missed.
   *
   * @param tags its kinds, and its subject or network
   */
  accept(socket: WebSocket, tags: string[], missed: readonly LoggedChange[]): void {
    // What waits is older than this listener, which has it among the missed changes or begins after it.
    this.#flush()
    this.#ctx.acceptWebSocket(socket, tags)
    sendTexts(socket, missed.map(loggedChangeText))
  }

  /** The version of the first change that the listeners have not been sent; undefined when none waits. */
  get firstWaiting(): number | undefined {
    return this.#waiting[0]?.logged.version
  }

  /** Sends a change with all others that wait, and returns the number of its listeners. */
  send(logged: LoggedChange): Promise<number> {
    return new Promise((sent) => {
      const waiting = this.#waiting.push({ logged, sent })
      if (waiting === MAX_WAITING) this.#flush()
      else if (waiting === 1) setTimeout(() => this.#flush())
    })
  }

  #flush(): void {
    const waiting = this.#waiting
    if (waiting.length === 0) return
    this.#waiting = []
    const [only] = waiting
    if (only !== undefined && waiting.length === 1) {
      const text = loggedChangeText(only.logged)
      const listeners = this.#listenersOf(only.logged.change)
      for (const socket of listeners) sendIfOpen(socket, text)
      only.sent(listeners.length)
      return
    }
    const texts = new Map<WebSocket, string[]>()
    for (const { logged, sent } of waiting) {
      const text = loggedChangeText(logged)
      const listeners = this.#listenersOf(logged.change)
      for (const socket of listeners) {
        const known = texts.get(socket)
        if (known === undefined) texts.set(socket, [text])
        else known.push(text)
      }
      sent(listeners.length)
    }
    for (const [socket, own] of texts) sendTexts(socket, own)
  }

  #listenersOf({ kind, subject }: Change): WebSocket[] {
    if (subject === undefined) return this.#ctx.getWebSockets(kind)
    return this.#ctx
      .getWebSockets(subject)
      .filter((socket) => this.#ctx.getTags(socket).includes(kind))
  }
}

function sendTexts(socket: WebSocket, texts: readonly string[]): void {
  for (const message of batches(texts)) sendIfOpen(socket, message)
}

/** Joins changes to messages that are not much longer than the limit. */
function* batches(texts: readonly string[]): Generator<string> {
  let batch: string[] = []
  let length = 0
  for (const text of texts) {
    batch.push(text)
    length += text.length
    if (length < MAX_BATCH_LENGTH) continue
    yield changesText(batch)
    batch = []
    length = 0
  }
  if (batch.length > 0) yield changesText(batch)
}
