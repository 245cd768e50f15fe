/** Counts guesses of secrets that people choose: a shard of the counts. */
import type { AccountLimits } from '../../src/ports/account-limits.ts'
import type { PendingGuess, Throttle, WiderCount } from '../../src/ports/throttle.ts'
import { ObjectPart } from '../object-part.ts'
import { ExpiringStorage } from './account-storage.ts'
import { GuessCounters } from './guess-counters.ts'
import { createThrottleStatements, MIGRATIONS } from './throttle-schema.ts'

export class ThrottleObject extends ObjectPart implements Throttle {
  readonly #storage = new ExpiringStorage(this.ctx, MIGRATIONS, createThrottleStatements)
  readonly #guesses: GuessCounters

  constructor(ctx: DurableObjectState, env: Cloudflare.Env, limits: AccountLimits) {
    super(ctx, env)
    this.#guesses = new GuessCounters(this.#storage, limits)
  }

  async guess(
    key: string,
    correct: boolean,
    wider: readonly WiderCount[] = [],
    pending?: PendingGuess,
  ) {
    return this.#guesses.guess([{ key, capacity: 1 }, ...wider], correct, pending)
  }

  async alarm(): Promise<void> {
    await this.#storage.purge()
  }
}
