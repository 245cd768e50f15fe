/** What the rounds of one run have asked and sent, so that the next round does not send it again. */

import { fingerprint } from '../../platform/fnv.ts'
import { isJsonObject, isTextList, type JsonObject, type JsonValue } from '../../protocol/json.ts'

/** Plain JSON: it is stored beside the journal, or sealed with it. */
export interface SentRecord {
  /** Keys of the asks of the last round: they distinguish a changed order from a first ask. */
  readonly asked: readonly string[]
  /** The last progress value. */
  readonly progress: number | undefined
  /** Fingerprints of the log messages. */
  readonly logs: readonly string[]
  /** The last answers that did not fit, by key: a fingerprint, and how often this answer was given. */
  readonly misfits?: Readonly<Record<string, MisfitRecord>> | undefined
  /** The number of rounds in which asks without a key differed from those of the round before. */
  readonly changedRounds?: number | undefined
}

export interface MisfitRecord {
  readonly print: string
  readonly count: number
}

export const NOTHING_SENT: SentRecord = { asked: [], progress: undefined, logs: [] }

/** Log messages that are recorded for one run. A later round may repeat any beyond them. */
const MAX_LOGS = 200

/**
 * The progress and log messages of one round, compared with those of the earlier rounds.
 *
 * Log messages are compared by content, not by number: a round may skip a message that an earlier
 * round sent (inside a step), and must still send its new ones.
 */
export class SentMessages {
  #progress: number | undefined
  readonly #logs: string[]
  /** Sent by earlier rounds and not repeated in this round yet. */
  readonly #outstanding: string[]

  constructor({ progress, logs }: SentRecord = NOTHING_SENT) {
    this.#progress = progress
    this.#logs = [...logs]
    this.#outstanding = [...logs]
  }

  /** Whether a progress value is higher than all before it; if so, it counts as sent. */
  addProgress(progress: number): boolean {
    if (this.#progress !== undefined && progress <= this.#progress) return false
    this.#progress = progress
    return true
  }

  /** Whether an earlier round has not sent this log message; if so, it counts as sent. */
  addLog(params: JsonObject): boolean {
    const print = logFingerprint(params)
    const at = this.#outstanding.indexOf(print)
    if (at !== -1) {
      this.#outstanding.splice(at, 1)
      return false
    }
    if (this.#logs.length < MAX_LOGS) this.#logs.push(print)
    return true
  }

  /** @param asked the keys of this round's asks */
  toRecord(asked: readonly string[]): SentRecord {
    return { asked, progress: this.#progress, logs: this.#logs }
  }
}

/**
 * Restores the record of an interrupted run from the messages in its log.
 *
 * @param earlier the record of the rounds before the interrupted one
 * @param messages JSON texts of all notifications of this run that the log still holds
 */
export function restoreSentRecord(earlier: SentRecord, messages: readonly string[]): SentRecord {
  let { progress } = earlier
  const logs: string[] = []
  for (const text of messages) {
    const { method, params } = JSON.parse(text) as { method?: unknown; params?: unknown }
    if (!isJsonObject(params)) continue
    if (method === 'notifications/progress' && typeof params.progress === 'number') {
      progress = Math.max(progress ?? params.progress, params.progress)
    }
    if (method === 'notifications/message') logs.push(logFingerprint(params))
  }
  return { ...earlier, progress, logs: logs.length > 0 ? logs : earlier.logs }
}

/** Undefined for a value that is not a record. */
export function parseSentRecord(value: JsonValue | undefined): SentRecord | undefined {
  if (!isJsonObject(value)) return undefined
  const { asked, progress, logs, misfits, changedRounds } = value
  if (!isTextList(asked) || !isTextList(logs)) return undefined
  return (progress === undefined || typeof progress === 'number') &&
    (misfits === undefined || isMisfits(misfits)) &&
    (changedRounds === undefined || typeof changedRounds === 'number')
    ? { asked, progress, logs, misfits, changedRounds }
    : undefined
}

function isMisfits(value: JsonValue): value is JsonObject & NonNullable<SentRecord['misfits']> {
  const isRecord = (item: unknown) =>
    isJsonObject(item) && typeof item.print === 'string' && typeof item.count === 'number'
  return isJsonObject(value) && Object.values(value).every(isRecord)
}

function logFingerprint(params: JsonObject): string {
  return fingerprint(JSON.stringify(params))
}
