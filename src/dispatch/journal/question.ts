/** One ask as it goes out: the request for the client, what the client must be able to do, and how its answer is read. */
import type { ClientCapabilities } from '../../protocol/capabilities.ts'
import { hasCapability } from '../../protocol/capabilities.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { fingerprint } from './fingerprint.ts'

export interface Question<Answer> {
  readonly kind: 'elicit' | 'sample' | 'roots' | 'ping'
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list' | 'ping'
  readonly params: JsonObject
  /** What a client must have declared, as it would declare it. */
  readonly requires: JsonObject
  readonly canAnswer: (capabilities: ClientCapabilities) => boolean
  /** The answer in the author's shape, or undefined where it does not fit and must be asked again. */
  readonly read: (answer: unknown) => Promise<ReadAnswer<Answer> | undefined>
}

export interface ReadAnswer<Answer> {
  readonly value: Answer
  /** What of the answer the journal keeps: its own members, and nothing that came beside them. */
  readonly kept: JsonObject
}

export function declares(...path: string[]): (capabilities: ClientCapabilities) => boolean {
  return (capabilities) => hasCapability(capabilities, path)
}

/**
 * A key for an ask that has none: its kind, its place among those of its kind, and its content, so
 * that an answer can never be taken for the answer to another question.
 */
export function deriveKey({ kind, params }: Question<unknown>, place: number): string {
  return `${kind}-${place}-${fingerprint(JSON.stringify(params))}`
}
