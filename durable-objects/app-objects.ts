/**
 * The objects of a server in the Worker: the binding, the jurisdiction, the names, and the one RPC of the class. No other
 * code takes an object of a namespace.
 */
import { ConfigurationError } from '../src/platform/configuration-error.ts'
import { isNotInThisVersion, UnavailableError } from '../src/platform/object-error.ts'
import { isServerKind, type Kind, objectName } from '../src/ports/object-kinds.ts'
import type { AppObjects, CallsOf, ObjectStub } from '../src/ports/objects.ts'
import type { TelemetrySink } from '../src/ports/telemetry.ts'
import { callObject } from './object-call.ts'
import { NOT_IN_VERSION_HEADER } from './object-host.ts'
import type { PlaceObject } from './place-object.ts'

/** The binding of the class. */
export const OBJECTS_BINDING = 'MCP_OBJECTS'

/** Where the platform may keep objects. @see https://developers.cloudflare.com/durable-objects/reference/data-location/ */
export interface ObjectPlace {
  readonly jurisdiction?: DurableObjectJurisdiction | undefined
  readonly locationHint?: DurableObjectLocationHint | undefined
}

export interface ObjectsConfig extends ObjectPlace {
  readonly audience: string
  /**
   * The binding of a class that decides the kind of its objects: their names are keys. Undefined: sessions are objects of
   * the class of all kinds.
   */
  readonly sessionBinding?: string | undefined
  /** Whether the objects of one server are absent. */
  readonly sharedOnly?: boolean
  /** Whether a request came on a host that is not loopback. */
  readonly isPublic: () => boolean
  readonly report: TelemetrySink
}

/** The RPC of the class. */
interface RpcStub extends ObjectStub {
  call(kind: Kind, method: string, parameters: readonly unknown[]): Promise<unknown>
}

interface Namespace {
  getByName(name: string, options?: ObjectPlace): RpcStub
  jurisdiction(jurisdiction: string): Namespace
}

export function createAppObjects(
  bindings: Readonly<Record<string, unknown>>,
  config: ObjectsConfig,
): AppObjects {
  const { audience, sessionBinding, locationHint, sharedOnly } = config
  const { EDGEWAY_JURISDICTION } = bindings
  const jurisdiction = config.jurisdiction ?? readJurisdiction(EDGEWAY_JURISDICTION)
  const objects = bindings[OBJECTS_BINDING] as Namespace | undefined
  const sessions =
    sessionBinding === undefined ? undefined : (bindings[sessionBinding] as Namespace | undefined)
  const options = locationHint && { locationHint }
  return {
    of<Part>(kind: Kind) {
      const isOwnClass = kind === 'session' && sessions !== undefined
      const found = isOwnClass ? sessions : objects
      if (found === undefined || (sharedOnly && isServerKind(kind))) return undefined
      const located = within(found, jurisdiction, config)
      const confirm = objects && (() => confirmPlace(bindings, objects, located.jurisdiction))
      return {
        getByName: (key: string) => {
          const name = isOwnClass ? key : objectName(kind, key, audience)
          return stubOf<Part>(kind, () => located.namespace.getByName(name, options), confirm)
        },
      }
    },
  }
}

const JURISDICTIONS: readonly unknown[] = ['eu', 'fedramp', 'fedramp-high']

/** @throws {ConfigurationError} */
function readJurisdiction(value: unknown): DurableObjectJurisdiction | undefined {
  if (value === undefined || value === '') return undefined
  if (JURISDICTIONS.includes(value)) return value as DurableObjectJurisdiction
  throw new ConfigurationError(
    `EDGEWAY_JURISDICTION must be one of ${JURISDICTIONS.join(', ')}, and is ${JSON.stringify(value)}`,
  )
}

/** @throws {TypeError} for an option of `createEdgeway` that the platform does not know */
export function checkJurisdiction(jurisdiction: unknown): void {
  if (jurisdiction === undefined || JURISDICTIONS.includes(jurisdiction)) return
  throw new TypeError(`jurisdiction must be one of ${JURISDICTIONS.join(', ')}`)
}

interface Located {
  readonly namespace: Namespace
  /** Undefined where it has no effect. */
  readonly jurisdiction: string | undefined
}

/** @throws {ConfigurationError} where the runtime has no jurisdictions, on a host that is not loopback */
function within(
  namespace: Namespace,
  jurisdiction: string | undefined,
  { isPublic, report }: ObjectsConfig,
): Located {
  if (jurisdiction === undefined) return { namespace, jurisdiction }
  try {
    return { namespace: namespace.jurisdiction(jurisdiction), jurisdiction }
  } catch (cause) {
    if (isPublic()) {
      const message = `The runtime cannot keep objects in the jurisdiction ${jurisdiction}`
      throw new ConfigurationError(message, { cause })
    }
    if (!hasWarned) {
      const message = `has no effect on this machine: its runtime has no jurisdictions. Where the Worker is deployed, its objects are in ${jurisdiction}`
      report({ type: 'definition-warning', subject: 'jurisdiction', message })
    }
    hasWarned = true
    return { namespace, jurisdiction: undefined }
  }
}

let hasWarned = false

/** The word of a deployment without a jurisdiction. */
const NONE = 'none'

/** By environment, so that an isolate asks once. */
const confirmed = new WeakMap<object, { readonly word: string; readonly done: Promise<void> }>()

/**
 * Compares the jurisdiction with the one in which the first object of the deployment was created. In another one, every
 * session, grant and key would be another object.
 *
 * @throws {UnavailableError}
 */
function confirmPlace(
  bindings: object,
  objects: Namespace,
  jurisdiction: string = NONE,
): Promise<void> {
  const known = confirmed.get(bindings)
  if (known?.word === jurisdiction) return known.done
  // Outside of every jurisdiction, because it says which one the other objects are in.
  const place = stubOf<PlaceObject>('place', () => objects.getByName(objectName('place', '', '')))
  const ask = async () => {
    const stored = await callObject(() => place.confirm(jurisdiction))
    if (stored === jurisdiction) return
    throw new UnavailableError(
      `The data of this server is in the jurisdiction ${stored}, and its configuration says ${jurisdiction}. Its operator restores the option jurisdiction, or deploys under another name`,
    )
  }
  const done = ask()
  confirmed.set(bindings, { word: jurisdiction, done })
  done.catch(() => confirmed.delete(bindings))
  return done
}

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
  const calls = {
    async fetch(request: Request) {
      await confirm?.()
      const response = await open().fetch(request)
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
        await confirm?.()
        try {
          return await open().call(kind, method, parameters)
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
