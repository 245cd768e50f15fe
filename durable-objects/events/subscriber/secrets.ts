/** The secrets of callbacks: sealed at rest, and never in a message, an error or telemetry. */
import { decodeUtf8 } from '../../../src/platform/utf8.ts'
import type { Sealer } from '../../../src/ports/sealer.ts'
import { parseCallbackSecret } from '../callback-secret.ts'
import type { SubscriptionRow } from './schema.ts'

type SecretColumns = Pick<SubscriptionRow, 'id' | 'secret' | 'previous_secret' | 'previous_until'>

export class Secrets {
  readonly #sealer: () => Sealer | undefined
  readonly #nameOf: () => string

  /** @param nameOf the name of the object: a secret of another object does not open */
  constructor(sealer: () => Sealer | undefined, nameOf: () => string) {
    this.#sealer = sealer
    this.#nameOf = nameOf
  }

  seal(id: string, secret: string): Promise<string> {
    const bytes = new TextEncoder().encode(secret)
    return this.#required().seal('event-secret/1', bytes, this.#contextOf(id))
  }

  /** Undefined for a secret whose keys are gone. */
  async open(id: string, sealed: string): Promise<string | undefined> {
    const opened = await this.#required().open('event-secret/1', sealed, this.#contextOf(id))
    return opened && decodeUtf8(opened)
  }

  /** The keys that sign now: that of the secret, and that of the one before it during the overlap. */
  async keysOf(
    { id, secret, previous_secret, previous_until }: SecretColumns,
    now: number,
  ): Promise<readonly Uint8Array<ArrayBuffer>[]> {
    const isOverlap = previous_until !== null && previous_until > now
    const sealed = [secret, isOverlap ? previous_secret : null].filter((text) => text !== null)
    const secrets = await Promise.all(sealed.map((text) => this.open(id, text)))
    return secrets.map((text) => parseCallbackSecret(text ?? '')).filter((key) => key !== undefined)
  }

  #contextOf(id: string): string {
    return JSON.stringify([this.#nameOf(), id])
  }

  #required(): Sealer {
    const sealer = this.#sealer()
    if (sealer === undefined)
      throw new TypeError('The secrets of callbacks need keys to be sealed with')
    return sealer
  }
}
