/** Seals bytes into text that only this deployment can create and read. */

/** Each purpose has its own key, so a seal of one purpose never opens for another. */
export type SealPurpose =
  | 'auth-code'
  | 'client-id'
  | 'event-id'
  | 'grant-key'
  | 'login'
  | 'refresh-token'
  | 'request-state'
  | 'run-caller'
  | 'session-id'
  | 'transaction'

export interface SealOptions {
  /**
   * Seals equal bytes as equal text while the key is the same. Two such seals reveal whether they are
   * equal, and a guess of the content can be verified. Only for content with 256 random bits.
   * Default false.
   */
  readonly deterministic?: boolean
}

export interface Sealer {
  /**
   * Encrypts and authenticates bytes (AES-256-GCM) as URL-safe text.
   *
   * @param context bound to the seal; the same text is needed to open it
   * @throws {RangeError} for more than 147,420 bytes
   * @throws {Error} when the deployment has no keys
   */
  seal(
    purpose: SealPurpose,
    plaintext: Uint8Array,
    context: string,
    options?: SealOptions,
  ): Promise<string>

  /**
   * Returns the bytes of a seal; undefined for text that this deployment did not seal for this
   * purpose and context. A forged seal causes no call of a Durable Object.
   *
   * @throws {Error} when the deployment has no keys
   */
  open(purpose: SealPurpose, sealed: string, context: string): Promise<Uint8Array | undefined>

  /**
   * Marks a name as used. Returns true for the first call in the whole deployment, and false for
   * every later one and after `expiresAt`.
   *
   * @param name a random name from an opened seal, never text of a request; 1 to 256 characters
   * @param expiresAt epoch milliseconds; the name is deleted afterwards
   * @throws {TypeError} for an invalid name or time
   */
  redeem(name: string, expiresAt: number): Promise<boolean>
}
