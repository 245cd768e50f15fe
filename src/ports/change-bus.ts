/** News of changes, from anywhere in the deployment to every listener. */

/** What changed. `subject` limits it to one principal's listeners; without it everybody hears. */
export type Change =
  | { readonly kind: 'tools' | 'prompts' | 'resources'; readonly subject?: string | undefined }
  | { readonly kind: 'updated'; readonly uri: string; readonly subject?: string | undefined }

export type ChangeKind = Change['kind']

/** One listener's line to the hub. */
export interface ChangeFeed {
  /** Ends the line; calls back no more. */
  close(): void
}

export interface ChangeBus {
  /** Resolves once every shard has taken the news. */
  publish(change: Change): Promise<void>

  /**
   * Opens a line for one listener.
   *
   * @param kinds only these are delivered
   * @param subject whose news beside everybody's; undefined for an anonymous listener
   * @param onChange called for each change, in order, each once
   * @param onLost called once, when the line breaks by itself
   * @throws {ChangeBusFullError} when the hub has no room for another listener of this subject
   */
  listen(
    kinds: readonly ChangeKind[],
    subject: string | undefined,
    onChange: (change: Change) => void,
    onLost: () => void,
  ): Promise<ChangeFeed>
}

/** The hub has as many listeners as it takes. */
export class ChangeBusFullError extends Error {
  override readonly name = 'ChangeBusFullError'
}
