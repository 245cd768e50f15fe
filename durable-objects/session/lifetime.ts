/**
 * The lifetime of one session object: its alarm, its end, and the deletion of its rows.
 *
 * The first row creates the tables, and one alarm deletes everything that has expired. A terminated
 * session deletes everything at once and leaves a tombstone (`tombstone.ts`) until its id expires.
 * Without a keyring, or while it cannot be reached, the tombstone is a row of the session. A session that the
 * keyring counts, and that cannot leave its list, keeps the rows for that, and its alarm tries again.
 */
import type { AuthInfo } from '../../src/protocol/auth-info.ts'
import { EarliestAlarm } from '../earliest-alarm.ts'
import { NEWER_ALARM_MS } from '../tables.ts'
import type { SessionParts } from './session-parts.ts'
import type { Departure } from './session-quota.ts'
import { SHARD_RETRY_MS } from './tombstone.ts'

export type LifetimeContext = Pick<
  SessionParts,
  'state' | 'storage' | 'client' | 'tombstone' | 'quota' | 'report'
>

export class SessionLifetime {
  readonly #context: LifetimeContext
  readonly #alarm: EarliestAlarm
  /** Undefined before the tombstone was looked for in this stay in memory. */
  #hasEnded: boolean | undefined

  constructor(context: LifetimeContext) {
    this.#context = context
    const { state, storage, tombstone } = context
    if (tombstone.ownExpiry !== undefined) this.#hasEnded = true
    this.#alarm = new EarliestAlarm(state, storage.existing !== undefined)
  }

  /** Whether this session was terminated; undefined before that was looked up. */
  get hasEnded(): boolean | undefined {
    return this.#hasEnded
  }

  /** Whether this session was terminated. Asks once per stay in memory. */
  async isEnded(): Promise<boolean> {
    if (this.#hasEnded !== undefined) return this.#hasEnded
    const { tombstone, storage } = this.#context
    const isBuried = await tombstone.exists()
    this.#hasEnded ??= isBuried
    // The object was killed before it had deleted its rows.
    if (isBuried && storage.existing !== undefined) await this.deleteAll()
    return this.#hasEnded
  }

  /**
   * Ends this session: leaves a tombstone and deletes everything else.
   *
   * @param expiresAt expiry of the session id, in epoch milliseconds
   */
  async end(expiresAt: number): Promise<void> {
    this.#hasEnded = true
    const { quota, tombstone } = this.#context
    const departure = quota.depart()
    const retryAt = await tombstone.leave(expiresAt, departure.keep)
    if (retryAt === undefined) await this.#deleteRows()
    else {
      this.#alarm.reset()
      this.wakeAt(retryAt)
    }
    this.#inBackground(this.#leaveList(departure, expiresAt))
  }

  /**
   * Whether a fired alarm finds a session with rows that has not ended. A session that has ended tries
   * its tombstone again, or deletes it when its id has expired.
   */
  async isLiveAtAlarm(now: number): Promise<boolean> {
    this.#alarm.reset()
    const { storage, tombstone } = this.#context
    if (storage.existing === undefined) return false
    if (!(await this.isEnded())) return true
    const expiresAt = tombstone.ownExpiry
    if (expiresAt !== undefined && now < expiresAt) await this.end(expiresAt)
    else await this.deleteAll()
    return false
  }

  /** Deletes a session in which nothing is in use, unless a newer version may use more than is known here. */
  async deleteUnused(): Promise<void> {
    if (this.#context.storage.isNewer) this.wakeAt(Date.now() + NEWER_ALARM_MS)
    else await this.deleteAll()
  }

  /** Ends a session whose client does not come back, unless a newer version may know more about it. */
  async endUnused(expiresAt: number): Promise<void> {
    if (this.#context.storage.isNewer) return this.wakeAt(Date.now() + NEWER_ALARM_MS)
    this.#context.client.end()
    await this.end(expiresAt)
  }

  async deleteAll(): Promise<void> {
    const departure = this.#context.quota.depart()
    await this.#deleteRows()
    this.#inBackground(this.#leaveList(departure))
  }

  /** @param endedUntil expiry of the id of a session that has ended, in epoch milliseconds */
  async #leaveList({ leave, keep }: Departure, endedUntil?: number): Promise<void> {
    try {
      await leave()
    } catch (error) {
      const { storage, tombstone, report } = this.#context
      report(error)
      // The tombstone is a row with an alarm of its own; or the client has come back, and is counted again.
      if (storage.existing !== undefined) return
      storage.transaction(() => {
        if (endedUntil !== undefined) tombstone.saveOwn(endedUntil)
        keep()
      })
      this.wakeAt(Date.now() + SHARD_RETRY_MS)
    }
  }

  async #deleteRows(): Promise<void> {
    this.#alarm.reset()
    const { state, storage, client } = this.#context
    client.reset()
    await state.blockConcurrencyWhile(() => storage.drop())
  }

  /** Counts this session among those of its principal that store rows. */
  count(auth: AuthInfo | undefined): void {
    this.#inBackground(this.#context.quota.enter(auth))
  }

  /** Moves the alarm to an earlier time, never to a later one. */
  wakeAt(at: number): void {
    this.#alarm.wakeAt(at)
  }

  /** A count that fails does not concern the client. The next stay in memory counts again. */
  #inBackground(work: Promise<void> | undefined): void {
    if (work === undefined) return
    const { state, report } = this.#context
    state.waitUntil(work.catch(report))
  }
}
