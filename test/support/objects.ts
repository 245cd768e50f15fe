/** The objects of the Worker of the tests: their stubs by kind and key, and the part inside of one. */
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { type HostedObject, OPENED } from '../../durable-objects/hosted-object.ts'
import type { KeyringObject } from '../../durable-objects/keyring/keyring-object.ts'
import type { RedeemedObject } from '../../durable-objects/keyring/redeemed-object.ts'
import { createSealer, type SealerObjects } from '../../durable-objects/keyring/sealer.ts'
import { type Kind, objectName, readObjectName } from '../../src/ports/object-kinds.ts'
import type { CallsOf, ObjectEvents } from '../../src/ports/objects.ts'

/** What `cloudflare:test` takes, with the calls of a part. */
export type TestStub<Part> = DurableObjectStub & CallsOf<Part> & { readonly [PART]?: Part }

/** For the compiler alone. */
declare const PART: unique symbol

export interface TestObjects<Part> {
  named(key: string): TestStub<Part>
}

/** Members that the stub itself has. All others are calls of the part. */
const OWN: readonly PropertyKey[] = ['fetch', 'id', 'name', 'constructor', 'connect']

/**
 * @param audience of the server; kinds that servers share need none
 * @param binding of the class. Default: that of the Worker of the tests
 */
export function objectsOfKind<Part>(
  kind: Kind,
  audience = '',
  binding: DurableObjectNamespace = env.MCP_OBJECTS,
): TestObjects<Part> {
  return {
    named: (key) => stubOf<Part>(kind, () => binding.getByName(objectName(kind, key, audience))),
  }
}

interface RpcStub extends DurableObjectStub {
  call(kind: Kind, method: string, parameters: readonly unknown[]): Promise<unknown>
}

/** A stub of the platform, which `cloudflare:test` recognizes, with another prototype: it has the calls of the part. */
function stubOf<Part>(kind: Kind, open: () => DurableObjectStub): TestStub<Part> {
  const [stub, rpc] = [open(), open() as RpcStub]
  const calls = new Proxy(Object.getPrototypeOf(stub), {
    get(prototype, member, receiver) {
      if (member === 'then') return undefined
      if (typeof member === 'symbol' || OWN.includes(member)) {
        return Reflect.get(prototype, member, receiver)
      }
      return async (...parameters: readonly unknown[]) => rpc.call(kind, member, parameters)
    },
  })
  return Object.setPrototypeOf(stub, calls)
}

/** Runs work in an object, with its part. */
export function inPart<Part, Result>(
  stub: TestStub<Part>,
  work: (part: Part, ctx: DurableObjectState) => Result | Promise<Result>,
): Promise<Result> {
  return runInDurableObject(stub as DurableObjectStub, (object, ctx) => {
    const part = (object as unknown as HostedObject)[OPENED]?.part
    return work(part as Part, ctx)
  })
}

/** What stands between a Worker and the objects of a kind. */
export interface Interception {
  /** @param next makes the call, once more each time. By default with the given parameters */
  call?(
    method: string,
    parameters: readonly unknown[],
    next: (...parameters: readonly unknown[]) => Promise<unknown>,
    key: string,
  ): unknown
  fetch?(request: Request, next: () => Promise<Response>, key: string): Promise<Response>
}

/** The objects of a deployment of its own: their names are those that a Worker gives, with another key. */
export function scopedObjects(deployment: string = crypto.randomUUID()) {
  const own = (name: string) => name.replace(/[^:]*$/, (key) => `${deployment}-${key}`)
  return { getByName: (name: string) => env.MCP_OBJECTS.getByName(own(name)) }
}

/** The objects of a kind of such a deployment, or of any other that has the binding. */
export function objectsIn<Part>(bindings: object, kind: Kind, audience = ''): TestObjects<Part> {
  const { MCP_OBJECTS } = bindings as { MCP_OBJECTS: DurableObjectNamespace }
  return objectsOfKind<Part>(kind, audience, MCP_OBJECTS)
}

/** The bindings of a Worker whose requests to the objects of a kind are intercepted. */
export function intercepting<Bindings extends object>(
  bindings: Bindings,
  kind: Kind,
  { call, fetch }: Interception,
): Bindings {
  const { MCP_OBJECTS = env.MCP_OBJECTS } = bindings as { MCP_OBJECTS?: DurableObjectNamespace }
  const getByName = (name: string) => {
    const stub = MCP_OBJECTS.getByName(name) as RpcStub
    const found = readObjectName(name)
    if (found?.kind !== kind) return stub
    return {
      call: async (of: Kind, method: string, given: readonly unknown[]) => {
        const next = (...parameters: readonly unknown[]) =>
          stub.call(of, method, parameters.length === 0 ? given : parameters)
        return call === undefined ? next() : call(method, given, next, found.key)
      },
      fetch: async (request: Request) => {
        const next = () => stub.fetch(request)
        return fetch === undefined ? next() : fetch(request, next, found.key)
      },
    }
  }
  return { ...bindings, MCP_OBJECTS: { getByName } } as unknown as Bindings
}

/** The bindings of a Worker that cannot reach the objects of a kind. */
export const failingAt = <Bindings extends object>(
  bindings: Bindings,
  kind: Kind,
  error: unknown = new Error('The object cannot be reached'),
): Bindings =>
  intercepting(bindings, kind, {
    call: () => Promise.reject(error),
    fetch: () => Promise.reject(error),
  })

/** A part whose calls of one method are replaced. */
export function replaceMethod(
  part: object,
  name: string,
  replace: (call: Method) => Method,
): ObjectEvents {
  const replaced = replace(Reflect.get(part, name).bind(part))
  return new Proxy(part, {
    get(target, member) {
      if (member === name) return replaced
      const value = Reflect.get(target, member)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

type Method = (...parameters: readonly unknown[]) => unknown

/** The objects that seal and redeem. */
export const sealerObjects = (): SealerObjects => ({
  keyring: objectsOfKind<KeyringObject>('keyring'),
  redeemed: objectsOfKind<RedeemedObject>('redeemed'),
})

/** The sealer of the apps of the tests. */
export const testSealer = () => createSealer(sealerObjects(), undefined)
