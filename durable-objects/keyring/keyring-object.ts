/** The Durable Object that makes and keeps keys, and names that are used once. */
import { DurableObject } from 'cloudflare:workers'
import { randomToken } from '../../src/platform/random-token.ts'
import { migrate } from '../migrations.ts'
import { PURGE_DELAY_MS } from './redeemed.ts'
import { acceptedUntil, nextRotationAt, planRotation, SIGNING_ACCEPT_MS } from './rotation.ts'
import {
  createStatements,
  type KeyRow,
  MIGRATIONS,
  type SigningKeyRow,
  type Statements,
} from './schema.ts'
import type { KeyringKey } from './seal-key.ts'
import { createPrivateJwk, type KeyringSigningKey } from './signing-key.ts'

const SECRET_BYTES = 32
/** Six bytes are eight characters of base64url, which is what a seal has room for. */
const ID_BYTES = 6

/**
 * One class in two roles, told apart by what is asked of them.
 *
 * `keyring` holds the deployment's keys, for sealing and for signing: a row each, made on first use
 * and rotated by alarm and by reading, whichever comes first. `redeemed-<shard>` holds used names
 * until they expire.
 *
 * One alarm serves both, at whatever is due next. Tables are made by the first write and dropped
 * with everything else when nothing is left, so a shard without names costs nothing. Trade-off: the
 * secrets are in storage and not in a vault; in return nobody has to make, set or rotate one.
 */
export class McpKeyring extends DurableObject {
  #opened: Statements | undefined

  /** Every key that a seal may name, those about to be used included, oldest first. */
  async keys(): Promise<KeyringKey[]> {
    const rows = this.#rotate()
    await this.#schedule()
    return rows.map(({ id, secret, used_from }, index) => ({
      id,
      secret: new Uint8Array(secret),
      usedFrom: used_from,
      acceptedUntil: acceptedUntil(rows, index),
    }))
  }

  /** Every key that a signed token may name, those about to be used included, oldest first. */
  async signingKeys(): Promise<KeyringSigningKey[]> {
    const rows = await this.#rotateSigning()
    await this.#schedule()
    return rows.map(({ id, jwk, used_from }, index) => ({
      id,
      jwk: JSON.parse(jwk),
      usedFrom: used_from,
      acceptedUntil: acceptedUntil(rows, index, SIGNING_ACCEPT_MS),
    }))
  }

  /** Whether this is the first use of a name, and in time: what has expired is never redeemed. */
  async redeem(name: string, expiresAt: number): Promise<boolean> {
    // Decided by this clock, because by this clock the name is forgotten.
    if (Date.now() >= expiresAt) return false
    const first = this.#statements.insertName({ name, expires_at: expiresAt })
    if (first) await this.#schedule()
    return first
  }

  override async alarm(): Promise<void> {
    if (this.#statements.keys().length > 0) this.#rotate()
    if (this.#statements.signingKeys().length > 0) await this.#rotateSigning()
    this.#statements.deleteExpiredNames(Date.now())
    await this.#schedule()
    await this.ctx.blockConcurrencyWhile(() => this.#dropIfEmpty())
  }

  get #statements(): Statements {
    if (this.#opened === undefined) {
      migrate(this.ctx.storage, MIGRATIONS)
      this.#opened = createStatements(this.ctx.storage.sql)
    }
    return this.#opened
  }

  #rotate(): KeyRow[] {
    const statements = this.#statements
    const now = Date.now()
    return this.ctx.storage.transactionSync(() => {
      const { makeFrom, expired } = planRotation(statements.keys(), now)
      for (const id of expired) statements.deleteKey(id)
      if (makeFrom !== undefined) statements.insertKey(createKey(now, makeFrom))
      return statements.keys()
    })
  }

  async #rotateSigning(): Promise<SigningKeyRow[]> {
    const now = Date.now()
    const plan = () => planRotation(this.#statements.signingKeys(), now, SIGNING_ACCEPT_MS)
    const jwk = plan().makeFrom === undefined ? undefined : await createPrivateJwk()
    const statements = this.#statements
    return this.ctx.storage.transactionSync(() => {
      // Planned again: making a key takes time, and others may have been faster.
      const { makeFrom, expired } = plan()
      for (const id of expired) statements.deleteSigningKey(id)
      if (makeFrom !== undefined && jwk !== undefined) {
        statements.insertSigningKey({
          id: createKeyId(),
          jwk: JSON.stringify(jwk),
          created_at: now,
          used_from: makeFrom,
        })
      }
      return statements.signingKeys()
    })
  }

  /** What is due next, in epoch ms; undefined where nothing is kept. */
  #nextDue(): number | undefined {
    const statements = this.#statements
    const expiry = statements.nextExpiry()
    const due = Math.min(
      nextRotationAt(statements.keys()) ?? Infinity,
      nextRotationAt(statements.signingKeys(), SIGNING_ACCEPT_MS) ?? Infinity,
      expiry === undefined ? Infinity : expiry + PURGE_DELAY_MS,
    )
    return due === Infinity ? undefined : due
  }

  async #schedule(): Promise<void> {
    const scheduled = await this.ctx.storage.getAlarm()
    const due = this.#nextDue()
    if (due !== undefined && due !== scheduled) await this.ctx.storage.setAlarm(due)
  }

  async #dropIfEmpty(): Promise<void> {
    if (this.#nextDue() !== undefined) return
    this.#opened = undefined
    await this.ctx.storage.deleteAll()
  }
}

function createKey(now: number, usedFrom: number): KeyRow {
  const secret = crypto.getRandomValues(new Uint8Array(SECRET_BYTES))
  return {
    id: createKeyId(),
    secret: secret.buffer,
    created_at: now,
    used_from: usedFrom,
  }
}

function createKeyId(): string {
  return randomToken(ID_BYTES)
}
