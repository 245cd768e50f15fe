/** What an operator does with the keyring: replaces keys, revokes, and lists the sessions of a person. */

/** A session of a person that stores rows. Times are epoch milliseconds. */
export interface SessionPosition {
  readonly name: string
  readonly usedAt: number
  readonly expiresAt: number
}

export interface KeyringControl {
  /**
   * Replaces the keys before they are due: `publish` by keys that come into use a day later, `discard` at
   * once. Returns from when on the newest keys are used, in epoch milliseconds; undefined for a kind of keys
   * that does not exist.
   */
  replaceKeys(
    replacement: 'publish' | 'discard',
  ): Promise<{ readonly seal: number | undefined; readonly signing: number | undefined }>
  /**
   * Revokes everything that was issued to a client, or to everyone, before the returned time. Undefined when
   * too many clients are revoked.
   *
   * @param clientId undefined for everyone
   */
  revoke(clientId: string | undefined): Promise<number | undefined>
  /** @param person a digest */
  listSessions(person: string): Promise<readonly SessionPosition[]>
  /** Removes a session from the list, also when its object has no rows any more. @param person a digest */
  leaveSession(person: string, session: string): Promise<void>
}
