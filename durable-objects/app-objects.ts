/**
 * The objects of a server in the Worker: the binding, the jurisdiction, the names, and the one RPC of the class. No other
 * code takes an object of a namespace.
 */
import { ConfigurationError } from '../src/platform/configuration-error.ts'
import { isNotInThisVersion } from '../src/platform/object-error.ts'
import { isServerKind, type Kind, objectName } from '../src/ports/object-kinds.ts'
import type {
  AppObjects,
  CallsOf,
  ObjectPlace,
  ObjectSettings,
  ObjectStub,
} from '../src/ports/objects.ts'
import type { TelemetrySink } from '../src/ports/telemetry.ts'
import { ErrorCode } from '../src/protocol/error-codes.ts'
import { ProtocolError } from '../src/protocol/protocol-error.ts'
import { callObject } from './object-call.ts'
import type { PlaceObject } from './place-object.ts'
import { NOT_IN_VERSION_STATUS } from './unused-object.ts'

export interface ObjectsConfig extends ObjectSettings {
  readonly audience: string
  readonly report: TelemetrySink
}

/** The RPC of the class. */
interface RpcStub extends ObjectStub {
  call(kind: Kind, method: string, parameters: readonly unknown[]): Promise<unknown>
}

interface Namespace {
  getByName(name: string, options?: ObjectPlace): RpcStub
  jurisdiction(jurisdiction: unknown): Namespace
}

export function createAppObjects(
  bindings: Readonly<Record<string, unknown>>,
  config: ObjectsConfig,
): AppObjects {
  const { audience, sessionBinding = '', locationHint, sharedOnly } = config
  const { MCP_OBJECTS, [sessionBinding]: sessions, EDGEWAY_JURISDICTION } = bindings
  const objects = MCP_OBJECTS as Namespace | undefined
  const wanted = config.jurisdiction ?? EDGEWAY_JURISDICTION
  return {
    of<Part>(kind: Kind) {
      const isOwnClass = kind === 'session' && sessions !== undefined
      const found = isOwnClass ? (sessions as Namespace) : objects
      if (found === undefined || (sharedOnly && isServerKind(kind))) return undefined
      const namespace = within(found, wanted, config)
      const place = namespace === found ? NOWHERE : String(wanted)
      const open = (key: string) =>
        namespace.getByName(
          isOwnClass ? key : objectName(kind, key, audience),
          locationHint && { locationHint },
        )
      return {
        named: (key) =>
          stubOf<Part>(
            kind,
            () => open(key),
            async () => objects && confirmPlace(bindings, objects, place),
          ),
      }
    },
  }
}

/** @throws {ConfigurationError} for a jurisdiction that the runtime does not have, on a host that is not loopback */
function within(
  namespace: Namespace,
  jurisdiction: unknown,
  { isPublic, report }: ObjectsConfig,
): Namespace {
  if (jurisdiction === undefined || jurisdiction === '') return namespace
  try {
    return namespace.jurisdiction(jurisdiction)
  } catch (cause) {
    if (isPublic()) {
      throw new ConfigurationError(`There is no jurisdiction ${jurisdiction}`, { cause })
    }
    const message = 'has no effect here: the runtime has no such jurisdiction'
    if (!hasWarned) report({ type: 'definition-warning', subject: 'jurisdiction', message })
    hasWarned = true
    return namespace
  }
}

let hasWarned = false

/** The word of a deployment without a jurisdiction. */
const NOWHERE = 'none'

/** By environment, so that an isolate asks once. */
const confirmed = new WeakMap<object, { readonly place: string; readonly done: Promise<void> }>()

/**
 * Compares the jurisdiction with the one in which the first object of the deployment was created. In another one, every
 * session, grant and key would be another object.
 *
 * @throws {ProtocolError} `unavailable`
 */
function confirmPlace(bindings: object, objects: Namespace, place: string): Promise<void> {
  const known = confirmed.get(bindings)
  // Two servers of one Worker may say different words, of which one at most is the stored one.
  if (known?.place === place) return known.done
  // Outside of every jurisdiction, because it says which one the other objects are in.
  const object = stubOf<PlaceObject>('place', () => objects.getByName(objectName('place', '', '')))
  const ask = async () => {
    const stored = await callObject(() => object.confirm(place))
    if (stored === place) return
    throw unavailable(
      `The data of this server is in the jurisdiction ${stored}, and its configuration says ${place}. Its operator restores the option jurisdiction, or deploys under another name`,
    )
  }
  const done = ask()
  confirmed.set(bindings, { place, done })
  done.catch(() => confirmed.delete(bindings))
  return done
}

const unavailable = (message: string, cause?: unknown) =>
  new ProtocolError(ErrorCode.internalError, message, undefined, { cause, reason: 'unavailable' })

/**
 * Each method of the part is one call of the class.
 *
 * @param open gets the stub anew for each call, because the stub of a reset object stays broken
 * @param confirm to be awaited before the first call
 */
function stubOf<Part>(
  kind: Kind,
  open: () => RpcStub,
  confirm?: () => Promise<void>,
): CallsOf<Part> & ObjectStub {
  const notInVersion = (cause?: unknown) =>
    unavailable(
      `The server is being deployed, and its ${kind} objects are of another version. Send the request again`,
      cause,
    )
  const calls = {
    async fetch(request: Request) {
      await confirm?.()
      const response = await open().fetch(request)
      if (response.status !== NOT_IN_VERSION_STATUS) return response
      await response.body?.cancel()
      throw notInVersion()
    },
  }
  return new Proxy(calls, {
    get(target, method) {
      if (method === 'fetch') return target.fetch
      // No promise: its caller awaits what it calls.
      if (typeof method !== 'string' || method === 'then') return undefined
      return async (...parameters: readonly unknown[]) => {
        await confirm?.()
        try {
          return await open().call(kind, method, parameters)
        } catch (error) {
          throw isNotInThisVersion(error) ? notInVersion(error) : error
        }
      }
    },
  }) as unknown as CallsOf<Part> & ObjectStub
}
