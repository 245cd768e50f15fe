/** An object that this version of the Worker has no part for: it keeps its rows, and serves nothing. */
import { DurableObject } from '#runtime'
import { notInThisVersion } from '../src/platform/object-error.ts'

/** How long its alarms are deferred: at first, and at most. */
const FIRST_DELAY_MS = 10_000
const LONGEST_DELAY_MS = 60 * 60 * 1000

/** The delay of the last alarm in milliseconds, beside the rows of the kind. */
const DELAY = 'edgeway:unused-alarm-delay'

/** The status of its answer to a request for a socket. No part has it. */
export const NOT_IN_VERSION_STATUS = 421

/** The class of an app that brings no kind of objects, and the base of the class of one that does. */
export class UnusedObject<Env = Cloudflare.Env> extends DurableObject<Env> {
  /**
   * The one RPC of all kinds. Only Edgeway calls it.
   *
   * @throws {Error} for another kind, and a method that this version does not have: see `isNotInThisVersion`
   */
  async call(kind: string, method: string, _parameters: readonly unknown[]): Promise<unknown> {
    throw notInThisVersion(`${kind}.${method}`)
  }

  override fetch(_request: Request): Response | Promise<Response> {
    return new Response(null, { status: NOT_IN_VERSION_STATUS })
  }

  /**
   * The platform forgets an alarm that has run, so one that is due is deferred: each time by twice the last delay, and at
   * most by an hour. An object whose feature returns goes on after an hour at the latest.
   */
  override alarm(): void | Promise<void> {
    const { storage } = this.ctx
    const last = storage.kv.get<number>(DELAY)
    const delay = last === undefined ? FIRST_DELAY_MS : Math.min(last * 2, LONGEST_DELAY_MS)
    storage.kv.put(DELAY, delay)
    return storage.setAlarm(Date.now() + delay)
  }
}
