/** An ask: its request, the capability that the client needs, and how its answer is read. */

import { fingerprint } from '../../../platform/fingerprint.ts'
import type { ClientCapabilities } from '../../../protocol/capabilities.ts'
import { hasCapability } from '../../../protocol/capabilities.ts'
import type { JsonObject } from '../../../protocol/json.ts'

export interface Ask<Answer> {
  readonly kind: 'elicit' | 'sample' | 'roots' | 'ping' | 'task'
  readonly method: string
  readonly params: JsonObject
  /** The capabilities that the client must declare, in the form in which it declares them. */
  readonly requires: JsonObject
  readonly canAnswer: (capabilities: ClientCapabilities) => boolean
  /** Converts an answer to the type that the handler receives. One that does not fit is asked for again. */
  readonly read: (answer: unknown) => Promise<ReadAnswer<Answer> | Misfit>
}

/** Why an answer does not fit its ask. The text is part of the message when it is asked again. */
export interface Misfit {
  readonly misfit: string
}

export interface ReadAnswer<Answer> {
  readonly value: Answer
  /** The members of the answer that the journal stores. Unknown members are dropped. */
  readonly kept: JsonObject
}

export function isMisfit(read: object): read is Misfit {
  return 'misfit' in read
}

export function declares(...path: string[]): (capabilities: ClientCapabilities) => boolean {
  return (capabilities) => hasCapability(capabilities, path)
}

/**
 * Derives a key for an ask without one: from its kind, its index among the asks of this kind, and its
 * content, so that an answer is never matched with another ask.
 */
export function deriveKey({ kind, params }: Ask<unknown>, place: number): string {
  return `${kind}-${place}-${fingerprint(JSON.stringify(params))}`
}
