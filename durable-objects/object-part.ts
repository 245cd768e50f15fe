/** What all parts of objects have: an object is of one kind, and its part is what it stores and does. */
import type { ObjectEvents } from '../src/ports/objects.ts'

/** A part has the members of a `DurableObject`. Its methods but those of {@link ObjectEvents} can be called. */
export abstract class ObjectPart {
  protected readonly ctx: DurableObjectState
  protected readonly env: Cloudflare.Env

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    this.ctx = ctx
    this.env = env
  }
}

type Method = (...parameters: readonly unknown[]) => unknown

/** Members that are no calls. */
const EVENTS: ReadonlySet<string> = new Set<'constructor' | keyof ObjectEvents>([
  'constructor',
  'fetch',
  'alarm',
  'webSocketMessage',
  'webSocketClose',
  'webSocketError',
])

const methodsOf = new WeakMap<object, ReadonlyMap<string, Method>>()

/** The methods of a part by name, read once for each class. */
export function partMethods(part: object): ReadonlyMap<string, Method> {
  const prototype = Object.getPrototypeOf(part)
  const known = methodsOf.get(prototype)
  if (known !== undefined) return known
  const methods = new Map<string, Method>()
  for (let at = prototype; at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
      if (typeof value === 'function' && !EVENTS.has(name) && !methods.has(name))
        methods.set(name, value)
    }
  }
  methodsOf.set(prototype, methods)
  return methods
}
