/** The rows of a run: its request, its state and its journal. The asks have rows of their own. */
import {
  Journal,
  type JournalEntry,
  type JournalKeeper,
} from '../../src/dispatch/journal/journal.ts'
import { NOTHING_SENT, type SentRecord } from '../../src/dispatch/journal/sent-record.ts'
import type { SessionPost } from '../../src/ports/sessions.ts'
import type { JsonObject, JsonValue } from '../../src/protocol/json.ts'
import type { RequestMessage } from '../../src/protocol/json-rpc.ts'
import { withoutSecretLines } from '../header-lines.ts'
import { entriesByKind } from '../run/journal-entries.ts'
import type { RunState } from '../run/run-state.ts'
import { journalKey, requestKey } from './row-keys.ts'
import type { AskRow, JournalKind, RunRow, WaitRow } from './schema.ts'
import type { SessionStorage } from './session-storage.ts'

/** A request with everything that its handler may read. */
export interface RunRequest extends Omit<RequestMessage, 'kind'> {
  readonly sessionId: string
  readonly headers: SessionPost['headers']
  readonly origin?: SessionPost['origin']
  readonly recorded?: SessionPost['recorded']
  /** Whether it may run again after an interruption. Absent: the definition says so. */
  readonly isRepeatable?: boolean
}

/** The id of a request as JSON, because one session distinguishes `1` from `"1"`. */
export function requestIdText({ id }: Pick<RunRequest, 'id'>): string {
  return JSON.stringify(id)
}

export function insertRun(
  storage: SessionStorage,
  id: string,
  stream: string,
  request: RunRequest,
  caller: string | null,
  journal: Iterable<readonly [string, JournalEntry]>,
): void {
  const text = JSON.stringify({ ...request, headers: withoutSecretLines(request.headers) })
  storage.statements.insertRun({
    id,
    stream_id: stream,
    request_id: requestIdText(request),
    request: storage.write(requestKey(id), text),
    sent: JSON.stringify(NOTHING_SENT),
    caller,
  })
  for (const [key, { kind, value }] of journal) writeEntry(storage, id, key, kind, value)
}

export function readRequest(storage: SessionStorage, { id, request }: RunRow): RunRequest {
  return JSON.parse(storage.read(requestKey(id), request)) as RunRequest
}

/** @param asks the open asks of the run, and what else it waits for */
export function readState(
  { state: name, rounds, interruptions }: RunRow,
  { asks, waits }: { readonly asks: readonly AskRow[]; readonly waits: readonly WaitRow[] },
): RunState {
  // A row is read only when no handler of its run is in memory.
  if (name === 'running') return { name: 'interrupted', rounds, interruptions }
  if (name === 'ready') return { name, rounds, interruptions, wasInterrupted: true }
  const openAsks = [...asks, ...waits].map(({ key }) => key)
  // A wait ends by itself, and with it the waiting of the run.
  const ends = waits.length > 0 ? [] : asks.map(({ expires_at }) => expires_at)
  return { name, rounds, interruptions, openAsks, expiresAt: Math.min(...ends) }
}

export function readSent({ sent }: RunRow): SentRecord {
  return JSON.parse(sent) as SentRecord
}

export function readJournal(
  storage: SessionStorage,
  runId: string,
  sent: SentRecord,
  keeper: JournalKeeper,
): Journal {
  const kinds = ['answer', 'step', 'refusal', 'wait', 'fresh'] as const
  const { answer, step, refusal, wait, fresh } = readEntries(storage, runId, kinds)
  const state = { answers: answer, steps: step, refusals: refusal, waits: wait, sent }
  return new Journal(state, fresh, keeper)
}

/** The recorded responses that no handler has read. */
export function readUnread(storage: SessionStorage, runId: string): JsonObject {
  return readEntries(storage, runId, ['fresh']).fresh
}

function readEntries<Kind extends JournalKind>(
  storage: SessionStorage,
  runId: string,
  kinds: readonly Kind[],
): Readonly<Record<Kind, JsonObject>> {
  return entriesByKind(storage.statements.journal(runId), kinds, ({ key, value }) =>
    storage.read(journalKey(runId, key), value),
  )
}

export function writeEntry(
  storage: SessionStorage,
  runId: string,
  key: string,
  kind: JournalKind,
  value: JsonValue,
): void {
  const text = storage.replace(journalKey(runId, key), JSON.stringify(value))
  storage.statements.writeJournal(runId, { key, kind, value: text })
}
