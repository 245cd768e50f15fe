/** The class of a feature that an app does not have, or does not have any more. */
import { DurableObject } from '#runtime'

/** How long the alarms of an object are deferred: at first, and at most. */
const FIRST_DELAY_MS = 10_000
const LONGEST_DELAY_MS = 60 * 60 * 1000

const UNUSED: unique symbol = Symbol.for('edgeway.unused-object')

/** The delay of the last alarm in milliseconds, beside the rows of the feature. */
const DELAY = 'edgeway:unused-alarm-delay'

/**
 * Keeps the rows of its objects and serves nothing. The migrations of a deployed Worker name a class also after
 * its feature was removed, so the Worker must export one, but need not bundle the feature:
 * `export { UnusedObject as McpTask } from 'edgeway'`. It is the class of a conditional feature too:
 * `export class McpLog extends (edgeway.objects.McpLog ?? UnusedObject) {}`.
 *
 * An alarm that is due is deferred, because the platform forgets an alarm that has run: at first by ten
 * seconds, then each time by twice the last delay, and at most by an hour. So an object whose feature returns, such as a task
 * that sleeps, goes on after an hour at the latest. Rows that expire meanwhile are not deleted.
 */
export const UnusedObject: new (
  ctx: DurableObjectState,
  env: Cloudflare.Env,
) => DurableObject<Cloudflare.Env> = class UnusedObject extends DurableObject {
  /** By this member, `edgeway doctor --config` recognises the class. */
  static readonly [UNUSED] = true

  override async alarm(): Promise<void> {
    const last = this.ctx.storage.kv.get<number>(DELAY)
    const delay = last === undefined ? FIRST_DELAY_MS : Math.min(last * 2, LONGEST_DELAY_MS)
    this.ctx.storage.kv.put(DELAY, delay)
    await this.ctx.storage.setAlarm(Date.now() + delay)
  }
}
