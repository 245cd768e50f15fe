/** Delays guessing of secrets that people choose. */

/** A count of guesses from several keys, such as those of one network. */
export interface WiderCount {
  readonly key: string
  /** Failed guesses that cause no wait, as a multiple of `throttleFailures`. */
  readonly capacity: number
}

/**
 * One guess whose verification takes time: it is counted twice, at its beginning, where nothing is known about
 * it (`correct` is true), and at its end. In between it takes the room of an incorrect one.
 */
export interface PendingGuess {
  readonly id: string
  /** Default: it begins. */
  readonly ends?: boolean
}

export interface Throttle {
  /**
   * Counts one guess under a key, and in wider counts that include the key. The caller reveals whether
   * the guess was correct only when it is allowed, which it is while none of the counts waits. Incorrect
   * guesses are counted. Correct and refused guesses change no count. A guess that was allowed to begin is
   * allowed to end.
   *
   * @param wider from narrow to wide. Guesses that share a count must also share the last one, because
   *   it names the object that has all of them.
   */
  guess(
    key: string,
    correct: boolean,
    wider?: readonly WiderCount[],
    pending?: PendingGuess,
  ): Promise<{ readonly allowed: boolean; readonly retryAfterSeconds: number }>
}
