/** Random choices that a seed determines. */
import { fnv1a } from '../../src/platform/fnv.ts'

const MAX_SEED = 2 ** 31

export class Random {
  readonly #seed: number
  #state: number

  constructor(seed: number) {
    this.#seed = seed >>> 0
    this.#state = this.#seed
  }

  static newSeed(): number {
    return Math.floor(Math.random() * MAX_SEED)
  }

  /** A generator for one part of a run, so that the number of choices in one part changes no other part. */
  fork(part: string): Random {
    return new Random(fnv1a(part, this.#seed))
  }

  /** At least 0 and less than 1. The generator is mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** An integer from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1))
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  /** A generator for which every chance comes true. */
  eager(): Random {
    const eager = new Random(this.#seed)
    eager.chance = () => true
    return eager
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.between(0, items.length - 1)]
    if (item === undefined) throw new TypeError('There is nothing to pick')
    return item
  }

  /** Picks one of several values, each as often as its weight says. */
  pickWeighted<T>(items: readonly (readonly [weight: number, item: T])[]): T {
    let at = this.next() * items.reduce((sum, [weight]) => sum + weight, 0)
    for (const [weight, item] of items) {
      at -= weight
      if (at < 0) return item
    }
    return this.pick(items)[1]
  }
}
