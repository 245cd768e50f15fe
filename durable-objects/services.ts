/** The services of a Worker: each port over the Durable Objects of its binding. */
import type { RateLimits } from '../src/ports/rate-limits.ts'
import type { Services } from '../src/ports/services.ts'
import type { TelemetrySink } from '../src/ports/telemetry.ts'
import type { createFileStore } from './files/file-store.ts'
import type { StateObject } from './files/object-blobs.ts'
import { createChangeBus, type HubNamespace } from './hub/change-bus.ts'
import { type ChangeBusOptions, resolveChangeBusOptions } from './hub/change-bus-options.ts'
import { type ControlledKeyring, createKeyringControl } from './keyring/keyring-control.ts'
import type { McpKeyring } from './keyring/keyring-object.ts'
import { createSealer } from './keyring/sealer.ts'
import { createTimelineStore, type TimelineNamespace } from './keyring/timeline-store.ts'
import { createTrafficStore, type TrafficNamespace } from './keyring/traffic-store.ts'
import type { ObjectNamespace } from './object-call.ts'
import { createSessions, type SessionNamespace } from './session/sessions.ts'
import { reportSharedAudience, reportSharedBinding } from './shared-bindings.ts'
import type { FileBucket } from './state/file-bucket.ts'
import { createStateStore, type StateNamespace } from './state/state-store.ts'
import { indexShards, TaskIndex } from './task/task-index.ts'
import { createTasks, type TaskNamespace } from './task/tasks.ts'

/** The bindings by name. Every one is optional: a service without its binding is undefined. */
interface ServiceBindings {
  readonly MCP_KEYRING?: ObjectNamespace<Pick<McpKeyring, 'keys' | 'redeem'>> &
    TimelineNamespace &
    TrafficNamespace &
    ControlledKeyring
  readonly MCP_HUB?: HubNamespace
  readonly MCP_STATE?: StateNamespace & ObjectNamespace<StateObject>
  /** Stores the bytes of files. Without it they are in the state objects. */
  readonly MCP_FILES?: FileBucket
  /** Replaces the sealing keys of the keyring. */
  readonly EDGEWAY_SECRET?: string
}

/** Brought by the option `files`. */
export type CreateFileStore = typeof createFileStore

export interface ServicesOptions {
  readonly hub: ChangeBusOptions
  /** The server that the services belong to, from `serverText`. */
  readonly server: string
  /** The same with what tells servers apart within one version of the Worker. */
  readonly serverOfVersion: string
  /** The name that seals are bound to. */
  readonly audience: string
  /** The name of the binding of session objects. */
  readonly sessionBinding: string
  /** The name of the binding of task objects. */
  readonly taskBinding: string
  /** Undefined where files are not served. */
  readonly createFileStore: CreateFileStore | undefined
  readonly report: TelemetrySink
  /** Creates the rate limits of an environment; undefined when there are none. */
  readonly rateLimitsOf: (env: unknown) => RateLimits | undefined
}

/**
 * Returns the services of an environment. An isolate creates each service once per environment,
 * because the services cache keys and count listeners and requests.
 *
 * @throws {TypeError} for an invalid option
 */
export function createServices({ hub, ...options }: ServicesOptions): (env: unknown) => Services {
  const hubOptions = resolveChangeBusOptions(hub)
  const created = new WeakMap<object, Services>()
  return (env) => {
    const key = typeof env === 'object' && env !== null ? env : NO_ENVIRONMENT
    const known = created.get(key)
    if (known !== undefined) return known
    const services = servicesOf(key as ServiceBindings, hubOptions, options)
    created.set(key, services)
    return services
  }
}

const NO_ENVIRONMENT = {}

function servicesOf(
  bindings: ServiceBindings,
  hubOptions: Required<ChangeBusOptions>,
  {
    server,
    serverOfVersion,
    audience,
    sessionBinding,
    taskBinding,
    createFileStore,
    report,
    rateLimitsOf,
  }: Omit<ServicesOptions, 'hub'>,
): Services {
  const { MCP_KEYRING: keyring, MCP_HUB: hub, MCP_STATE: state, EDGEWAY_SECRET: secret } = bindings
  const onNewer = (purpose: string) => report({ type: 'sealed-by-newer-version', purpose })
  return {
    sealer: once(() => {
      if (keyring === undefined && secret === undefined) return undefined
      reportSharedAudience(bindings, { server: serverOfVersion, audience, report })
      return createSealer(keyring, secret, undefined, onNewer)
    }),
    keyring: once(() => keyring && createKeyringControl(keyring, audience)),
    changes: once(() => hub && createChangeBus(hub, hubOptions, undefined, audience)),
    sessions: once(() => {
      const session = bound<SessionNamespace>(bindings, sessionBinding)
      if (session === undefined) return undefined
      reportSharedBinding(bindings, {
        server: serverOfVersion,
        binding: sessionBinding,
        option: 'sessionBinding',
        report,
      })
      return createSessions(session, server)
    }),
    state: once(() => state && createStateStore(state)),
    files: once(() => state && createFileStore?.(state, bindings.MCP_FILES)),
    tasks: once(() => {
      const task = bound<TaskNamespace>(bindings, taskBinding)
      if (task === undefined) return undefined
      reportSharedBinding(bindings, {
        server: serverOfVersion,
        binding: taskBinding,
        option: 'taskBinding',
        report,
      })
      return createTasks(task, new TaskIndex(indexShards(bindings), audience), server)
    }),
    timeline: once(() => keyring && createTimelineStore(keyring, audience)),
    traffic: once(() => keyring && createTrafficStore(keyring, audience)),
    rateLimits: once(() => rateLimitsOf(bindings)),
  }
}

/** The namespace of a binding whose name the author chooses; undefined when it is missing. */
function bound<Namespace>(bindings: object, name: string): Namespace | undefined {
  return (bindings as Readonly<Record<string, Namespace | undefined>>)[name]
}

/** Creates a service on first use. An error is thrown again on the next use. */
function once<T>(create: () => T | undefined): () => T | undefined {
  let created: T | undefined
  return () => {
    created ??= create()
    return created
  }
}
