/**
 * Published changes and their listeners. A change notification carries a URI alone, so the publications
 * of one topic, which are sequential, use its URIs in turn: the URI then tells which publication it is.
 */
import type { ClientLedger } from './ledger.ts'

const URIS_PER_TOPIC = 16

/** A listener may miss this many unacknowledged publications in a row. More of a distance is a step back. */
const MAX_SKIPPED = 10

export class Topic {
  readonly uris: readonly string[]
  /** Whether each publication was acknowledged. */
  readonly #publications: boolean[] = []
  #isUnderWay = false

  /** @param name letters, digits and `-` */
  constructor(name: string) {
    const turns = Array.from({ length: URIS_PER_TOPIC }, (_, turn) => turn)
    this.uris = turns.map((turn) => `probe://item/${name}-${turn}`)
  }

  /** The number of publications that were sent. */
  get length(): number {
    return this.#publications.length
  }

  /** The first publication that a listener from now on may receive: one that is under way counts. */
  get present(): number {
    return this.#isUnderWay ? this.length - 1 : this.length
  }

  uriOf(publication: number): string {
    return this.uris[publication % URIS_PER_TOPIC] ?? ''
  }

  isAcknowledged(publication: number): boolean {
    return this.#publications[publication] === true
  }

  /** Begins a publication and returns its number. */
  publish(): number {
    this.#isUnderWay = true
    return this.#publications.push(false) - 1
  }

  /** The publication under way has ended: acknowledged, or with an unknown result. */
  finish(publication: number, isAcknowledged: boolean): void {
    this.#publications[publication] = isAcknowledged
    this.#isUnderWay = false
  }
}

export class TopicListener {
  readonly #ledger: ClientLedger
  readonly #topic: Topic
  readonly #missing = new Set<number>()
  /** The first publication that may still come. */
  #next: number
  /** Acknowledged publications from this one on are promised. */
  #promisedFrom = Number.POSITIVE_INFINITY
  #receivedSincePromise = 0
  /** Any number of publications may have been skipped, more than the turns of the URIs tell. */
  #isExcused = false

  /** Created when the subscription is sent. Nothing is promised until it is acknowledged. */
  constructor(ledger: ClientLedger, topic: Topic) {
    this.#ledger = ledger
    this.#topic = topic
    this.#next = topic.present
  }

  /** The subscription was acknowledged. */
  acknowledged(): void {
    this.#promisedFrom = this.#topic.length
  }

  /** The changes until now are not promised any more: their stream had no event id to resume from. */
  excuse(): void {
    this.#isExcused = true
    if (this.#promisedFrom === Number.POSITIVE_INFINITY) return
    this.#promisedFrom = Math.max(this.#promisedFrom, this.#topic.length)
  }

  /** The stream has ended and cannot be resumed: what it skipped is lost, and what is outstanding is not. */
  close(): void {
    this.#accuse([...this.#missing])
  }

  receive(uri: string): void {
    this.#ledger.count('messages checked')
    const turn = this.#topic.uris.indexOf(uri)
    if (turn === -1) {
      this.#ledger.violation('foreign-message', `A change of ${uri}, which is not subscribed`)
      return
    }
    const newest = this.#topic.length - 1
    const latest = newest - ((newest - turn + URIS_PER_TOPIC) % URIS_PER_TOPIC)
    if (this.#isExcused && latest >= this.#next) {
      this.#isExcused = false
      this.#receiveAt(latest)
      return
    }
    const distance = (turn - (this.#next % URIS_PER_TOPIC) + URIS_PER_TOPIC) % URIS_PER_TOPIC
    const ahead = this.#next + distance
    if (distance <= MAX_SKIPPED && ahead < this.#topic.length) this.#receiveAt(ahead)
    else this.#receivePast(ahead - URIS_PER_TOPIC, uri)
  }

  /** Whether each promised publication came. */
  get isComplete(): boolean {
    return this.#outstanding().length === 0
  }

  /** Everything that is promised should have come by now. */
  settle(): void {
    const lost = this.#outstanding()
    this.#missing.clear()
    // What was not acknowledged may still come, when the stream opens.
    this.excuse()
    this.#accuse(lost)
  }

  #receiveAt(publication: number): void {
    for (let skipped = this.#next; skipped < publication; skipped++) {
      if (this.#isPromised(skipped)) this.#missing.add(skipped)
    }
    this.#next = publication + 1
    if (publication >= this.#promisedFrom) this.#receivedSincePromise++
  }

  #receivePast(publication: number, uri: string): void {
    if (this.#missing.delete(publication)) {
      const text = `${this.#name(publication)} came after ${this.#name(this.#next - 1)}`
      this.#ledger.violation('reordered-message', text)
    } else {
      this.#ledger.violation('duplicated-message', `The change of ${uri} came twice`)
    }
  }

  #accuse(lost: readonly number[]): void {
    if (lost.length === 0) return
    const kind = this.#receivedSincePromise === 0 ? 'silent-subscription' : 'lost-message'
    const names = lost.map((publication) => this.#name(publication)).join(', ')
    this.#ledger.violation(kind, `${lost.length} acknowledged changes never came: ${names}`)
  }

  #outstanding(): number[] {
    const outstanding = [...this.#missing]
    for (let at = this.#next; at < this.#topic.length; at++) {
      if (this.#isPromised(at)) outstanding.push(at)
    }
    return outstanding
  }

  #isPromised(publication: number): boolean {
    return publication >= this.#promisedFrom && this.#topic.isAcknowledged(publication)
  }

  #name(publication: number): string {
    return `publication ${publication} (${this.#topic.uriOf(publication)})`
  }
}
