/**
 * The tombstone of a terminated session: a name in an object of the kind `redeemed`. A session that has ended needs
 * no storage of its own, which would cost far more than one row there until its id expires.
 */
import type { ObjectsOfKind } from '../../src/ports/objects.ts'
import type { RedeemedObject } from '../keyring/redeemed-object.ts'
import { shardOf } from '../keyring/shards.ts'
import { callObject } from '../object-call.ts'
import { Setting } from './row-keys.ts'
import type { SessionStorage } from './session-storage.ts'

type Shards = ObjectsOfKind<RedeemedObject>

/** Time to the next attempt while a shard cannot be reached. */
export const SHARD_RETRY_MS = 60 * 60 * 1000

export class Tombstone {
  readonly #shards: Shards | undefined
  readonly #name: string
  readonly #storage: SessionStorage

  /** @param shards without their binding, the tombstone is a row of the session */
  constructor(shards: Shards | undefined, session: DurableObjectId, storage: SessionStorage) {
    this.#shards = shards
    this.#name = `session ${session}`
    this.#storage = storage
  }

  /** Whether the shard has it. */
  async exists(): Promise<boolean> {
    const shards = this.#shards
    if (shards === undefined) return false
    return callObject(async () => await this.#shardOf(shards).isRedeemed(this.#name))
  }

  /** Expiry of the tombstone that is a row of the session, if there is one. */
  get ownExpiry(): number | undefined {
    const endedUntil = this.#storage.existing?.setting(Setting.endedUntil)
    return endedUntil === undefined ? undefined : Number(endedUntil)
  }

  /**
   * Leaves the tombstone. Returns undefined when the shard has it, so that the session can delete its
   * storage; otherwise the tombstone and the rows of `keep` are its only ones, and the result is the time of the
   * next attempt.
   *
   * @param expiresAt expiry of the session id, in epoch milliseconds
   */
  async leave(expiresAt: number, keep?: () => void): Promise<number | undefined> {
    const shards = this.#shards
    if (shards !== undefined) {
      try {
        await callObject(async () => await this.#shardOf(shards).redeem(this.#name, expiresAt))
        return undefined
      } catch {
        // The shard cannot be reached. The termination holds all the same.
      }
    }
    this.#storage.replaceAll(() => {
      this.saveOwn(expiresAt)
      keep?.()
    })
    return shards === undefined ? expiresAt : Math.min(expiresAt, Date.now() + SHARD_RETRY_MS)
  }

  /** Writes the tombstone as a row of the session. */
  saveOwn(expiresAt: number): void {
    this.#storage.statements.saveSetting(Setting.endedUntil, String(expiresAt))
  }

  #shardOf(shards: Shards) {
    return shards.named(shardOf(this.#name))
  }
}
