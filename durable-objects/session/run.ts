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
import { createId } from './create-id.ts'
import type { Delivery } from './delivery.ts'
import type { JournalKind, RunRow } from './schema.ts'
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
  #id: string | undefined
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
  cancelledByClient = false
  /** Nothing of it is kept any more, whatever its handler still does. */
  finished = false

  constructor(
    storage: SessionStorage,
    request: RunRequest,
    delivery: Delivery,
    earlier?: { readonly id: string; readonly state: JournalState; readonly fresh: JsonObject },
  ) {
    this.#storage = storage
    this.request = request
    this.delivery = delivery
    this.#id = earlier?.id
    this.#kept = earlier !== undefined
    this.journal = new Journal(earlier?.state, earlier?.fresh, this)
  }

  /** Its name where it is kept; made when it is needed, because most never are. */
  get id(): string {
    this.#id ??= createId()
    return this.#id
  }

  /** The id of its request, as one session tells them apart: `1` is not `"1"`. */
  get key(): string {
    return JSON.stringify(this.request.id)
  }

  get isPersisted(): boolean {
    return this.#kept
  }

  /** Makes it outlive this object's memory, with what it has obtained so far. */
  persist(): void {
    if (this.#kept) return
    this.#kept = true
    const { id, request, delivery } = this
    this.#storage.statements.insertRun({
      id,
      stream_id: delivery.stream,
      request_id: this.key,
      request: this.#storage.write(`run ${id}`, JSON.stringify(withoutSecrets(request))),
      memory: '{}',
    })
    const { answers, steps } = this.journal.toState([], undefined, [])
    for (const [key, value] of Object.entries(answers)) this.#write(key, 'answer', value)
    for (const [key, value] of Object.entries(steps)) this.#write(key, 'step', value)
  }

  write(key: string, kind: 'answer' | 'step' | 'refusal', value: JsonValue): void {
    if (this.#kept && !this.finished) this.#write(key, kind, value)
  }

  drop(key: string): void {
    if (this.#kept && !this.finished) this.#storage.statements.deleteJournal(this.id, key)
  }

  #write(key: string, kind: 'answer' | 'step' | 'refusal', value: JsonValue | undefined): void {
    writeEntry(this.#storage, this.id, key, kind, value ?? null)
  }
}

/** Headers that may lie in storage: anything else may be somebody's key. */
const KEPT_HEADERS = new Set([
  'accept-language',
  'cf-ipcountry',
  'cf-ray',
  'traceparent',
  'tracestate',
  'user-agent',
])

/** What a later round may know: the props of a token come with the request that answers. */
function withoutSecrets({ auth, headers, ...request }: RunRequest): RunRequest {
  const kept = headers
    .split('\n')
    .filter((line) => KEPT_HEADERS.has(line.slice(0, line.indexOf(':'))) || line.startsWith('mcp-'))
    .join('\n')
  if (auth === undefined) return { ...request, auth, headers: kept }
  const { props: _, ...principal } = auth
  return { ...request, auth: principal, headers: kept }
}

export function writeEntry(
  storage: SessionStorage,
  runId: string,
  key: string,
  kind: 'answer' | 'step' | 'refusal' | 'fresh',
  value: JsonValue,
): void {
  // What it replaces may have had more parts.
  storage.statements.deleteParts(`journal ${runId} ${key}`)
  const text = storage.write(`journal ${runId} ${key}`, JSON.stringify(value))
  storage.statements.writeJournal(runId, { key, kind, value: text })
}

/** The request of a run that is kept. */
export function readRequest(storage: SessionStorage, { id, request }: RunRow): RunRequest {
  return JSON.parse(storage.read(`run ${id}`, request)) as RunRequest
}

/**
 * Takes up a run that is kept, with all that it has obtained.
 *
 * @param auth of the request that brings it on: the same principal, with what its token knows today
 */
export function resumeRun(
  storage: SessionStorage,
  row: RunRow,
  delivery: Delivery,
  memory: Memory,
  auth: SessionPost['auth'],
): Run {
  const rows = storage.statements.journal(row.id)
  const entries = (wanted: JournalKind): JsonObject =>
    Object.fromEntries(
      rows
        .filter(({ kind }) => kind === wanted)
        .map(({ key, value }) => [
          key,
          JSON.parse(storage.read(`journal ${row.id} ${key}`, value)),
        ]),
    )
  const state = {
    answers: entries('answer'),
    steps: entries('step'),
    refusals: entries('refusal'),
    ...memory,
  }
  const request = readRequest(storage, row)
  const earlier = { id: row.id, state, fresh: entries('fresh') }
  return new Run(storage, { ...request, auth: auth ?? request.auth }, delivery, earlier)
}

export function readMemory({ memory }: RunRow): Memory {
  const { asked, sentProgress, sentLogs } = EMPTY_STATE
  return { asked, sentProgress, sentLogs, ...(JSON.parse(memory) as Partial<Memory>) }
}
