/** `MCP_OBJECTS` as an app of one test sees it: with objects that no other test knows, and with calls that fail. */
import { env } from 'cloudflare:workers'
import { createAppObjects } from '../../../../durable-objects/app-objects.ts'
import { type Kind, readObjectName } from '../../../../src/ports/object-kinds.ts'
import type { ObjectsOfKind } from '../../../../src/ports/objects.ts'

type Bindings = Readonly<Record<string, unknown>>

interface RawStub {
  call(kind: Kind, method: string, parameters: readonly unknown[]): Promise<unknown>
  fetch(request: Request): Promise<Response>
}

interface RawNamespace {
  getByName(name: string): RawStub
}

/** The kinds that a deployment of a test has for itself. Those in which handlers run are called by other objects too. */
export const OWN_KINDS: readonly string[] = [
  'account',
  'throttle',
  'documents',
  'keyring',
  'principals',
  'redeemed',
  'timeline',
  'traffic',
  'connections',
]

/** @returns the binding, whose keys of some kinds have a prefix */
export function scopedObjects(prefix: string, kinds: readonly string[] = OWN_KINDS): Bindings {
  const objects = env.MCP_OBJECTS as unknown as RawNamespace
  const scoped: RawNamespace = {
    getByName(name) {
      const kind = readObjectName(name)?.kind
      const isOwn = kind !== undefined && kinds.includes(kind)
      return objects.getByName(isOwn ? name.replace(/[^:]*$/, (key) => `${prefix}-${key}`) : name)
    },
  }
  return { MCP_OBJECTS: scoped }
}

/** One call of an object. `fetch` is the method of a request. */
export interface ObjectCall {
  readonly kind: string
  readonly key: string
  readonly method: string
  readonly parameters: readonly unknown[]
}

/** Answers a call of an object, or continues with the object. */
export type Answer = (call: ObjectCall, next: () => Promise<unknown>) => unknown

/** The same bindings, whose calls of objects are answered by the test. */
export function answerCalls(bindings: Bindings, answer: Answer): Bindings {
  const objects = bindings.MCP_OBJECTS as RawNamespace
  const answered: RawNamespace = {
    getByName(name) {
      const { kind, key } = readObjectName(name) ?? {}
      if (kind === undefined || key === undefined) throw new TypeError(`Not a name: ${name}`)
      const stub = objects.getByName(name)
      return {
        call: async (called, method, parameters) =>
          answer({ kind, key, method, parameters }, () => stub.call(called, method, parameters)),
        fetch: async (request) =>
          (await answer({ kind, key, method: 'fetch', parameters: [] }, () =>
            stub.fetch(request),
          )) as Response,
      }
    },
  }
  return { ...bindings, MCP_OBJECTS: answered }
}

export const OF_TEST = { isPublic: () => false, report: () => undefined }

/** The objects of some kinds cannot be reached. */
export function failCalls(bindings: Bindings, kinds: readonly string[], error?: unknown): Bindings {
  return answerCalls(bindings, ({ kind }, next) => {
    if (!kinds.includes(kind)) return next()
    throw error ?? new Error('The object is unreachable')
  })
}

/** The objects of a kind, with the methods of its part. */
export function objectsIn<Part>(
  bindings: Bindings,
  kind: Kind,
  audience = '',
): ObjectsOfKind<Part> {
  const objects = createAppObjects(bindings, { audience, ...OF_TEST }).of<Part>(kind)
  if (objects === undefined) throw new TypeError('The bindings have no objects')
  return objects
}
