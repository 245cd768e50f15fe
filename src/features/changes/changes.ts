/** `changes()`: publishes changes through the hub, to listeners of every revision. */

import { HubChangeBus } from '../../../durable-objects/hub/change-bus.ts'
import {
  type ChangesOptions,
  DEFAULT_CHANGES_OPTIONS,
} from '../../../durable-objects/hub/changes-options.ts'
import { HubObject } from '../../../durable-objects/hub/hub-object.ts'
import type { Call, CallServices } from '../../dispatch/call.ts'
import type { CallSession } from '../../dispatch/call-session.ts'
import type { Method } from '../../dispatch/methods/method.ts'
import { readableOf, readUri } from '../../dispatch/methods/resources-read.ts'
import { createFeature } from '../../feature/create-feature.ts'
import type { AppContext, Feature, FeatureParts } from '../../feature/feature.ts'
import { resolveLimits } from '../../platform/limits.ts'
import { changeKindsFor } from '../../ports/change-kinds.ts'
import type { TelemetrySink } from '../../ports/telemetry.ts'
import type { ServerCapabilities } from '../../protocol/capabilities.ts'
import { ErrorCode } from '../../protocol/error-codes.ts'
import { EVENTS_EXTENSION } from '../../protocol/events.ts'
import { ProtocolError } from '../../protocol/protocol-error.ts'
import type { Notify } from '../../server/context.ts'
import type { StreamMethod } from '../../transport/extensions.ts'
import { Refusal } from '../../transport/refusal.ts'
import { StreamDefinition } from '../../transport/stream-definition.ts'
import { objects } from '../objects/objects.ts'
import { serveListen } from './listen.ts'
import { createNotify, refuseChangeOfOne } from './notifier.ts'

/** What `changes()` brings to `edgeway`. */
export interface ChangesApi {
  /**
   * Publishes changes to listeners from outside a handler, such as a cron or a queue consumer:
   * `await edgeway.notify(env).resourceUpdated('note://a')`.
   */
  readonly notify: Notify
}

export type Changes = Feature<'changes', ChangesApi, 'changes'>

/**
 * List changes, updates of resources and completed elicitations. Without the binding `MCP_OBJECTS`, changes are dropped
 * with one warning to telemetry.
 *
 * @throws {TypeError} for an invalid option
 */
export function changes(options: ChangesOptions = {}): Changes {
  const resolved = resolveLimits('changes', DEFAULT_CHANGES_OPTIONS, options, 'timers')
  return createFeature('changes', (app) => createParts(app, resolved), [objects()])
}

function createParts(
  app: AppContext,
  { listenLifetimeMs, ...hubOptions }: Required<ChangesOptions>,
): FeatureParts<ChangesApi> {
  const changeDefinition = (subject: string, env: unknown) => {
    const change =
      app.gate?.changeDefinition ?? (app.definition === undefined ? refuseChangeOfOne : undefined)
    return change?.(subject, env)
  }
  const onDropped = warnOnce(app.report)
  const notifyOf = ({ changes }: Pick<CallServices, 'changes'>, env: unknown) =>
    createNotify({
      ...{ changes, onDropped },
      changeDefinition: async (subject) => changeDefinition(subject, env),
    })
  return {
    parts: { hub: { create: (state, env) => new HubObject(state, env) } },
    health: {
      part: 'hub',
      call: (objects) => objects.of<HubObject>('hub')?.named('0').version(),
    },
    services: {
      changes: (bindings) => {
        const hub = app.objectsIn(bindings).of<HubObject>('hub')
        return hub && new HubChangeBus(hub, app.audience, hubOptions)
      },
    },
    dispatch: {
      methods: [
        { method: 'resources/subscribe', run: subscribe, ...SUBSCRIPTIONS },
        { method: 'resources/unsubscribe', run: unsubscribe, ...SUBSCRIPTIONS },
      ],
      otherMethods: ['subscriptions/listen'],
      offer: offerChanges,
      context: {
        notify: ({ call: { deployment } }) => notifyOf(deployment.services, deployment.env),
      },
    },
    transport: { streams: { 'subscriptions/listen': createListen(listenLifetimeMs) } },
    api: { notify: (env) => notifyOf(app.servicesOf(env), env) },
  }
}

const SUBSCRIPTIONS = { era: 'session', needs: 'resources', names: 'uri' } as const

/** Reports the first change of this isolate that is not published. */
function warnOnce(report: TelemetrySink): () => void {
  let isReported = false
  return () => {
    if (isReported) return
    isReported = true
    const message = 'a change was not published: add the binding MCP_OBJECTS'
    report({ type: 'definition-warning', subject: 'changes()', message })
  }
}

const createListen =
  (maxLifetimeMs: number): StreamMethod =>
  (exchange, { dispatcher }, message) => {
    const bus = exchange.services.changes()
    if (bus === undefined) {
      const text = `Method not found: ${message.method} needs the binding MCP_OBJECTS`
      throw new Refusal('method-not-found', text, { id: message.id })
    }
    return serveListen(exchange, dispatcher.codec, message, {
      bus,
      offered: changeKindsFor(dispatcher.capabilities, dispatcher.codec.revision),
      definition: new StreamDefinition(exchange),
      maxLifetimeMs,
    })
  }

/** Adds them where a hub is bound, and a client has a stream on which it receives changes. */
function offerChanges(
  capabilities: ServerCapabilities,
  { client, run, services }: Pick<Call, 'client' | 'run' | 'services'>,
): ServerCapabilities {
  const hasStream = client.era === 'modern' || run.opensSession || run.session !== undefined
  if (!hasStream || services.changes() === undefined) return capabilities
  return withChanges(capabilities, client.era === 'modern')
}

function withListedEvents(extensions: NonNullable<ServerCapabilities['extensions']>) {
  const { [EVENTS_EXTENSION]: events } = extensions
  return { ...extensions, ...(events && { [EVENTS_EXTENSION]: { ...events, listChanged: true } }) }
}

/** @param listsEvents whether the client can listen to changes of the event types */
function withChanges(capabilities: ServerCapabilities, listsEvents: boolean): ServerCapabilities {
  const { tools, prompts, resources, extensions, ...rest } = capabilities
  return {
    ...rest,
    ...(extensions && { extensions: listsEvents ? withListedEvents(extensions) : extensions }),
    ...(tools && { tools: { ...tools, listChanged: true } }),
    ...(prompts && { prompts: { ...prompts, listChanged: true } }),
    ...(resources && { resources: { ...resources, listChanged: true, subscribe: true } }),
  }
}

/**
 * `resources/subscribe` and `resources/unsubscribe` exist if the request has a session, which stores the
 * subscriptions, and the hub is bound, which publishes the changes.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/resources#subscriptions
 * @throws {ProtocolError} if the caller may not read the resource, or the session has too many subscriptions
 */
const subscribe: Method = async ({ definition, codec }, call) => {
  const session = sessionOf(call)
  const uri = readUri(call)
  if (!definition.handlers.has('resources/read')) readableOf(call, uri)
  await call.run.cancellation.waitFor(session.subscribe(uri))
  return codec.resultText({})
}

/** Unsubscribing from a resource without a subscription succeeds. */
const unsubscribe: Method = ({ codec }, call) => {
  sessionOf(call).unsubscribe(readUri(call))
  return codec.resultText({})
}

function sessionOf({ request, services, run }: Call): CallSession {
  const { session } = run
  if (session === undefined || services.changes() === undefined) {
    throw new ProtocolError(ErrorCode.methodNotFound, `Method not found: ${request.method}`)
  }
  return session
}
