/** Text that only this server can have written and only it can read. */

/** Each purpose has keys of its own, so that what was sealed for one never opens for another. */
export type SealPurpose =
  | 'auth-code'
  | 'client-id'
  | 'event-id'
  | 'grant-key'
  | 'login'
  | 'refresh-token'
  | 'request-state'
  | 'session-id'
  | 'transaction'

export interface SealOptions {
  /**
   * The same bytes give the same text, while the key is the same. Whoever holds two such seals can
   * tell that they say the same, and whoever guesses what one says can see that the guess is right:
   * only for what holds 256 random bits.
   */
  readonly deterministic?: boolean
}

export interface Sealer {
  /**
   * Seals bytes as URL-safe text.
   *
   * @param context what the seal is bound to; the same string must be given to open it
   */
  seal(
    purpose: SealPurpose,
    plaintext: Uint8Array,
    context: string,
    options?: SealOptions,
  ): Promise<string>

  /**
   * The bytes of a seal, or undefined for anything that was not sealed here, for this purpose and
   * this context. A forged or foreign seal is refused without waking any object.
   */
  open(purpose: SealPurpose, sealed: string, context: string): Promise<Uint8Array | undefined>

  /**
   * Marks a name as used, once in the world.
   *
   * @param name a random name out of a seal that has been opened: never text from outside
   * @param expiresAt epoch milliseconds after which the name may be forgotten
   * @returns whether this was the first time
   */
  redeem(name: string, expiresAt: number): Promise<boolean>
}
