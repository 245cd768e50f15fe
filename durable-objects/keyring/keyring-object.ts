/** The keyring Durable Object: keys, redeemed names, counted sessions, lists of tasks, the connection timeline, and the entries of the inspector. */
import { DurableObject } from '#runtime'
import { LruMap } from '../../src/platform/lru-map.ts'
import { randomToken } from '../../src/platform/random-token.ts'
import type { SessionPosition } from '../../src/ports/keyring-control.ts'
import type { TaskPosition } from '../../src/ports/tasks.ts'
import type { StoredStep, TimelineSettings } from '../../src/ports/timeline.ts'
import type {
  StoredTraffic,
  TrafficLease,
  TrafficPage,
  TrafficRead,
} from '../../src/ports/traffic.ts'
import { randomBytes } from '../aes-gcm.ts'
import { Tables } from '../tables.ts'
import { addRevocation, readRevocations } from './revocations.ts'
import {
  ACCEPT_MS,
  acceptedUntil,
  type KeyReplacement,
  nextRotationAt,
  planReplacement,
  planRotation,
  type Rotation,
  SIGNING_ACCEPT_MS,
} from './rotation.ts'
import {
  createStatements,
  type KeyTable,
  type KeyTimes,
  MIGRATIONS,
  TIMELINE_RETENTION_MS,
} from './schema.ts'
import type { KeyringKey } from './seal-key.ts'
import { createPrivateJwk, type KeyringSigningKey } from './signing-key.ts'
import * as timeline from './timeline-log.ts'
import { TrafficLog } from './traffic-log.ts'

const SECRET_BYTES = 32

/** Six bytes are eight characters of base64url, the length of a key id in a seal. */
const ID_BYTES = 6

const createSecret = async () => ({ secret: randomBytes(SECRET_BYTES).buffer })
const createJwk = async () => ({ jwk: JSON.stringify(await createPrivateJwk()) })

/** Expired names are deleted in batches, by at most one alarm per minute and shard. */
const PURGE_DELAY_MS = 60_000

/** Principals whose number of tasks a shard keeps in memory. */
const COUNTED_PRINCIPALS = 1000

/**
 * An object of the keyring. It has one of five roles, by its name (`object-names.ts`): the keys of the
 * deployment, a shard of the redeemed names, a shard of the sessions and tasks of principals, the
 * connection timeline, or the entries of the inspector.
 *
 * Layout: one row per key, per revocation, per redeemed name, per session that stores rows, per task,
 * per recorded step and per entry. Lifetime: keys are created by the first call and rotated by the alarm or by a call, whichever
 * comes first; names, sessions, tasks, steps and entries are deleted after they expire.
 * Storage is dropped with the last row, so an unused shard costs nothing. Trade-off: the secrets are
 * in the object's storage, not in a vault; in return no operator has to create, set or rotate them.
 */
export class McpKeyring extends DurableObject {
  readonly #tables = new Tables(this.ctx.storage, MIGRATIONS, createStatements)
  readonly #traffic = new TrafficLog(this.#tables)
  /** How many tasks a principal has at most: tasks that have left the list since are in it. */
  readonly #tasksAtMost = new LruMap<number>(COUNTED_PRINCIPALS)

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
    const { sealKeys, signingKeys } = this.#tables.statements
    const plan = (rows: readonly KeyTimes[]) => planReplacement(rows, replacement, Date.now())
    const seal = await this.#rotate(sealKeys, plan, createSecret)
    const signing = await this.#rotate(signingKeys, plan, createJwk)
    await this.#schedule()
    return { seal: seal.at(-1)?.used_from, signing: signing.at(-1)?.used_from }
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

  /** The sessions of a principal that store rows, the most recently used first. */
  listSessions(principal: string): SessionPosition[] {
    const rows = this.#tables.existing?.sessionsOf(principal) ?? []
    return rows.map(({ session, used_at, expires_at }) => ({
      name: session,
      usedAt: used_at,
      expiresAt: expires_at,
    }))
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
    // Counting reads the rows of the subject, and the row of a counter would be written by each creation.
    const key = `${owner} ${principal}`
    const known = this.#tasksAtMost.get(key)
    const count =
      known !== undefined && known < limit ? known : statements.countTasks(owner, principal)
    if (count >= limit) return false
    statements.insertTask({
      owner,
      task: name,
      principal,
      created_at: createdAt,
      expires_at: expiresAt,
    })
    this.#tasksAtMost.set(key, count + 1)
    await this.#schedule()
    return true
  }

  /** Called by task objects of an earlier version: a task leaves the list when it expires. */
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

  /** @param create whether to create the key of digests. A read creates no tables. */
  timelineSettings(create: boolean): TimelineSettings {
    const { existing } = this.#tables
    if (create) return timeline.settings(this.#tables.statements, true)
    return existing ? timeline.settings(existing, false) : { key: undefined, until: 0 }
  }

  async recordTimeline(steps: readonly StoredStep[]): Promise<void> {
    const { statements } = this.#tables
    this.ctx.storage.transactionSync(() => timeline.append(statements, steps, Date.now()))
    await this.#schedule()
  }

  /** JSON of each step, in the order of their times. */
  readTimeline(): string[] {
    const oldest = Date.now() - TIMELINE_RETENTION_MS
    const rows = this.#tables.existing?.steps() ?? []
    return rows.filter(({ at }) => at > oldest).map(({ step }) => step)
  }

  /** Records production until this time, in epoch milliseconds. 0 ends it. */
  async switchTimeline(until: number): Promise<void> {
    timeline.switchUntil(this.#tables.statements, until)
    await this.#schedule()
  }

  /** Until when production is recorded for the inspector. A read creates no tables. */
  trafficLease(): TrafficLease {
    return this.#traffic.lease()
  }

  async recordTraffic(entries: readonly StoredTraffic[]): Promise<TrafficLease> {
    this.ctx.storage.transactionSync(() => this.#traffic.append(entries))
    await this.#schedule()
    return this.#traffic.lease()
  }

  /** Waits for an entry. Undefined when too many streams read. */
  readTraffic(request: TrafficRead): Promise<TrafficPage | undefined> {
    return this.#traffic.read(request)
  }

  /** @param watcher the name of a stream that is over */
  leaveTraffic(watcher: string): void {
    this.#traffic.leave(watcher)
  }

  override async alarm(): Promise<void> {
    const { sealKeys, signingKeys, deleteExpiredNames, deleteExpiredSessions, deleteExpiredTasks } =
      this.#tables.statements
    timeline.purge(this.#tables.statements, Date.now())
    this.#traffic.purge(this.#tables.statements, Date.now())
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
    const plan = (rows: readonly KeyTimes[]) => planRotation(rows, Date.now(), ACCEPT_MS)
    return this.#rotate(this.#tables.statements.sealKeys, plan, createSecret)
  }

  #rotateSigningKeys() {
    const plan = (rows: readonly KeyTimes[]) => planRotation(rows, Date.now(), SIGNING_ACCEPT_MS)
    return this.#rotate(this.#tables.statements.signingKeys, plan, createJwk)
  }

  /** Creates and deletes the keys of one use that are due, and returns those that are left. */
  async #rotate<Material>(
    table: KeyTable<KeyTimes & Material>,
    plan: (rows: readonly KeyTimes[]) => Rotation | undefined,
    createMaterial: () => Promise<Material>,
  ): Promise<(KeyTimes & Material)[]> {
    const needsKey = plan(table.all())?.newKeyUsedFrom !== undefined
    const material = needsKey ? await createMaterial() : undefined
    return this.ctx.storage.transactionSync(() => {
      // Planned again: another call may have rotated while the key was created.
      const { newKeyUsedFrom, expired = [] } = plan(table.all()) ?? {}
      for (const id of expired) table.delete(id)
      if (newKeyUsedFrom !== undefined && material !== undefined) {
        const id = randomToken(ID_BYTES)
        table.insert({ ...material, id, created_at: Date.now(), used_from: newKeyUsedFrom })
      }
      return table.all()
    })
  }

  /** When the alarm is due, in epoch milliseconds; undefined when there are no rows. */
  #nextDue(): number | undefined {
    const { sealKeys, signingKeys, nextExpiry, nextTrafficExpiry } = this.#tables.statements
    const due = Math.min(
      nextRotationAt(sealKeys.all()) ?? Infinity,
      nextRotationAt(signingKeys.all(), SIGNING_ACCEPT_MS) ?? Infinity,
      (nextExpiry() ?? Infinity) + PURGE_DELAY_MS,
      (nextTrafficExpiry() ?? Infinity) + PURGE_DELAY_MS,
    )
    return due === Infinity ? undefined : due
  }

  async #schedule(): Promise<void> {
    const scheduled = await this.ctx.storage.getAlarm()
    const due = this.#nextDue()
    if (due !== undefined && due !== scheduled) await this.ctx.storage.setAlarm(due)
  }
}
