/** The run of a task: its request, its state and its journal, in memory and in rows. */
import { Cancellation } from '../../src/dispatch/cancellation.ts'
import {
  type EntryKind,
  Journal,
  type JournalKeeper,
  type JournalTransfer,
} from '../../src/dispatch/journal/journal.ts'
import { NOTHING_SENT, type SentRecord } from '../../src/dispatch/journal/sent-record.ts'
import type { TaskAccess, TaskRequest } from '../../src/ports/tasks.ts'
import type { JsonValue } from '../../src/protocol/json.ts'
import { withoutSecretLines } from '../header-lines.ts'
import { hasRow, QUICK } from '../run/decide-run.ts'
import type { DrivenRun } from '../run/run-driver.ts'
import type { RunState } from '../run/run-state.ts'
import type { TaskRow, WaitRow } from './schema.ts'
import { REQUEST, type TaskStorage } from './task-storage.ts'

/** What the row of a new task needs besides its run. */
export interface TaskBirth {
  readonly ttlMs: number
  readonly pollIntervalMs: number
  readonly maxPollIntervalMs: number
  readonly access: TaskAccess | undefined
  /** The digest under which the task is listed; undefined for a task that is not. */
  readonly owner: string | undefined
}

export class TaskRun implements JournalKeeper, DrivenRun {
  readonly request: TaskRequest
  readonly cancellation = new Cancellation()
  /** Only a step that is recorded before it runs can be found interrupted. */
  readonly recordsStarts = true
  state: RunState
  sent: SentRecord
  auth: DrivenRun['auth']
  grant: DrivenRun['grant']
  definition: DrivenRun['definition']
  callerRecord: string | null = null
  /** Set before the run gets its row. */
  birth: TaskBirth | undefined
  /** Whether the handler has the URL of a webhook, which names the object of this run. */
  hasWebhook = false
  /** Called when a step is done. */
  onAdvance: () => void = () => undefined
  readonly #storage: TaskStorage
  readonly #transfer: JournalTransfer | undefined
  #journal: Journal | undefined

  constructor(
    storage: TaskStorage,
    request: TaskRequest,
    state: RunState = QUICK,
    sent: SentRecord = NOTHING_SENT,
    transfer?: JournalTransfer,
  ) {
    this.#storage = storage
    this.request = request
    this.state = state
    this.sent = transfer?.state.sent ?? sent
    this.#transfer = transfer && onlyAsked(transfer)
  }

  get journal(): Journal {
    this.#journal ??= this.#openJournal()
    return this.#journal
  }

  closeJournal(): void {
    this.#journal = undefined
  }

  get hasOpenJournal(): boolean {
    return this.#journal !== undefined
  }

  insertRow(): void {
    const { request, callerRecord, birth } = this
    if (birth === undefined) throw new TypeError('The terms of the task are not known')
    const { ttlMs, pollIntervalMs, maxPollIntervalMs, access, owner = null } = birth
    const text = JSON.stringify({ ...request, headers: withoutSecretLines(request.headers) })
    this.#storage.statements.insertTask({
      request: this.#storage.write(REQUEST, text),
      task_id: request.taskId,
      sent: JSON.stringify(this.sent),
      caller: callerRecord,
      owner,
      created_at: Date.now(),
      ttl_ms: ttlMs,
      poll_interval_ms: pollIntervalMs,
      max_poll_interval_ms: maxPollIntervalMs,
      access: access === undefined ? null : JSON.stringify(access),
    })
    this.#storage.writeJournal(this.journal.entries)
    for (const [key, value] of Object.entries(this.#transfer?.fresh ?? {})) {
      if (value !== undefined && this.#storage.statements.entry(key) === undefined) {
        this.#storage.writeEntry(key, 'fresh', value)
      }
    }
  }

  write(key: string, kind: EntryKind, value: JsonValue): void {
    if (!hasRow(this.state)) return
    this.#storage.transaction(() => this.#storage.writeEntry(key, kind, value))
    if (kind === 'step') this.onAdvance()
  }

  drop(key: string): void {
    if (hasRow(this.state)) this.#storage.transaction(() => this.#storage.dropEntry(key))
  }

  #openJournal(): Journal {
    if (!hasRow(this.state)) return new Journal(this.#transfer?.state, this.#transfer?.fresh, this)
    const { answer, step, refusal, wait, started, fresh } = this.#storage.readJournal()
    const state = {
      answers: answer,
      steps: step,
      refusals: refusal,
      waits: wait,
      started,
      sent: this.sent,
    }
    return new Journal(state, fresh, this)
  }
}

/**
 * The journal of earlier rounds without what its client was not asked: an answer under another key must not
 * end a wait, and is no entry of a job.
 */
function onlyAsked({ state, fresh }: JournalTransfer): JournalTransfer {
  const asked = new Set(state.sent.asked)
  const answers = Object.entries(fresh).filter(([key]) => asked.has(key))
  return { state, fresh: Object.fromEntries(answers) }
}

/** Reads a task that is not over from its rows. A row is read only when no handler is in memory. */
export function readTaskRun(
  storage: TaskStorage,
  row: TaskRow,
  waits: readonly WaitRow[],
): TaskRun {
  const request = storage.readRequest()
  const run = new TaskRun(
    storage,
    request,
    readState(row, waits),
    JSON.parse(row.sent) as SentRecord,
  )
  run.callerRecord = row.caller
  return run
}

function readState(
  { state, rounds, interruptions, created_at, ttl_ms }: TaskRow,
  waits: readonly WaitRow[],
): RunState {
  switch (state) {
    case 'running':
      return { name: 'interrupted', rounds, interruptions }
    case 'ready':
      return { name: state, rounds, interruptions, wasInterrupted: true }
    case 'waiting': {
      const openAsks = waits.map(({ key }) => key)
      return { name: state, rounds, interruptions, openAsks, expiresAt: created_at + ttl_ms }
    }
    default:
      return { name: state === 'cancelled' ? state : 'answered' }
  }
}
