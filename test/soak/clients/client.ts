/** What the clients of every era share: their server, their part of the ledger, and their caller. */
import type { send } from '../../faults/sessions/send.ts'
import type { CallContext } from '../calls.ts'
import type { EffectBook } from '../ledger/effect-book.ts'
import type { ClientLedger } from '../ledger/ledger.ts'
import type { Topic } from '../ledger/topics.ts'
import type { Random } from '../random.ts'
import type { Served } from '../served.ts'

/** The caller of a client: how its requests are authorized, and whose counters it sees. */
export interface Caller {
  readonly fetch: typeof send
  readonly effects: EffectBook
  /** Null without authorization. */
  readonly subject: string | null
}

export interface ClientSetting {
  readonly server: Served
  readonly ledger: ClientLedger
  readonly caller: Caller
  /** The topic that the client subscribes to. */
  readonly topic: Topic
  /** For the choices of its streams. Those of its operations have a generator for each worker. */
  readonly random: Random
}

/** One client of a soak. */
export interface SoakClient {
  readonly ledger: ClientLedger
  /** How many operations it performs at the same time. */
  readonly workers: number
  /** Connects before the first kill. */
  open(): Promise<void>
  /** Performs one operation that the generator chooses. */
  operate(random: Random): Promise<void>
  /** Waits until everything that is promised has arrived. No operation and no kill is under way. */
  settle(): Promise<void>
}

let lastId = 0

/** A request id that no other client of this process uses, so that a foreign message is recognized. */
export function nextId(): number {
  lastId++
  return lastId
}

export function callContext({ ledger, caller }: ClientSetting, random: Random): CallContext {
  return { id: nextId(), ledger, effects: caller.effects, random }
}
