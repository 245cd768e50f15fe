/** Refreshes the tokens of a caller while its clients use them, and redeems codes. */
import { delay } from '../../faults/sessions/delay.ts'
import type { ClientLedger } from '../ledger/ledger.ts'
import type { Random } from '../random.ts'
import type { SoakClient } from './client.ts'
import type { TokenCaller } from './token-caller.ts'

export class TokenWorker implements SoakClient {
  readonly workers = 1
  readonly #caller: TokenCaller

  constructor(caller: TokenCaller) {
    this.#caller = caller
  }

  get ledger(): ClientLedger {
    return this.#caller.ledger
  }

  async open(): Promise<void> {
    // The caller has its tokens before its clients connect.
  }

  async operate(random: Random): Promise<void> {
    if (random.chance(0.7)) await this.#caller.refresh(random)
    else await this.#caller.redeem(random)
    await delay(random.between(0, 300))
  }

  async settle(): Promise<void> {
    // Each operation checks its own credentials.
  }
}
