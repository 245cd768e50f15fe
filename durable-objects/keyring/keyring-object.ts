/** The keyring Durable Object: keys, redeemed names, counted sessions and lists of tasks. */
import { DurableObject } from '#runtime'
import type { SessionPosition } from '../../src/ports/keyring-control.ts'
import type { TaskPosition } from '../../src/ports/tasks.ts'
import { EarliestAlarm } from '../earliest-alarm.ts'
import { Tables } from '../tables.ts'
import { KeyRotation } from './key-rotation.ts'
import { addRevocation, readRevocations } from './revocations.ts'
import { acceptedUntil, type KeyReplacement, SIGNING_ACCEPT_MS } from './rotation.ts'
import { createStatements, MIGRATIONS } from './schema.ts'
import type { KeyringKey } from './seal-key.ts'
import type { KeyringSigningKey } from './signing-key.ts'
import { type ListedTask, TaskList } from './task-list.ts'

/** Expired names are deleted in batches, by at most one alarm per minute and shard. */
const PURGE_DELAY_MS = 60_000

/**
 * An object of the keyring. It has one of three roles, by its name (`object-names.ts`): the keys of the
 * deployment, a shard of the redeemed names, or a shard of the sessions and tasks of principals.
 *
 * Layout: one row per key, per revocation, per redeemed name, per session that stores rows and per task.
 * Lifetime: keys are created by the first call and rotated by the alarm or by a call, whichever
 * comes first; names, sessions and tasks are deleted after they expire.
 * Storage is dropped with the last row, so an unused shard costs nothing. Trade-off: the secrets are
 * in the object's storage, not in a vault; in return no operator has to create, set or rotate them.
 */
export class McpKeyring extends DurableObject {
  readonly #tables = new Tables(this.ctx.storage, MIGRATIONS, createStatements)
  readonly #keys = new KeyRotation(this.ctx.storage, this.#tables)
  readonly #tasks = new TaskList(this.#tables)
  readonly #alarm = new EarliestAlarm(this.ctx, this.#tables.existing !== undefined)

  /** Every key that a seal can name, those published ahead included, oldest first. */
  async keys(): Promise<KeyringKey[]> {
    const rows = await this.#keys.rotateSealKeys()
    this.#schedule()
    return rows.map(({ id, secret, used_from }, index) => ({
      id,
      secret: new Uint8Array(secret),
      usedFrom: used_from,
      acceptedUntil: acceptedUntil(rows, index),
    }))
  }

  /** Every key that a signed token can name, those published ahead included, oldest first. */
  async signingKeys(): Promise<KeyringSigningKey[]> {
    const rows = await this.#keys.rotateSigningKeys()
    this.#schedule()
    const revocations = readRevocations(this.#tables.statements)
    return rows.map(({ id, jwk, used_from }, index) => ({
      id,
      jwk: JSON.parse(jwk),
      usedFrom: used_from,
      acceptedUntil: acceptedUntil(rows, index, SIGNING_ACCEPT_MS),
      ...(revocations !== undefined && index === rows.length - 1 && { revocations }),
    }))
  }

  /** Replaces the keys that exist before they are due. Returns when the newest ones come into use. */
  async replaceKeys(
    replacement: KeyReplacement,
  ): Promise<{ readonly seal: number | undefined; readonly signing: number | undefined }> {
    const usedFrom = await this.#keys.replace(replacement)
    this.#schedule()
    return usedFrom
  }

  /**
   * Revokes everything that was issued to a client, or to everyone, before the returned time. Undefined when
   * too many clients are revoked.
   *
   * @param client a digest
   */
  revoke(client: string | undefined): number | undefined {
    return this.ctx.storage.transactionSync(() =>
      addRevocation(this.#tables.statements, client, Date.now()),
    )
  }

  /** True once per name, before it expires. */
  async redeem(name: string, expiresAt: number): Promise<boolean> {
    // This object's clock decides, because the same clock deletes the name.
    if (Date.now() >= expiresAt) return false
    const first = this.#tables.statements.insertName(name, expiresAt)
    if (first) this.#purgeAfter(expiresAt)
    return first
  }

  /** Whether a name was redeemed. Creates no tables, so a shard without names costs nothing. */
  isRedeemed(name: string): boolean {
    return this.#tables.existing?.hasName(name) === true
  }

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
    const excess = this.ctx.storage.transactionSync(() => {
      const { enterSession, sessionsBeyond, deleteSession } = this.#tables.statements
      const used = { used_at: Date.now(), expires_at: expiresAt }
      enterSession({ principal, session, ...used, server })
      const rows = sessionsBeyond(principal, limit, server)
      for (const row of rows) deleteSession(principal, row.session)
      return rows
    })
    this.#purgeAfter(expiresAt)
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
    if (isAdded) this.#purgeAfter(task.expiresAt)
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

  override async alarm(): Promise<void> {
    this.#alarm.reset()
    const { statements } = this.#tables
    await this.#keys.rotateExisting()
    statements.deleteExpired('redeemed_names', Date.now())
    statements.deleteExpired('principal_sessions', Date.now())
    statements.deleteExpired('tasks', Date.now())
    this.#schedule()
    const isUnused = () => this.#nextDue() === undefined
    await this.#tables.dropIfUnused(this.ctx, this.#alarm, isUnused)
  }

  /** When the alarm is due, in epoch milliseconds; undefined when there are no rows. */
  #nextDue(): number | undefined {
    const expiry = this.#tables.statements.nextExpiry() ?? Infinity
    const due = Math.min(this.#keys.nextDue(), expiry + PURGE_DELAY_MS)
    return due === Infinity ? undefined : due
  }

  /** Schedules the deletion of a new row. Earlier rows have an alarm already, so none is read. */
  #purgeAfter(expiresAt: number): void {
    this.#alarm.wakeAt(expiresAt + PURGE_DELAY_MS)
  }

  #schedule(): void {
    const due = this.#nextDue()
    if (due !== undefined) this.#alarm.wakeAt(due)
  }
}
