/** One request while it runs or waits: what it is, and what of it is kept. */
import { Cancellation } from '../../src/dispatch/cancellation.ts'
import {
  EMPTY_STATE,
  Journal,
  type JournalKeeper,
  type JournalState,
} from '../../src/dispatch/journal/journal.ts'
import type { Outcome } from '../../src/dispatch/outcome.ts'
import type { SessionPost } from '../../src/ports/sessions.ts'
import type { JsonObject, JsonValue } from '../../src/protocol/json.ts'
import type { RequestMessage } from '../../src/protocol/json-rpc.ts'
import type { Delivery } from './delivery.ts'
import type { RunRow } from './schema.ts'
import type { SessionStorage } from './session-storage.ts'

/** Everything of a request that a handler may look at. */
export interface RunRequest extends Omit<RequestMessage, 'kind'> {
  readonly sessionId: string
  readonly auth: SessionPost['auth']
  readonly headers: SessionPost['headers']
}

/** What the rounds of a run have sent and asked, so that the next one does not repeat it. */
export type Memory = Pick<JournalState, 'asked' | 'sentProgress' | 'sentLogs'>

export class Run implements JournalKeeper {
  readonly id: string
  readonly request: RunRequest
  readonly delivery: Delivery
  readonly cancellation = new Cancellation()
  readonly journal: Journal
  readonly #storage: SessionStorage
  /** Whether it has a row: it outlives this object's memory. */
  #kept: boolean
  /** What became of it. */
  outcome: Outcome | undefined
  /** Cancelled by its client: it gets no answer. */
  silent = false

  constructor(
    storage: SessionStorage,
    request: RunRequest,
    delivery: Delivery,
    earlier?: { readonly id: string; readonly state: JournalState; readonly fresh: JsonObject },
  ) {
    this.#storage = storage
    this.request = request
    this.delivery = delivery
    this.id = earlier?.id ?? createRunId()
    this.#kept = earlier !== undefined
    this.journal = new Journal(earlier?.state, earlier?.fresh, this)
  }

  /** Makes it outlive this object's memory, with what it has obtained so far. */
  keep(): void {
    if (this.#kept) return
    this.#kept = true
    const { id, request, delivery } = this
    this.#storage.statements.insertRun({
      id,
      stream_id: delivery.stream,
      request_id: JSON.stringify(request.id),
      request: this.#storage.write(`run ${id}`, JSON.stringify(request)),
      memory: '{}',
    })
    const { answers, steps } = this.journal.toState([], undefined, [])
    for (const [key, value] of Object.entries(answers)) this.#write(key, 'answer', value)
    for (const [key, value] of Object.entries(steps)) this.#write(key, 'step', value)
  }

  write(key: string, kind: 'answer' | 'step' | 'refusal', value: JsonValue): void {
    if (this.#kept) this.#write(key, kind, value)
  }

  drop(key: string): void {
    if (this.#kept) this.#storage.statements.deleteJournal(this.id, key)
  }

  #write(key: string, kind: 'answer' | 'step' | 'refusal', value: JsonValue | undefined): void {
    writeEntry(this.#storage, this.id, key, kind, value ?? null)
  }
}

export function writeEntry(
  storage: SessionStorage,
  runId: string,
  key: string,
  kind: 'answer' | 'step' | 'refusal' | 'fresh',
  value: JsonValue,
): void {
  const text = storage.write(`journal ${runId} ${key}`, JSON.stringify(value))
  storage.statements.writeJournal(runId, { key, kind, value: text })
}

/** The request of a run that is kept. */
export function readRequest(storage: SessionStorage, { id, request }: RunRow): RunRequest {
  return JSON.parse(storage.read(`run ${id}`, request)) as RunRequest
}

/** Takes up a run that is kept, with all that it has obtained. */
export function resumeRun(
  storage: SessionStorage,
  row: RunRow,
  delivery: Delivery,
  memory: Memory,
): Run {
  const entries = { answer: {}, step: {}, refusal: {}, fresh: {} } as Record<
    'answer' | 'step' | 'refusal' | 'fresh',
    Record<string, JsonValue>
  >
  for (const { key, kind, value } of storage.statements.journal(row.id)) {
    entries[kind][key] = JSON.parse(storage.read(`journal ${row.id} ${key}`, value))
  }
  const { answer: answers, step: steps, refusal: refusals, fresh } = entries
  const state = { answers, steps, refusals, ...memory }
  return new Run(storage, readRequest(storage, row), delivery, { id: row.id, state, fresh })
}

export function readMemory({ memory }: RunRow): Memory {
  const { asked, sentProgress, sentLogs } = EMPTY_STATE
  return { asked, sentProgress, sentLogs, ...(JSON.parse(memory) as Partial<Memory>) }
}

/** Hexadecimal, so that no pattern of a query finds another meaning in it. */
export function createRunId(): string {
  return crypto.randomUUID().replaceAll('-', '')
}
