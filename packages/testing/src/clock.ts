/** A clock that a test sets: lifetimes of tokens, states, sessions and caches pass without waiting. */

export interface TestClock {
  /** Moves the time forward. Timers are not affected, and neither are alarms of Durable Objects. */
  advance(ms: number): void
  /** Puts the real clock back. */
  restore(): void
  [Symbol.dispose](): void
}

/**
 * Replaces `Date` by one that a test moves.
 *
 * @param start the first time. Default: now; the clock goes on from there
 */
export function createClock(start: Date | string | number = Date.now()): TestClock {
  const RealDate = globalThis.Date
  let offsetMs = new RealDate(start).getTime() - RealDate.now()
  const now = () => RealDate.now() + offsetMs
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    apply: () => new RealDate(now()).toString(),
    get: (target, key, receiver) => (key === 'now' ? now : Reflect.get(target, key, receiver)),
  })
  const restore = () => {
    globalThis.Date = RealDate
  }
  return {
    advance: (ms) => {
      offsetMs += ms
    },
    restore,
    [Symbol.dispose]: restore,
  }
}
