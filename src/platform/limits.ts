/** Resolves limits: those of an app, and those that are options of a feature. Durations are in milliseconds. */
import { MAX_TIMER_MS } from './deadline.ts'

/**
 * The limits with their defaults.
 *
 * @param owner whose options they are, which begins each error
 * @param maxima the largest values, where there are any. Those that a timer waits for have `MAX_TIMER_MS`
 * @throws {TypeError} for an option that does not exist, and for a value out of its range
 */
export function resolveLimits<Limits extends object>(
  owner: string,
  defaults: Limits,
  given: { readonly [Name in keyof Limits]?: Limits[Name] | undefined } = {},
  maxima: { readonly [Name in keyof Limits]?: number } = {},
): Limits {
  const resolved = { ...defaults }
  for (const [name, value] of Object.entries<unknown>(given)) {
    if (!Object.hasOwn(defaults, name)) {
      throw new TypeError(`${owner}: there is no option "${name}"`)
    }
    if (value === undefined) continue
    const maximum = maxima[name as keyof Limits] ?? Number.POSITIVE_INFINITY
    for (const number of [value].flat()) check(`${owner}: ${name}`, number, name, maximum)
    Object.assign(resolved, { [name]: value })
  }
  return resolved
}

function check(subject: string, value: unknown, name: string, maximum: number): void {
  if (typeof value !== 'number' || !(value > 0)) {
    throw new TypeError(`${subject} must be a number above 0`)
  }
  if (!/Ms$/.test(name) && !Number.isSafeInteger(value)) {
    throw new TypeError(`${subject} must be an integer`)
  }
  if (value > maximum) {
    const days = maximum === MAX_TIMER_MS ? ', 24 days' : ''
    throw new TypeError(`${subject} must be at most ${maximum}${days}`)
  }
}
