/** One run of a handler, as the members of its context see it. */
import type { Codec } from '../protocol/codec/codec.ts'
import type { Definition } from '../server/definition.ts'
import type { Call } from './call.ts'
import type { Journal } from './journal/journal.ts'
import { SentMessages } from './journal/sent-record.ts'
import { Suspension } from './journal/suspension.ts'
import type { Interruptible } from './settle.ts'

/** Where a handler runs, besides its call. */
export interface RunPlace {
  /** The definition of its tool; undefined for a handler of any other kind. */
  readonly definition?: Definition
  /** The run whose handler has called the tool of this one; undefined for a request of the client. */
  readonly outer?: HandlerRun
}

export class HandlerRun implements Interruptible {
  readonly call: Call
  readonly codec: Codec
  readonly options: RunOptions
  readonly place: RunPlace
  /** That of the earlier rounds; in the first one undefined until the first ask, step or call of the handler. */
  journal: Journal | undefined
  #isClosed = false
  #onInterrupt: ((reason: Error) => void) | undefined
  #interrupted: Error | undefined
  #sentMessages: SentMessages | undefined
  #parts: Map<unknown, unknown> | undefined
  #onClose: (() => void)[] | undefined

  constructor(
    call: Call,
    codec: Codec,
    options: RunOptions,
    journal: Journal | undefined,
    place: RunPlace = {},
  ) {
    this.call = call
    this.codec = codec
    this.options = options
    this.place = place
    this.journal = journal
  }

  /** The progress and log messages of this round: one record for a run and the runs inside it. */
  get sent(): SentMessages {
    this.#sentMessages ??= this.place.outer?.sent ?? new SentMessages(this.journal?.sent)
    return this.#sentMessages
  }

  /** The messages to which the handler may add; undefined after the answer. */
  get sendable(): SentMessages | undefined {
    return this.#isClosed ? undefined : this.sent
  }

  /** The same for progress, which is that of the request: a run inside another one reports none. */
  get reportable(): SentMessages | undefined {
    return this.place.outer === undefined ? this.sendable : undefined
  }

  /** Whether no further round of the call can follow. */
  get isOver(): boolean {
    return !(this.#interrupted instanceof Suspension)
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Returns what `create` returns for this run, which is created once. */
  part<Part>(create: (run: HandlerRun) => Part): Part {
    this.#parts ??= new Map()
    const known = this.#parts.get(create)
    if (known !== undefined) return known as Part
    const created = create(this)
    this.#parts.set(create, created)
    return created
  }

  /** Ends the run from outside the handler. */
  interrupt(reason: Error): void {
    this.#interrupted = reason
    this.#onInterrupt?.(reason)
  }

  onInterrupt(listener: (reason: Error) => void): void {
    if (this.#interrupted === undefined) this.#onInterrupt = listener
    else listener(this.#interrupted)
  }

  /** Calls the listener after the answer, immediately if it was sent. */
  onClose(listener: () => void): void {
    if (this.#isClosed) listener()
    else if (this.#onClose === undefined) this.#onClose = [listener]
    else this.#onClose.push(listener)
  }

  /** After the answer the handler can neither send nor ask. */
  close(): void {
    this.#isClosed = true
    for (const listener of this.#onClose ?? []) listener()
  }
}

/** The settings of a definition that apply to its runs. */
export interface RunOptions {
  /** Undefined: the limit `handlerTimeoutMs` applies. */
  readonly timeoutMs: number | undefined
  readonly singleUse: boolean
  /** Whether the handler may call `ctx.file`. */
  readonly files: boolean
}
