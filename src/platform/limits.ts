/** Resolves limits: those of an app, and those that are options of a feature. Durations are in milliseconds. */
import { MAX_TIMER_MS } from './deadline.ts'

const isDuration = (name: string) => name.endsWith('Ms')

/**
 * The limits with their defaults.
 *
 * @param owner whose options they are, which begins each error
 * @param maxima the largest values, where there are any. `timers`: a timer waits for every duration
 * @throws {TypeError} for an option that does not exist, and for a value out of its range
 */
export function resolveLimits<Limits extends object>(
  owner: string,
  defaults: Limits,
  given: { readonly [Name in keyof Limits]?: Limits[Name] | undefined } = {},
  maxima: { readonly [Name in keyof Limits]?: number } | 'timers' = {},
): Limits {
  const resolved = { ...defaults }
  const maximumOf = (name: string) =>
    maxima !== 'timers' ? maxima[name as keyof Limits] : isDuration(name) ? MAX_TIMER_MS : undefined
  for (const [name, value] of Object.entries<unknown>(given)) {
    const fail = (what: string) => new TypeError(`${owner}: ${what}`)
    if (!Object.hasOwn(defaults, name)) throw fail(`there is no option "${name}"`)
    if (value === undefined) continue
    const maximum = maximumOf(name) ?? Number.POSITIVE_INFINITY
    for (const number of [value].flat()) {
      if (typeof number !== 'number' || !(number > 0))
        throw fail(`${name} must be a number above 0`)
      if (!isDuration(name) && !Number.isSafeInteger(number))
        throw fail(`${name} must be an integer`)
      const days = maximum === MAX_TIMER_MS ? ', 24 days' : ''
      if (number > maximum) throw fail(`${name} must be at most ${maximum}${days}`)
    }
    Object.assign(resolved, { [name]: value })
  }
  return resolved
}
