/** One ask as it goes out: the request for the client, what the client must be able to do, and how its answer is read. */
import type { ClientCapabilities } from '../../protocol/capabilities.ts'
import { hasCapability } from '../../protocol/capabilities.ts'
import type { JsonObject } from '../../protocol/json.ts'

export interface Question<Answer> {
  readonly kind: 'elicit' | 'sample' | 'roots'
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list'
  readonly params: JsonObject
  /** What a client must have declared, as it would declare it. */
  readonly requires: JsonObject
  readonly canAnswer: (capabilities: ClientCapabilities) => boolean
  /** The answer in the author's shape, or undefined where it does not fit and must be asked again. */
  readonly read: (answer: unknown) => Promise<{ readonly value: Answer } | undefined>
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

/** FNV-1a over UTF-16 code units, twice with different starts: 64 bits against accidents, not attacks. */
function fingerprint(text: string): string {
  let low = 0x811c9dc5
  let high = 0x01000193
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    low = Math.imul(low ^ code, 0x01000193)
    high = Math.imul(high ^ code, 0x01000193) + at
  }
  return [low, high].map((part) => (part >>> 0).toString(16).padStart(8, '0')).join('')
}
