/** Groups the rows of a journal by kind. */
import type { EntryKind } from '../../src/dispatch/journal/journal.ts'
import type { JsonObject, JsonValue } from '../../src/protocol/json.ts'

type Kind = EntryKind | 'fresh'

interface Row {
  readonly key: string
  readonly kind: Kind
  readonly value: string | null
}

/**
 * Returns the values of the wanted kinds by key, in one pass over the rows. Other rows are not parsed: a
 * kind of a newer version has no meaning here.
 *
 * @param read returns the JSON text of a row, whose value may be stored elsewhere
 */
export function entriesByKind<Wanted extends Kind>(
  rows: readonly Row[],
  wanted: readonly Wanted[],
  read: (row: Row) => string,
): Readonly<Record<Wanted, JsonObject>> {
  // Maps, because a key may be the name of a member of `Object.prototype`.
  const entries = new Map<Kind, Map<string, JsonValue>>(wanted.map((kind) => [kind, new Map()]))
  for (const row of rows) entries.get(row.kind)?.set(row.key, JSON.parse(read(row)))
  const objects = [...entries].map(([kind, values]) => [kind, Object.fromEntries(values)])
  return Object.fromEntries(objects) as Record<Wanted, JsonObject>
}
