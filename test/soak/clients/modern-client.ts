/** A client of 2026-07-28: calls with request states, tasks, and a subscription. */
import { delay } from '../../faults/sessions/delay.ts'
import { planCall } from '../calls.ts'
import type { ClientLedger } from '../ledger/ledger.ts'
import type { Random } from '../random.ts'
import { planTask } from '../tasks.ts'
import { type ClientSetting, callContext, nextId, type SoakClient } from './client.ts'
import { ModernCall } from './modern-call.ts'
import { SoakTask } from './soak-task.ts'
import { Subscription } from './subscription.ts'
import { ModernTasks } from './task-wire.ts'

/** Share of the operations that are tasks, which take longer than others. */
const TASK_SHARE = 0.2

export class ModernClient implements SoakClient {
  readonly workers = 2
  readonly #setting: ClientSetting
  readonly #subscription: Subscription

  constructor(setting: ClientSetting) {
    this.#setting = setting
    this.#subscription = new Subscription(setting)
  }

  get ledger(): ClientLedger {
    return this.#setting.ledger
  }

  async open(): Promise<void> {
    void this.#subscription.follow()
    await this.#subscription.acknowledged
  }

  async operate(random: Random): Promise<void> {
    if (random.chance(TASK_SHARE)) {
      const plan = planTask(random, `task-${nextId()}`, this.#setting.server.isProtected, true)
      await new SoakTask(this.#setting, new ModernTasks(this.#setting), random, plan).run()
    } else {
      const call = planCall(callContext(this.#setting, random))
      await new ModernCall(this.#setting, call, random).run()
    }
    await delay(random.between(0, 20))
  }

  async settle(): Promise<void> {
    await this.#subscription.settle()
  }
}
