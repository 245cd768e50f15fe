/** The run of a task: what its row needs besides, and the journal of the rounds before it was a task. */
import {
  type EntryKind,
  Journal,
  type JournalTransfer,
} from '../../src/dispatch/journal/journal.ts'
import type { CalledTool, TaskAccess, TaskRequest } from '../../src/ports/tasks.ts'
import type { JsonValue } from '../../src/protocol/json.ts'
import { Run, type StoredRun } from '../run/run.ts'
import { TASK_RUN } from './schema.ts'
import type { TaskStorage } from './task-storage.ts'

/** What the row of a new task needs besides its run. */
export interface TaskBirth {
  readonly ttlMs: number
  readonly pollIntervalMs: number
  readonly maxPollIntervalMs: number
  /** The digest under which the task is listed; undefined for a task that is not. */
  readonly owner: string | undefined
}

export class TaskRun extends Run<TaskRequest> {
  /** Set before the run gets its row. */
  birth: TaskBirth | undefined
  /** Set before the run gets its row. */
  access: TaskAccess | undefined
  /** Whether the handler has the URL of a webhook, which names the object of this run. */
  hasWebhook = false
  /**
   * Whether the handler has what names its object, the id of the task or the URL of a webhook, so that something may be
   * delivered to it at any time.
   */
  isNamed = false
  /** Whether the result is an error of the tool. */
  isToolError = false
  /** Resolves when a held call needs its row: its handler has reported something, or something is delivered to it. */
  readonly needsRow = Promise.withResolvers<undefined>()
  /** Resolves when the call has its row, or will have none. */
  readonly begun = Promise.withResolvers<undefined>()
  /** Called when a step is done. */
  onStep: () => void = () => undefined
  readonly #storage: TaskStorage
  readonly #transfer: JournalTransfer | undefined

  /** @param transfer the journal of the earlier rounds of a call that becomes a task */
  constructor(
    storage: TaskStorage,
    request: TaskRequest,
    stored?: StoredRun,
    transfer?: JournalTransfer,
  ) {
    super(storage, request, stored)
    this.#storage = storage
    this.#transfer = transfer && onlyAsked(transfer)
    if (transfer !== undefined) this.sent = transfer.state.sent
  }

  override get id(): string {
    return TASK_RUN
  }

  /** Whether it is a call of a client without tasks, which a request holds. */
  get isHeld(): boolean {
    return this.request.held !== undefined
  }

  /** Only a step that is recorded before it runs can be found interrupted. */
  get recordsStarts(): boolean {
    return true
  }

  /** Stored before the tool is called, so that no caller without its scopes reads what it has done. */
  addCalledTool({ tool, scopes }: CalledTool): void {
    const { access } = this
    if (access === undefined) return
    const { calls = [] } = access
    const isKnown = calls.some(
      (each) => each.tool === tool && scopes.every((scope) => each.scopes.includes(scope)),
    )
    if (isKnown) return
    this.access = { ...access, calls: [...calls, { tool, scopes }] }
    if (this.isStored) this.#storage.statements.saveAccess(JSON.stringify(this.access))
  }

  override storeJournal(): void {
    super.storeJournal()
    for (const [key, value] of Object.entries(this.#transfer?.fresh ?? {})) {
      if (value !== undefined && this.#storage.statements.entry(this.id, key) === undefined) {
        this.#storage.writeEntry(this.id, key, 'fresh', value)
      }
    }
  }

  override write(key: string, kind: EntryKind, value: JsonValue): void {
    super.write(key, kind, value)
    if (kind === 'step') this.onStep()
  }

  protected override newJournal(): Journal {
    return new Journal(this.#transfer?.state, this.#transfer?.fresh, this)
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
