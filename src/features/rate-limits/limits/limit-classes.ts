/** The classes of rate limits: the built-in ones with their defaults, and those that an owner adds for tools. */
import type { NetworkClass } from '../../../ports/rate-limits.ts'

export interface RateLimit {
  /** Requests of one key in a period: an integer of at least 1. The binding of the class replaces it. */
  readonly limit: number
  /**
   * The period, and the `Retry-After` of a refusal: 10 or 60 seconds. The period of the binding must be the
   * same. Default 60.
   */
  readonly periodSeconds?: 10 | 60
}

export interface RateLimitOptions {
  /**
   * Limits by class. `false` lifts a built-in class. Any other name is a class for tools: see the tool
   * option `limitClass`.
   */
  readonly classes?: Readonly<Record<string, RateLimit | false>>
  /**
   * Networks of hosted clients, whose users share addresses: ranges in CIDR notation, by name. Default:
   * `HOSTED_NETWORKS`, which this option replaces.
   */
  readonly hostedNetworks?: Readonly<Record<string, readonly string[]>>
}

export type BuiltInClass = 'principal' | 'hosted-network' | 'callback-host' | NetworkClass

/** Requests per minute. */
export const DEFAULT_RATE_LIMITS: Readonly<Record<BuiltInClass, number>> = {
  // 20 a second: twenty agents of one person that call a tool every second, or a CI suite of 1,000 calls.
  principal: 1_200,
  // The same for a server without authorization, whose callers no token distinguishes.
  network: 1_200,
  // Many people share the address.
  'hosted-network': 12_000,
  // A client registers once, some at each start: twenty computers of one office that connect the same app.
  register: 30,
  // Connecting an app takes three or four pages: thirty people of one office in the same minute.
  authorize: 120,
  // A client refreshes once a day. Twenty clients that reconnect after a deploy need twenty.
  token: 120,
  // A person needs one or two attempts.
  'sign-in': 60,
  // Each is a request of this server to another host. A popular client needs one for all its users.
  'client-documents': 30,
  // Each is a request of this server to another host, which a caller names.
  'callback-host': 60,
}

const DEFAULT_PERIOD_SECONDS = 60

/** Lower case, so that each class has a binding of its own. */
const NAME = /^[a-z][a-z0-9-]{0,39}$/

/** The class, and what it counts up to. A class that is lifted has no limit. */
export interface LimitClass {
  readonly limit: number
  readonly periodSeconds: number
}

/** @throws {TypeError} for an invalid name, limit or period, and for an option that does not exist */
export function resolveClasses(
  configured: RateLimitOptions['classes'] = {},
): ReadonlyMap<string, LimitClass | false> {
  const classes = new Map<string, LimitClass | false>()
  for (const [name, limit] of Object.entries(DEFAULT_RATE_LIMITS)) {
    classes.set(name, { limit, periodSeconds: DEFAULT_PERIOD_SECONDS })
  }
  for (const [name, limit] of Object.entries(configured)) {
    const subject = `rateLimits.classes[${JSON.stringify(name)}]`
    if (!NAME.test(name)) {
      throw new TypeError(`${subject}: use 1 to 40 of the characters a-z 0-9 -, a letter first`)
    }
    classes.set(name, limit === false ? false : resolveClass(subject, limit))
  }
  return classes
}

function resolveClass(subject: string, configured: unknown): LimitClass {
  if (typeof configured !== 'object' || configured === null) {
    throw new TypeError(`${subject} must be { limit, periodSeconds } or false`)
  }
  const { limit, periodSeconds = DEFAULT_PERIOD_SECONDS, ...others } = configured as RateLimit
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw new TypeError(`${subject} has no option "${unknown}"`)
  if (!Number.isSafeInteger(limit) || limit < 1) {
    throw new TypeError(`${subject}: limit must be an integer of at least 1`)
  }
  // The platform's binding has no other periods.
  if (periodSeconds !== 10 && periodSeconds !== 60) {
    throw new TypeError(`${subject}: periodSeconds must be 10 or 60`)
  }
  return { limit, periodSeconds }
}

export function isBuiltIn(name: string): boolean {
  return Object.hasOwn(DEFAULT_RATE_LIMITS, name)
}
