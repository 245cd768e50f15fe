/**
 * Shifts the clock of a Worker, so that recorded state is opened at the time at which it was recorded,
 * however long ago that was: the clock continues where the recording ended.
 */
import type { WorkerBundle } from '../../scripts/support/bundle-cache.ts'

/** The parts of the platform that have a clock. They are the Worker's, not those of Node.js. */
interface ObjectState {
  readonly storage: {
    setAlarm(time: number | Date, options?: object): Promise<void>
    getAlarm(options?: object): Promise<number | null>
  }
  getWebSocketAutoResponseTimestamp(socket: unknown): Date | null
}

type DurableObjectClass = new (ctx: ObjectState, env: unknown) => object

/** @param offsetMs added to the real time */
export function withClock(bundle: WorkerBundle, offsetMs: number): WorkerBundle {
  const lines = [
    "import { DurableObject as ClockedObject } from 'cloudflare:workers'",
    `;(${shiftClock})(ClockedObject, ${offsetMs})`,
    bundle.script,
  ]
  return { ...bundle, script: lines.join('\n') }
}

/** Runs in the Worker before its own module does, as text: it may refer to nothing outside itself. */
function shiftClock(DurableObject: DurableObjectClass, offsetMs: number): void {
  const RealDate = Date
  globalThis.Date = class extends RealDate {
    constructor(...time: readonly number[]) {
      super(...((time.length === 0 ? [RealDate.now() + offsetMs] : time) as [number]))
    }

    static override now(): number {
      return RealDate.now() + offsetMs
    }
  } as DateConstructor

  const shifted = new WeakSet<object>()
  const shiftState = (ctx: ObjectState) => {
    const state: ObjectState = Object.getPrototypeOf(ctx)
    const storage: ObjectState['storage'] = Object.getPrototypeOf(ctx.storage)
    if (shifted.has(storage)) return
    shifted.add(storage)
    // The platform's alarms are of the real time.
    const { setAlarm, getAlarm } = storage
    storage.setAlarm = function (time, options) {
      return setAlarm.call(this, Number(time) - offsetMs, options)
    }
    storage.getAlarm = async function (options) {
      const time = await getAlarm.call(this, options)
      return time === null ? null : time + offsetMs
    }
    const { getWebSocketAutoResponseTimestamp: timestamp } = state
    state.getWebSocketAutoResponseTimestamp = function (socket) {
      const time = timestamp.call(this, socket)
      return time === null ? null : new RealDate(time.getTime() + offsetMs)
    }
  }
  // The constructor of the base class assigns `ctx`. No other code sees every object's storage.
  Object.defineProperty(DurableObject.prototype, 'ctx', {
    set(ctx: ObjectState) {
      shiftState(ctx)
      Object.defineProperty(this, 'ctx', { value: ctx, writable: true, configurable: true })
    },
  })
}
