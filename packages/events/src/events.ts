/** `events()`: MCP Events, the extension by which a server wakes its clients. */

import type { Feature } from '../../../src/feature/index.ts'
import { keyring } from '../../../src/index.ts'
import {
  type AppContext,
  answerText,
  bound,
  type Call,
  type CallServices,
  createFeature,
  type DispatchParts,
  type Emit,
  EVENT_CATALOG,
  type FeatureParts,
  failureError,
  type HandlerRun,
  type MethodRow,
} from '../../../src/internal.ts'
import type { TelemetrySink } from '../../../src/ports/telemetry.ts'
import { EVENTS_EXTENSION } from '../../../src/protocol/events.ts'
import { isJsonObject, type JsonObject } from '../../../src/protocol/json.ts'
import type { EventDefinition } from './compile-event.ts'
import { createContextEmit } from './context-emit.ts'
import { createControl, type EventsControl } from './control.ts'
import { type DefinedEvent, EVENT_DEFINITION } from './define-event.ts'
import { type EmitContext, emitTo } from './emit.ts'
import {
  anonymousDigest,
  createCaller,
  type EventCaller,
  type EventServer,
} from './event-caller.ts'
import { listEvents } from './list.ts'
import { createEventObjects } from './objects/event-objects.ts'
import { createEventParts } from './objects/event-parts.ts'
import {
  type CallbackRules,
  type EventLimits,
  resolveEventLimits,
} from './objects/event-settings.ts'
import type { EventObjects } from './objects/port.ts'
import { EVENT_OBJECTS } from './objects/port.ts'
import { createSubscriptions } from './objects/subscriptions.ts'
import { poll } from './poll.ts'
import { serveStream } from './stream.ts'
import { subscribe, unsubscribe } from './subscribe.ts'
import { taskEnds, withTaskEnded } from './task-ended.ts'
import { WAIT_TOOL, type WaitTool } from './wait-tool.ts'

export interface EventsOptions {
  /** The event types, in the order in which clients see them. */
  readonly types: readonly DefinedEvent[]
  /**
   * Whether the end of a task is an event of the person who started it, of the type `task.ended`. Needs `tasks()`. Tasks of
   * anonymous callers have no such person. Default false.
   */
  readonly taskEnds?: boolean
  /** The tool by which clients without MCP Events wait for an event: `waitTool()`. Default: none. */
  readonly waitTool?: WaitTool
  /** Limits, each with its default. */
  readonly limits?: Partial<EventLimits>
  readonly callbacks?: CallbackRules
  /** Whether a client may have a subscription without expiry. Default false: it gets the longest lifetime. */
  readonly allowsNoExpiry?: boolean
  /**
   * The name of the one principal of all anonymous callers, so that they can subscribe by webhook. They share their
   * subscriptions and their limits, and each can end those of the others whose callback it knows. Default: none.
   */
  readonly anonymousPrincipal?: string
}

/** What `events()` brings to `edgeway`. */
export interface EventsApi {
  /** Emits events from outside a handler, such as a webhook of the upstream, a queue consumer or a cron. */
  readonly events: EventsControl
}

export type Events = Feature<'events', EventsApi, 'events'>

/**
 * Event types that clients poll, stream, or have delivered to a callback.
 *
 * @throws {TypeError} for an invalid option, and for two types of one name
 *
 * @see https://github.com/modelcontextprotocol/ext-events
 */
export function events(options: EventsOptions): Events {
  if (!isJsonObject(options)) throw new TypeError('events() needs { types }')
  const { types, limits, anonymousPrincipal, waitTool } = options
  if (anonymousPrincipal !== undefined && !isName(anonymousPrincipal)) {
    throw new TypeError('events({ anonymousPrincipal }) must be a text of 1 to 256 characters')
  }
  if (waitTool !== undefined && waitTool[WAIT_TOOL] === undefined) {
    throw new TypeError('events({ waitTool }) must be a value of waitTool()')
  }
  const settings = {
    ...options,
    limits: resolveEventLimits(limits),
    byName: typesByName(types),
  }
  return createFeature('events', (app) => createParts(app, settings), [keyring()])
}

interface Settings extends Omit<EventsOptions, 'limits'> {
  readonly limits: EventLimits
  readonly byName: ReadonlyMap<string, EventDefinition>
}

function typesByName(types: readonly DefinedEvent[]): ReadonlyMap<string, EventDefinition> {
  if (!Array.isArray(types)) throw new TypeError('events({ types }) must be a list')
  const byName = new Map<string, EventDefinition>()
  for (const type of types) {
    const definition = type?.[EVENT_DEFINITION]
    if (definition === undefined) {
      throw new TypeError('events({ types }) must list values of defineEvent()')
    }
    if (byName.has(definition.name)) {
      throw new TypeError(`events({ types }) has two types with the name ${definition.name}`)
    }
    byName.set(definition.name, definition)
  }
  return byName
}

function isName(name: unknown): boolean {
  return typeof name === 'string' && name !== '' && name.length <= 256
}

function createParts(app: AppContext, settings: Settings): FeatureParts<EventsApi> {
  const { report } = app
  const { limits, byName, callbacks = {}, allowsNoExpiry = false, anonymousPrincipal } = settings
  const { taskEnds: hasTaskEnds = false } = settings
  const types = hasTaskEnds ? withTaskEnded(byName, app.deploymentOf) : byName
  const descriptors = [...types.values()].map(({ descriptor }) => descriptor)
  const server: EventServer = {
    ...{ types, anonymousPrincipal, limits, callbacks },
    ownOrigins: (env) => [app.origins.ofCallers(env)],
    // The app has it when its parts are complete.
    get audience() {
      return app.audience
    },
  }
  if (anonymousPrincipal !== undefined) warnOfSharing(report)
  const emitIn = (env: unknown): EmitContext => {
    return { types, objects: objectsOf(app.servicesOf(env)), report }
  }
  return {
    parts: createEventParts({
      ...{ types, ownOrigins: server.ownOrigins },
      settings: { limits, callbacks, allowsNoExpiry },
      limitOfCallback: (env: unknown, host: string) =>
        app.servicesOf(env).rateLimits()?.ofCallback(host),
      deploymentOf: (env: unknown) => app.deploymentOf(env),
      get renewCaller() {
        return app.gate?.renewCaller
      },
      allowsAnonymous: anonymousPrincipal !== undefined || app.auth?.allowsAnonymous === true,
    }),
    services: {
      subscriptions: (bindings) => {
        const objects = app.servicesOf(bindings).of(EVENT_OBJECTS)
        return objects && createSubscriptions(objects)
      },
    },
    keyedServices: [
      EVENT_OBJECTS.with((bindings) => {
        const objects = app.objectsIn(bindings)
        return objects.of('log') && createEventObjects(objects)
      }),
    ],
    dispatch: createDispatch(server, settings.waitTool, report),
    transport: {
      streams: {
        'events/stream': (exchange, { dispatcher }, message) => {
          const objects = exchange.services.of(EVENT_OBJECTS)
          return objects && serveStream(server, objects, exchange, dispatcher.codec, message)
        },
      },
    },
    api: { events: (env) => createControl(server, emitIn(env)) },
    routes: () => {
      if (hasTaskEnds && app.partsOf('tasks') === undefined) {
        throw new TypeError('events({ taskEnds: true }) needs features: [tasks()]')
      }
      return []
    },
    announced: { eventTypes: descriptors },
    extensions: [
      EVENT_CATALOG.with({
        types: descriptors,
        anonymous: () => anonymousDigest(server),
        emit: (env, type, data, options) => emitTo(emitIn(env), type, data, options),
      }),
      ...(hasTaskEnds ? [taskEnds(emitIn)] : []),
    ],
  }
}

const objectsOf = (services: Pick<CallServices, 'of'>): EventObjects =>
  bound(services.of(EVENT_OBJECTS), 'events() needs the binding MCP_OBJECTS')

function createDispatch(
  server: EventServer,
  waitTool: WaitTool | undefined,
  report: TelemetrySink,
): DispatchParts {
  const { types } = server
  const callerOf = ({ request, client, deployment, services, run }: Call): EventCaller =>
    createCaller(request, client.capabilities, {
      ...{ env: deployment.env, objects: objectsOf(services), report },
      observe: run.recording?.observe,
    })
  const answer =
    (
      serve: (server: EventServer, asking: EventCaller, params?: JsonObject) => Promise<object>,
    ): MethodRow['run'] =>
    async ({ definition, codec }, call) => {
      const { method, params } = call.request
      try {
        return answerText(call, codec, await serve(server, callerOf(call), params))
      } catch (error) {
        throw failureError(call, definition, method, error)
      }
    }
  const emitOf = (run: HandlerRun): Emit =>
    createContextEmit(run, () => {
      const { services, deployment } = run.call
      return { types, objects: objectsOf(services), report: deployment.report }
    })
  return {
    methods: [
      { method: 'events/list', run: (context, call) => listEvents(server, context, call) },
      { method: 'events/poll', run: answer(poll) },
      { method: 'events/subscribe', run: answer(subscribe) },
      { method: 'events/unsubscribe', run: answer(unsubscribe) },
    ],
    otherMethods: ['events/stream'],
    capabilities: () => ({ events: {}, extensions: { [EVENTS_EXTENSION]: {} } }),
    declared: [EVENTS_EXTENSION],
    context: { emit: (run) => run.part(emitOf) },
    ...(waitTool !== undefined && {
      tools: waitTool[WAIT_TOOL]({
        types,
        holdMs: server.limits.holdMs,
        poll: (call, params, bounds) => poll(server, callerOf(call), params, bounds),
      }),
    }),
  }
}

function warnOfSharing(report: AppContext['report']): void {
  const message =
    'anonymousPrincipal is set: all callers without authorization share one set of subscriptions'
  report({ type: 'definition-warning', subject: 'events()', message })
}
