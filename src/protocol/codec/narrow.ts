/**
 * Narrows values of the neutral model to what a revision has. Every member of a neutral type has a rule here: a new one
 * does not compile before it is decided which revisions send it. A member without a rule is not sent.
 */
import { isJsonObject } from '../json.ts'
import type { WireFeatures } from '../revisions.ts'

/**
 * `all`: every revision sends the member. A feature: the revisions that have it. A function: as what a revision sends
 * the value, and undefined where it does not.
 */
export type Rule<Value> =
  | 'all'
  | keyof WireFeatures
  | ((value: Value, features: WireFeatures) => unknown)

export type Rules<T> = { readonly [Member in keyof T]-?: Rule<NonNullable<T[Member]>> }

/** Returns the object itself where the revision sends all of it, and an author's value that is no object as it is. */
export function narrow<T extends object>(
  item: T,
  rules: Rules<NoInfer<T>>,
  features: WireFeatures,
): object {
  if (!isJsonObject(item)) return item
  const members: Readonly<Record<string, unknown>> = item
  const ruleOf = rules as Readonly<Record<string, Rule<unknown>>>
  let narrowed: Record<string, unknown> | undefined
  const names = Object.keys(members)
  for (const [index, name] of names.entries()) {
    const value = members[name]
    const rule = Object.hasOwn(ruleOf, name) ? ruleOf[name] : undefined
    const sent =
      rule === undefined || value === undefined ? undefined : apply(rule, value, features)
    if (sent === undefined || sent !== value) {
      narrowed ??= Object.fromEntries(names.slice(0, index).map((same) => [same, members[same]]))
    }
    if (narrowed !== undefined && sent !== undefined) narrowed[name] = sent
  }
  return narrowed ?? item
}

function apply(rule: Rule<unknown>, value: unknown, features: WireFeatures): unknown {
  if (rule === 'all') return value
  if (typeof rule === 'function') return rule(value, features)
  return features[rule] ? value : undefined
}

/** The rule of a member that is an object with rules of its own. */
export const members =
  <T extends object>(rules: Rules<T>) =>
  (value: T, features: WireFeatures): object =>
    narrow(value, rules, features)

/** The rule of a list, whose elements have one. Returns the list itself where all of it is sent, and no list as it is. */
export const each =
  <T extends object>(rule: (value: T, features: WireFeatures) => object) =>
  (values: readonly T[], features: WireFeatures): readonly object[] => {
    if (!Array.isArray(values)) return values
    const narrowed = values.map((value) => rule(value, features))
    return narrowed.every((value, index) => value === values[index]) ? values : narrowed
  }
