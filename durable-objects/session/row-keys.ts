/**
 * Keys of a session's rows: the names of its settings, and the owners of texts that are stored in
 * parts. Ids are hexadecimal (`random-token.ts`), so none contains a wildcard of a LIKE pattern.
 */

/** One row each in the table `settings`. */
export const Setting = {
  /** The claims of the session id, for an alarm, which brings no id. */
  claims: 'claims',
  /** What the client of the transport of 2024-11-05 declared in its handshake. */
  client: 'client',
  logLevel: 'log-level',
  /** What the handlers of the session keep. */
  state: 'state',
  /** The position in the hub up to which changes were appended to a log. */
  changePosition: 'change-position',
  /** The digest of the lists that the last notification was about. */
  lists: 'lists',
  /** The digest of issuer and subject under which a `principals` object counts this session. */
  principal: 'principal',
  /** `1` after the client has held a stream with GET. */
  heldStream: 'held-stream',
  /** The last request of a client that has never held one, to the hour. */
  usedAt: 'used-at',
  /** Since when the one stream of the transport of 2024-11-05 has no reader. */
  absentSince: 'absent-since',
  /** When the tombstone of a terminated session expires. */
  endedUntil: 'ended-until',
} as const

export type Setting = (typeof Setting)[keyof typeof Setting]

export function eventKey(stream: string, seq: number): string {
  return `event ${stream} ${seq}`
}

/** A LIKE pattern for the keys of all events of a stream. */
export function eventKeys(stream: string): string {
  return `event ${stream} %`
}

export function taskAskKey(askId: string): string {
  return `task-ask ${askId}`
}
