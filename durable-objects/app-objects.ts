/** The objects of a server in the Worker: the binding, the names, and the one RPC of the class. */
import { isNotInThisVersion, UnavailableError } from '../src/platform/object-error.ts'
import { type Kind, objectName } from '../src/ports/object-kinds.ts'
import type { AppObjects, CallsOf, ObjectNamespace, ObjectStub } from '../src/ports/objects.ts'
import { NOT_IN_VERSION_HEADER } from './object-host.ts'

/** The binding of the class. */
export const OBJECTS_BINDING = 'MCP_OBJECTS'

/** The RPC of the class. */
interface RpcStub extends ObjectStub {
  call(kind: Kind, method: string, parameters: readonly unknown[]): Promise<unknown>
}

export interface ObjectsConfig {
  readonly audience: string
  /**
   * The binding of a class that decides the kind of its objects: their names are keys. Undefined: sessions are objects of
   * the class of all kinds.
   */
  readonly sessionBinding?: string | undefined
}

export function createAppObjects(
  bindings: Readonly<Record<string, unknown>>,
  { audience, sessionBinding }: ObjectsConfig,
): AppObjects {
  const namespace = (binding: string) => bindings[binding] as ObjectNamespace<RpcStub> | undefined
  const objects = namespace(OBJECTS_BINDING)
  const sessions = sessionBinding === undefined ? undefined : namespace(sessionBinding)
  return {
    of<Part>(kind: Kind) {
      const isOwnClass = kind === 'session' && sessions !== undefined
      const found = isOwnClass ? sessions : objects
      return (
        found && {
          getByName: (key: string) =>
            stubOf<Part>(kind, found.getByName(isOwnClass ? key : objectName(kind, key, audience))),
        }
      )
    },
  }
}

/** Each method of the part is one call of the class. */
function stubOf<Part>(kind: Kind, stub: RpcStub): CallsOf<Part> & ObjectStub {
  const calls = {
    async fetch(request: Request) {
      const response = await stub.fetch(request)
      if (!response.headers.has(NOT_IN_VERSION_HEADER)) return response
      await response.body?.cancel()
      throw notInVersion(kind)
    },
  }
  return new Proxy(calls, {
    get(target, method) {
      if (method === 'fetch') return target.fetch
      // No promise: its caller awaits what it calls.
      if (typeof method !== 'string' || method === 'then') return undefined
      return async (...parameters: readonly unknown[]) => {
        try {
          return await stub.call(kind, method, parameters)
        } catch (error) {
          throw isNotInThisVersion(error) ? notInVersion(kind, error) : error
        }
      }
    },
  }) as unknown as CallsOf<Part> & ObjectStub
}

function notInVersion(kind: Kind, cause?: unknown): UnavailableError {
  const message = `The server is being deployed, and its ${kind} objects are of another version. Send the request again`
  return new UnavailableError(message, { cause })
}
