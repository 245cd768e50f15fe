/** One detail of a step: of a header, a parameter or a member of a document. */
import type { Details } from '../../objects/log/port.ts'

/** One detail of a value, as it may be recorded; none of an absent value. */
export function detail<T>(
  name: string,
  value: T | undefined,
  recorded: (value: T) => string | number,
): Details {
  return value === undefined ? {} : { [name]: recorded(value) }
}
