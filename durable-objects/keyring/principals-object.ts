/** The sessions and tasks of principals: a shard of their lists, because objects cannot be listed. */
import type { SessionPosition } from '../../src/ports/keyring-control.ts'
import type { TaskPosition } from '../../src/ports/tasks.ts'
import { EarliestAlarm } from '../earliest-alarm.ts'
import { ObjectPart } from '../object-part.ts'
import { Tables } from '../tables.ts'
import { createStatements, MIGRATIONS } from './principals-schema.ts'
import { type ListedTask, TaskList } from './task-list.ts'

/** Expired rows are deleted in batches, by at most one alarm per minute and shard. */
const PURGE_DELAY_MS = 60_000

/**
 * Layout: one row per session that stores rows, and per task. Lifetime: a row is deleted after its session or task has
 * expired, and the storage is dropped with the last one, so an unused shard costs nothing.
 */
export class PrincipalsObject extends ObjectPart {
  readonly #tables = new Tables(this.ctx.storage, MIGRATIONS, createStatements)
  readonly #tasks = new TaskList(this.#tables)
  readonly #alarm = new EarliestAlarm(this.ctx, this.#tables.existing !== undefined)

  /**
   * Counts a session of a principal as used now. Returns the sessions beyond the `limit` most recently
   * used ones and counts them no longer: the caller ends them.
   *
   * @param principal a digest
   * @param server the audience of the server that has the session, which can end its own alone
   */
  async enterSession(
    principal: string,
    session: string,
    expiresAt: number,
    limit: number,
    server: string,
  ): Promise<{ readonly name: string; readonly expiresAt: number }[]> {
    const excess = this.#tables.transaction(() => {
      const { enterSession, sessionsBeyond, deleteSession } = this.#tables.statements
      const used = { used_at: Date.now(), expires_at: expiresAt }
      enterSession({ principal, session, ...used, server })
      const rows = sessionsBeyond(principal, limit, server)
      for (const row of rows) deleteSession(principal, row.session)
      return rows
    })
    this.#alarm.wakeAt(expiresAt + PURGE_DELAY_MS)
    return excess.map((row) => ({ name: row.session, expiresAt: row.expires_at }))
  }

  /** The sessions of a principal that store rows, the most recently used first. */
  listSessions(principal: string, server?: string): SessionPosition[] {
    const rows = this.#tables.existing?.sessionsBeyond(principal, 0, server ?? null) ?? []
    return rows.map(({ session, used_at, expires_at }) => ({
      name: session,
      usedAt: used_at,
      expiresAt: expires_at,
    }))
  }

  leaveSession(principal: string, session: string): void {
    this.#tables.existing?.deleteSession(principal, session)
  }

  /** Adds a task to the list of its subject. False when its principal has `limit` tasks. */
  async enterTask(task: ListedTask, limit: number): Promise<boolean> {
    const isAdded = this.#tasks.enter(task, limit)
    if (isAdded) this.#alarm.wakeAt(task.expiresAt + PURGE_DELAY_MS)
    return isAdded
  }

  /** Frees the place of a task that was cancelled. */
  freeTask(owner: string, name: string): void {
    this.#tables.existing?.freeTask(owner, name)
  }

  /** Removes a task that was deleted before it expires. */
  leaveTask(owner: string, name: string): void {
    this.#tables.existing?.deleteTask(owner, name)
  }

  listTasks(
    owner: string,
    principal: string | undefined,
    after: TaskPosition | undefined,
    limit: number,
    server?: string,
  ): TaskPosition[] {
    return this.#tasks.list(owner, principal, after, limit, server)
  }

  async alarm(): Promise<void> {
    this.#alarm.reset()
    const { statements } = this.#tables
    statements.deleteExpired('principal_sessions', Date.now())
    statements.deleteExpired('tasks', Date.now())
    const next = statements.nextExpiry()
    if (next !== undefined) this.#alarm.wakeAt(next + PURGE_DELAY_MS)
    const isUnused = () => statements.nextExpiry() === undefined
    await this.#tables.dropIfUnused(this.ctx, this.#alarm, isUnused)
  }
}
