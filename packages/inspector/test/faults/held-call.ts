/** Holds a call of an object in a Worker, so that a test kills the process at a known point. */
import type { WorkerBundle } from '../../../../scripts/support/bundle-cache.ts'

/** Calls of a method since the start of the server, of all objects, from the `count`-th on. */
export interface HeldCall {
  readonly method: string
  readonly count: number
}

/** What the server logs when the call is held. */
export const HELD = 'The call is held'

/** The calls begin nothing, and never end. */
export function withHeldCall(bundle: WorkerBundle, { method, count }: HeldCall): WorkerBundle {
  const values = [method, count, HELD].map((value) => JSON.stringify(value))
  const lines = [
    "import { DurableObject as HeldObject } from 'cloudflare:workers'",
    `;(${holdCall})(HeldObject, ${values.join(', ')})`,
    bundle.script,
  ]
  return { ...bundle, script: lines.join('\n') }
}

type Call = (this: object, kind: string, method: string, parameters: unknown[]) => unknown

/** Runs in the Worker before its own module does, as text: it may refer to nothing outside itself. */
function holdCall(
  DurableObject: { readonly prototype: object },
  method: string,
  count: number,
  held: string,
): void {
  const known = new WeakSet<object>()
  let calls = 0
  const hold = (owner: { call: Call }) => {
    const { call } = owner
    owner.call = async function (kind, called, parameters) {
      if (called === method) calls++
      if (called === method && calls >= count) {
        // biome-ignore lint/suspicious/noConsole: the test waits for this line
        console.log(held)
        // A promise without a timer would be ended by the platform.
        await new Promise((resolve) => setTimeout(resolve, 3_600_000))
      }
      return call.call(this, kind, called, parameters)
    }
  }
  // The constructor of the base class assigns `env`. No other code sees the class of every object.
  Object.defineProperty(DurableObject.prototype, 'env', {
    set(env: unknown) {
      let owner = Object.getPrototypeOf(this)
      for (; owner !== DurableObject.prototype; owner = Object.getPrototypeOf(owner)) {
        if (!Object.hasOwn(owner, 'call')) continue
        if (!known.has(owner)) hold(owner)
        known.add(owner)
        break
      }
      Object.defineProperty(this, 'env', { value: env, writable: true, configurable: true })
    },
  })
}
