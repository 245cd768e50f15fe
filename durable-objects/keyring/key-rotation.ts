/** Creates the keys of the deployment when they are due, and deletes those that are over. `rotation.ts` decides. */
import { randomToken } from '../../src/platform/random-token.ts'
import { randomBytes } from '../aes-gcm.ts'
import type { Tables } from '../tables.ts'
import {
  ACCEPT_MS,
  type KeyReplacement,
  nextRotationAt,
  planReplacement,
  planRotation,
  type Rotation,
  SIGNING_ACCEPT_MS,
} from './rotation.ts'
import type { KeyTable, KeyTimes, SealKeyRow, SigningKeyRow, Statements } from './schema.ts'
import { createPrivateJwk } from './signing-key.ts'

const SECRET_BYTES = 32

/** Six bytes are eight characters of base64url, the length of a key id in a seal. */
const ID_BYTES = 6

const createSecret = async () => ({ secret: randomBytes(SECRET_BYTES).buffer })
const createJwk = async () => ({ jwk: JSON.stringify(await createPrivateJwk()) })

const planFor = (acceptMs: number) => (rows: readonly KeyTimes[]) =>
  planRotation(rows, Date.now(), acceptMs)

export class KeyRotation {
  readonly #storage: DurableObjectStorage
  readonly #tables: Tables<Statements>

  constructor(storage: DurableObjectStorage, tables: Tables<Statements>) {
    this.#storage = storage
    this.#tables = tables
  }

  /** Creates and deletes the keys for sealing that are due, and returns those that are left. */
  rotateSealKeys(): Promise<SealKeyRow[]> {
    return this.#rotate(this.#tables.statements.sealKeys, planFor(ACCEPT_MS), createSecret)
  }

  /** Creates and deletes the keys for signing that are due, and returns those that are left. */
  rotateSigningKeys(): Promise<SigningKeyRow[]> {
    return this.#rotate(this.#tables.statements.signingKeys, planFor(SIGNING_ACCEPT_MS), createJwk)
  }

  /** Rotates the keys of each use that has any. */
  async rotateExisting(): Promise<void> {
    const { sealKeys, signingKeys } = this.#tables.statements
    if (sealKeys.all().length > 0) await this.rotateSealKeys()
    if (signingKeys.all().length > 0) await this.rotateSigningKeys()
  }

  /** Replaces the keys that exist before they are due. Returns when the newest ones come into use. */
  async replace(
    replacement: KeyReplacement,
  ): Promise<{ readonly seal: number | undefined; readonly signing: number | undefined }> {
    const { sealKeys, signingKeys } = this.#tables.statements
    const plan = (rows: readonly KeyTimes[]) => planReplacement(rows, replacement, Date.now())
    const seal = await this.#rotate(sealKeys, plan, createSecret)
    const signing = await this.#rotate(signingKeys, plan, createJwk)
    return { seal: seal.at(-1)?.used_from, signing: signing.at(-1)?.used_from }
  }

  /** When the next key is to be created or deleted, in epoch milliseconds; `Infinity` without keys. */
  nextDue(): number {
    const { sealKeys, signingKeys } = this.#tables.statements
    return Math.min(
      nextRotationAt(sealKeys.all()) ?? Infinity,
      nextRotationAt(signingKeys.all(), SIGNING_ACCEPT_MS) ?? Infinity,
    )
  }

  /** Creates and deletes the keys of one use that are due, and returns those that are left. */
  async #rotate<Material>(
    table: KeyTable<KeyTimes & Material>,
    plan: (rows: readonly KeyTimes[]) => Rotation | undefined,
    createMaterial: () => Promise<Material>,
  ): Promise<(KeyTimes & Material)[]> {
    const needsKey = plan(table.all())?.newKeyUsedFrom !== undefined
    const material = needsKey ? await createMaterial() : undefined
    return this.#storage.transactionSync(() => {
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
}
