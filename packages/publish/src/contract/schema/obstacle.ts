/** Why a value that one schema allows may not be allowed by another. */

export type ObstacleCode =
  /** A member that the receiver requires, and the sender may leave out. */
  | 'missing'
  /** A member of one side is not in the other. */
  | 'removed'
  /** A member, or an item, that the receiver does not allow. */
  | 'closed'
  /** Members or items that the sender does not name. */
  | 'open'
  | 'type'
  /** Single values that the receiver does not allow. */
  | 'values'
  /** The receiver allows a list of values alone. */
  | 'choices'
  /** None of the alternatives of the receiver allows it. */
  | 'alternative'
  /** A limit, a pattern, a format or another keyword. */
  | 'keyword'
  /** It cannot be decided. */
  | 'unknown'

export interface Obstacle {
  readonly code: ObstacleCode
  /** The place in the value: `filter.tags[]`. Empty for the value itself. */
  readonly at: string
  /** The keyword, for the codes that concern one. */
  readonly keyword?: string
  /** What each side says. Undefined: nothing. */
  readonly sent?: string | undefined
  readonly received?: string | undefined
  /** Whether the other side may allow all values all the same. */
  readonly isUndecided?: true
}

const PLAIN_NAME = /^[A-Za-z_$][\w$-]*$/

export function memberAt(at: string, name: string): string {
  const step = PLAIN_NAME.test(name) || name === '*' ? name : JSON.stringify(name)
  return at === '' ? step : `${at}.${step}`
}
