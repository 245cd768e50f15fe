/**
 * What the inspector, the events and the code tools need of the runtime beyond its entries and its leaf rooms
 * (`platform`, `protocol`, `ports`). Who changes one of these names reads those packages too.
 * `test/architecture.test.ts` holds that they import nothing else, and the count.
 */

// A feature with methods, routes and objects that `defineFeature` does not offer.

export { SIGN_IN_ENDPOINT } from './auth/server/sign-in-endpoint.ts'
export type { AuthGate } from './feature/auth-config.ts'
export { bound } from './feature/binding.ts'
export { browserSubject } from './feature/browser-subject.ts'
export { createCheckHealth } from './feature/check-health.ts'
export { createFeature } from './feature/create-feature.ts'
export { EVENT_CATALOG, type EventCatalog } from './feature/event-catalog.ts'
export type { Extension } from './feature/extension-point.ts'
export type { AppContext, FeatureParts } from './feature/feature.ts'
export type { Handle, Route } from './feature/route.ts'
export { objects } from './features/objects/objects.ts'
export { DEVELOPMENT, ORIGIN_VARIABLE } from './security/configured-origins.ts'
export type { ServedHost } from './security/host.ts'
export { isCausedByOtherSite, isOriginAllowed } from './security/origin.ts'

// A request at a route of such a feature: the checks and refusals of the endpoint hold there too.

export { acceptsStream } from './transport/answer-form.ts'
export { drain } from './transport/body/drain.ts'
export { checkMediaType } from './transport/body/media-type.ts'
export { readJson } from './transport/body/read-json.ts'
export { onDisconnect } from './transport/disconnect.ts'
export type { Handlers } from './transport/endpoint.ts'
export { PathPattern } from './transport/endpoint-paths.ts'
export { Entrance } from './transport/entrance.ts'
export type { DefinedExchange, Exchange } from './transport/exchange.ts'
export { refusalOfExcess } from './transport/rate-limits.ts'
export { Refusal } from './transport/refusal.ts'
export { jsonResponse, outcomeResponse, sseResponse } from './transport/respond.ts'
export { messageEventText } from './transport/sse/event.ts'
export { EVENTS, type Frames, recordedFrames } from './transport/sse/frames.ts'
export { ResponseStream } from './transport/sse/response-stream.ts'
export { watchAuthorization } from './transport/watch-authorization.ts'

// A method, and a tool that calls other tools as its caller: the same checks, outcomes and references.

export { clientResultBytes, holdMsOf } from './clients/limits.ts'
export {
  calledTools,
  checkScopes,
  hasScopes,
  isVisible,
  mayAccessTask,
  sentInfo,
} from './dispatch/access.ts'
export { answerText } from './dispatch/answer-text.ts'
export type { Call, CallRequest, CallServices, Deployment } from './dispatch/call.ts'
export type { DefinedDeployment } from './dispatch/deployment.ts'
export type { DispatchParts, Forwarded, MethodRow, ToolExtension } from './dispatch/extensions.ts'
export { CALLS_ANY, CALLS_READING, READS_SERVER } from './dispatch/feature-tools.ts'
export { runOf } from './dispatch/handler-context.ts'
export type { HandlerRun } from './dispatch/handler-run.ts'
export { callInner, definitionOf, findInnerTool } from './dispatch/inner-call.ts'
export { readCursor } from './dispatch/listing/cursor.ts'
export { combineViews, type ListClient, type ListView } from './dispatch/listing/list-view.ts'
export { pageOf } from './dispatch/listing/page.ts'
export type { RevisionContext } from './dispatch/methods/method.ts'
export { createReference } from './dispatch/reference.ts'
export { resultBody, textOf } from './dispatch/response-text.ts'
export { failureError } from './dispatch/run-handler.ts'

// The journal of a program whose tools ask: one round asks for all of them.

export { Suspension } from './dispatch/journal/suspension.ts'
export { beginInner, runInner } from './features/asks/journal/inner-round.ts'
export { MAX_STATE_BYTES } from './features/asks/journal/request-state.ts'
export type { Round } from './features/asks/journal/round.ts'
export { MAX_OPEN } from './features/asks/journal/suspender.ts'
export { roundOf } from './features/asks/run-round.ts'

// Definitions: an event type is defined as a tool is, and `execute` is a tool.

export type { FullContext } from './server/context.ts'
export { accessOf, checkConfig, checkName, defined, locate } from './server/define/checks.ts'
export { defineTool } from './server/define/tool.ts'
export type { Definition, ToolDefinition } from './server/definition.ts'
export type { Emit, EmitErrorReason, EmitOptions, EmittedEvent, EventType } from './server/event.ts'
export type { AdminErrorReason } from './server/operation-error.ts'
export { type CompiledSchema, compileSchema, describeIssues } from './server/schema/compile.ts'
export { findFaults } from './server/schema/find-faults.ts'
export { targetOf } from './server/schema/json-pointer.ts'
export type { InferInput } from './server/schema/standard-schema.ts'
export type { TaskControl } from './server/task-control.ts'
export type { ToolSettings } from './server/tool.ts'

// An object with tables, an alarm and sockets: the log, the subscribers, the timeline and the traffic.

export { EarliestAlarm } from '../durable-objects/earliest-alarm.ts'
export { type CallByName, callerOf } from '../durable-objects/object-call.ts'
export { ObjectPart } from '../durable-objects/object-part.ts'
export { CallerRecords } from '../durable-objects/run/caller-records.ts'
export { SocketCounts } from '../durable-objects/socket-counts.ts'
export { createRows, hasRows, type Rows, rowsOver } from '../durable-objects/sql-rows.ts'
export { isSocketRequest, nameOfCode, parseJsonMessage } from '../durable-objects/stream-codec.ts'
export {
  answerHeartbeats,
  closeIfOpen,
  closeSocketOf,
  NORMAL_CLOSURE,
  openStreamSocket,
  sendIfOpen,
} from '../durable-objects/stream-socket.ts'
export { Tables } from '../durable-objects/tables.ts'
export type { EndRow } from '../durable-objects/task/schema.ts'
export {
  TASK_END,
  type TaskEndContext,
  type TaskEndPart,
} from '../durable-objects/task/task-end-part.ts'
