/** The keyring Durable Object: creates, stores and rotates keys, stores redeemed names, counts sessions and lists tasks. */
import { DurableObject } from '#runtime'
import { randomToken } from '../../src/platform/random-token.ts'
import type { TaskPosition } from '../../src/ports/tasks.ts'
import { randomBytes } from '../aes-gcm.ts'
import { Tables } from '../tables.ts'
import {
  ACCEPT_MS,
  acceptedUntil,
  nextRotationAt,
  planRotation,
  SIGNING_ACCEPT_MS,
} from './rotation.ts'
import { createStatements, type KeyTable, type KeyTimes, MIGRATIONS } from './schema.ts'
import type { KeyringKey } from './seal-key.ts'
import { createPrivateJwk, type KeyringSigningKey } from './signing-key.ts'

const SECRET_BYTES = 32

/** Six bytes are eight characters of base64url, the length of a key id in a seal. */
const ID_BYTES = 6

/** Expired names are deleted in batches, by at most one alarm per minute and shard. */
const PURGE_DELAY_MS = 60_000

/**
 * An object of the keyring. It has one of three roles, by its name (`object-names.ts`): the keys of the
 * deployment, a shard of the redeemed names, or a shard of the sessions and tasks of principals.
 *
 * Layout: one row per key, per redeemed name, per session that stores rows and per task. Lifetime: keys are created by the first call
 * and rotated by the alarm or by a call, whichever comes first; names, sessions
 * and tasks are deleted after they expire.
 * Storage is dropped with the last row, so an unused shard costs nothing. Trade-off: the secrets are
 * in the object's storage, not in a vault; in return no operator has to create, set or rotate them.
 */
export class McpKeyring extends DurableObject {
  readonly #tables = new Tables(this.ctx.storage, MIGRATIONS, createStatements)

  /** Every key that a seal can name, those published ahead included, oldest first. */
  async keys(): Promise<KeyringKey[]> {
    const rows = await this.#rotateSealKeys()
    await this.#schedule()
    return rows.map(({ id, secret, used_from }, index) => ({
      id,
      secret: new Uint8Array(secret),
      usedFrom: used_from,
      acceptedUntil: acceptedUntil(rows, index),
    }))
  }

  /** Every key that a signed token can name, those published ahead included, oldest first. */
  async signingKeys(): Promise<KeyringSigningKey[]> {
    const rows = await this.#rotateSigningKeys()
    await this.#schedule()
    return rows.map(({ id, jwk, used_from }, index) => ({
      id,
      jwk: JSON.parse(jwk),
      usedFrom: used_from,
      acceptedUntil: acceptedUntil(rows, index, SIGNING_ACCEPT_MS),
    }))
  }

  /** True once per name, before it expires. */
  async redeem(name: string, expiresAt: number): Promise<boolean> {
    // This object's clock decides, because the same clock deletes the name.
    if (Date.now() >= expiresAt) return false
    const first = this.#tables.statements.insertName(name, expiresAt)
    if (first) await this.#schedule()
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
   */
  async enterSession(
    principal: string,
    session: string,
    expiresAt: number,
    limit: number,
  ): Promise<{ readonly name: string; readonly expiresAt: number }[]> {
    const excess = this.ctx.storage.transactionSync(() => {
      const { enterSession, sessionsBeyond, deleteSession } = this.#tables.statements
      enterSession(principal, session, Date.now(), expiresAt)
      const rows = sessionsBeyond(principal, limit)
      for (const row of rows) deleteSession(principal, row.session)
      return rows
    })
    await this.#schedule()
    return excess.map((row) => ({ name: row.session, expiresAt: row.expires_at }))
  }

  leaveSession(principal: string, session: string): void {
    this.#tables.existing?.deleteSession(principal, session)
  }

  /**
   * Adds a task to the list of its subject. False when its principal has `limit` tasks.
   *
   * @param task `owner` and `principal` are digests
   */
  async enterTask(
    task: TaskPosition & {
      readonly owner: string
      readonly principal: string
      readonly expiresAt: number
    },
    limit: number,
  ): Promise<boolean> {
    const { owner, principal, name, createdAt, expiresAt } = task
    const { statements } = this.#tables
    statements.deleteExpiredTasks(Date.now())
    if (statements.countTasks(owner, principal) >= limit) return false
    statements.insertTask({
      owner,
      task: name,
      principal,
      created_at: createdAt,
      expires_at: expiresAt,
    })
    await this.#schedule()
    return true
  }

  leaveTask(owner: string, name: string): void {
    this.#tables.existing?.deleteTask(owner, name)
  }

  listTasks(
    owner: string,
    principal: string | undefined,
    after: TaskPosition | undefined,
    limit: number,
  ): TaskPosition[] {
    const { createdAt, name } = after ?? { createdAt: Number.MAX_SAFE_INTEGER, name: '' }
    const rows = this.#tables.existing?.tasksAfter(owner, principal ?? null, createdAt, name, limit)
    return (rows ?? []).map((row) => ({ name: row.task, createdAt: row.created_at }))
  }

  override async alarm(): Promise<void> {
    const { sealKeys, signingKeys, deleteExpiredNames, deleteExpiredSessions, deleteExpiredTasks } =
      this.#tables.statements
    if (sealKeys.all().length > 0) await this.#rotateSealKeys()
    if (signingKeys.all().length > 0) await this.#rotateSigningKeys()
    deleteExpiredNames(Date.now())
    deleteExpiredSessions(Date.now())
    deleteExpiredTasks(Date.now())
    await this.#schedule()
    await this.ctx.blockConcurrencyWhile(async () => {
      if (this.#nextDue() === undefined) await this.#tables.dropUnused()
    })
  }

  #rotateSealKeys() {
    const createSecret = async () => ({ secret: randomBytes(SECRET_BYTES).buffer })
    return this.#rotate(this.#tables.statements.sealKeys, ACCEPT_MS, createSecret)
  }

  #rotateSigningKeys() {
    const createJwk = async () => ({ jwk: JSON.stringify(await createPrivateJwk()) })
    return this.#rotate(this.#tables.statements.signingKeys, SIGNING_ACCEPT_MS, createJwk)
  }

  /** Creates and deletes the keys of one use that are due, and returns those that are left. */
  async #rotate<Material>(
    table: KeyTable<KeyTimes & Material>,
    acceptMs: number,
    createMaterial: () => Promise<Material>,
  ): Promise<(KeyTimes & Material)[]> {
    const now = Date.now()
    const plan = () => planRotation(table.all(), now, acceptMs)
    const material = plan().newKeyUsedFrom === undefined ? undefined : await createMaterial()
    return this.ctx.storage.transactionSync(() => {
      // Planned again: another call may have rotated while the key was created.
      const { newKeyUsedFrom, expired } = plan()
      for (const id of expired) table.delete(id)
      if (newKeyUsedFrom !== undefined && material !== undefined) {
        const id = randomToken(ID_BYTES)
        table.insert({ ...material, id, created_at: now, used_from: newKeyUsedFrom })
      }
      return table.all()
    })
  }

  /** When the alarm is due, in epoch milliseconds; undefined when there are no rows. */
  #nextDue(): number | undefined {
    const { sealKeys, signingKeys, nextExpiry } = this.#tables.statements
    const due = Math.min(
      nextRotationAt(sealKeys.all()) ?? Infinity,
      nextRotationAt(signingKeys.all(), SIGNING_ACCEPT_MS) ?? Infinity,
      (nextExpiry() ?? Infinity) + PURGE_DELAY_MS,
    )
    return due === Infinity ? undefined : due
  }

  async #schedule(): Promise<void> {
    const scheduled = await this.ctx.storage.getAlarm()
    const due = this.#nextDue()
    if (due !== undefined && due !== scheduled) await this.ctx.storage.setAlarm(due)
  }
}
