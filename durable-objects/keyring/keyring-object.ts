/** The keys of the deployment, and what was revoked for many grants at once. */
import { EarliestAlarm } from '../earliest-alarm.ts'
import { ObjectPart } from '../object-part.ts'
import { Tables } from '../tables.ts'
import { KeyRotation } from './key-rotation.ts'
import { addRevocation, readRevocations } from './revocations.ts'
import { acceptedUntil, type KeyReplacement, SIGNING_ACCEPT_MS } from './rotation.ts'
import { createStatements, MIGRATIONS } from './schema.ts'
import type { KeyringKey } from './seal-key.ts'
import type { KeyringSigningKey } from './signing-key.ts'

/**
 * The one object of its kind.
 *
 * Layout: one row per key and per revocation. Lifetime: keys are created by the first call and rotated by the alarm or by
 * a call, whichever comes first. Trade-off: the secrets are in the object's storage, not in a vault; in return no operator
 * has to create, set or rotate them.
 */
export class KeyringObject extends ObjectPart {
  readonly #tables = new Tables(this.ctx.storage, MIGRATIONS, createStatements)
  readonly #keys = new KeyRotation(this.ctx.storage, this.#tables)
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
    return this.#tables.transaction(() =>
      addRevocation(this.#tables.statements, client, Date.now()),
    )
  }

  async alarm(): Promise<void> {
    this.#alarm.reset()
    await this.#keys.rotateExisting()
    this.#schedule()
    const isUnused = () => this.#keys.nextDue() === Number.POSITIVE_INFINITY
    await this.#tables.dropIfUnused(this.ctx, this.#alarm, isUnused)
  }

  #schedule(): void {
    const due = this.#keys.nextDue()
    if (due !== Number.POSITIVE_INFINITY) this.#alarm.wakeAt(due)
  }
}
