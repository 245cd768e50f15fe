/** `changes()`: publishes changes through the hub, to listeners of every revision. */

import { createChangeBus } from '../../../durable-objects/hub/change-bus.ts'
import {
  type ChangesOptions,
  DEFAULT_CHANGES_OPTIONS,
} from '../../../durable-objects/hub/changes-options.ts'
import { HubObject } from '../../../durable-objects/hub/hub-object.ts'
import { checkScopes } from '../../dispatch/access.ts'
import type { Call } from '../../dispatch/call.ts'
import type { CallSession } from '../../dispatch/call-session.ts'
import { changeKinds } from '../../dispatch/change-kinds.ts'
import type { Method } from '../../dispatch/methods/method.ts'
import { findReadable, readUri } from '../../dispatch/methods/resources-read.ts'
import { createFeature } from '../../feature/create-feature.ts'
import type { AppContext, Feature, FeatureParts } from '../../feature/feature.ts'
import { resolveLimits } from '../../platform/limits.ts'
import type { TelemetrySink } from '../../ports/telemetry.ts'
import type { ServerCapabilities } from '../../protocol/capabilities.ts'
import { ErrorCode } from '../../protocol/error-codes.ts'
import { EVENTS_EXTENSION } from '../../protocol/events.ts'
import { ProtocolError, resourceNotFound } from '../../protocol/protocol-error.ts'
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

export type Changes = Feature<'changes', ChangesApi>

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
  const notifyIn = (env: unknown) =>
    createNotify({
      changes: app.servicesOf(env).changes,
      onDropped,
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
        return hub && createChangeBus(hub, app.audience, hubOptions)
      },
    },
    dispatch: {
      methods: [
        { method: 'resources/subscribe', era: 'session', run: subscribe, needs: 'resources' },
        { method: 'resources/unsubscribe', era: 'session', run: unsubscribe, needs: 'resources' },
      ],
      otherMethods: ['subscriptions/listen'],
      offer: offerChanges,
      context: {
        notify: ({ call: { deployment } }) =>
          createNotify({
            changes: deployment.services.changes,
            onDropped,
            changeDefinition: async (subject) => changeDefinition(subject, deployment.env),
          }),
      },
    },
    transport: { streams: { 'subscriptions/listen': createListen(listenLifetimeMs) } },
    api: { notify: notifyIn },
  }
}

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
  (exchange, revision, message) => {
    const { dispatcher, services } = exchange
    const bus = services.changes()
    if (bus === undefined) {
      const text = `Method not found: ${message.method} needs the binding MCP_OBJECTS`
      throw new Refusal('method-not-found', text, { id: message.id })
    }
    const definition = new StreamDefinition(exchange)
    return serveListen(exchange, revision, message, {
      bus,
      offered: changeKinds(dispatcher.capabilities(revision)),
      mayRead: (uri) => definition.mayRead(uri),
      mayAccessTask: (task) => definition.mayAccessTask(task),
      onChanges: (changes) => definition.observe(changes),
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
  if (events === undefined) return extensions
  return { ...extensions, [EVENTS_EXTENSION]: { ...events, listChanged: true } }
}

/** @param listsEvents whether the client can listen to changes of the event types */
function withChanges(capabilities: ServerCapabilities, listsEvents: boolean): ServerCapabilities {
  const { tools, prompts, resources, extensions, ...rest } = capabilities
  return {
    ...rest,
    ...(extensions && { extensions: listsEvents ? withListedEvents(extensions) : extensions }),
    ...(tools === undefined ? undefined : { tools: { ...tools, listChanged: true } }),
    ...(prompts === undefined ? undefined : { prompts: { ...prompts, listChanged: true } }),
    ...(resources === undefined
      ? undefined
      : { resources: { ...resources, listChanged: true, subscribe: true } }),
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
  if (!definition.handlers.has('resources/read')) {
    const readable = findReadable(definition, uri, call.request.auth)
    if (readable === undefined) throw resourceNotFound(uri)
    checkScopes(readable, call.request.auth)
  }
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
