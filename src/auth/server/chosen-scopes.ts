/** The scopes of a consent page that the person may leave out, and those that the person has left out. */
import type { ScopeTable } from '../resource/scopes.ts'
import type { ConsentRequest } from './consent-request.ts'

type Inclusion = Pick<ScopeTable, 'expand'>

/**
 * Those that no other shown scope includes: leaving out one of the others would change nothing. With a single
 * scope, Allow and Deny are the choice.
 */
export function choosableScopes(table: Inclusion, shown: readonly string[]): ReadonlySet<string> {
  if (shown.length < 2) return new Set()
  const included = new Set(
    shown.flatMap((name) => table.expand([name]).filter((part) => part !== name)),
  )
  return new Set(shown.filter((name) => !included.has(name)))
}

/** The scopes that the person has left out. A form without the choice leaves out none. */
export function leftOutBy(
  form: ReadonlyMap<string, string>,
  { offered, scopes }: Pick<ConsentRequest, 'offered' | 'scopes'>,
  table: Inclusion,
): readonly string[] {
  if (form.get('choice') !== 'yes') return []
  const choosable = choosableScopes(table, offered ?? scopes)
  return [...choosable].filter((name) => form.get(`scope ${name}`) !== 'yes')
}

/** The shown scopes without those that the person has left out. */
export function chosenScopes({
  scopes,
  offered = scopes,
  leftOut = [],
}: Pick<ConsentRequest, 'offered' | 'scopes' | 'leftOut'>): readonly string[] {
  return offered.filter((name) => !leftOut.includes(name))
}
