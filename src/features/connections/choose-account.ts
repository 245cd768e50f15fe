/** Which of the accounts that an app may use is meant. */
import type { AccountName, Use } from './store.ts'

export type Chosen<Account> =
  | { readonly kind: 'account'; readonly account: Account }
  | { readonly kind: 'none' }
  | { readonly kind: 'choose' | 'unknown' | 'ambiguous'; readonly labels: readonly string[] }

export interface Choosable extends AccountName {
  readonly isDefault?: boolean | undefined
}

/** @param usable in the order in which they were connected */
export function chooseAccount<Account>(
  usable: readonly Account[],
  nameOf: (account: Account) => Choosable,
  { account: wanted, mustChoose }: Pick<Use, 'account' | 'mustChoose'>,
): Chosen<Account> {
  const [first, second] = usable
  if (first === undefined) return { kind: 'none' }
  const labels = usable.map((account) => nameOf(account).label)
  if (wanted !== undefined) {
    const [named, other] = usable.filter((account) => {
      const { id, label } = nameOf(account)
      return id === wanted || label === wanted
    })
    if (named === undefined) return { kind: 'unknown', labels }
    return other === undefined ? { kind: 'account', account: named } : { kind: 'ambiguous', labels }
  }
  const preferred = usable.find((account) => nameOf(account).isDefault)
  if (second !== undefined && preferred === undefined && mustChoose)
    return { kind: 'choose', labels }
  return { kind: 'account', account: preferred ?? first }
}
