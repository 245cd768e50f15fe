/** `edgeway/testing`: a client for tests, which speaks the real protocol to a server in the same process. */
// The methods that plain Node lacks, also for a test that imports nothing else of the package.
import '#runtime'

export type { VerifiedCaller } from '../../../src/auth/verified-callers.ts'
export type { Change, ListChangeKind } from '../../../src/ports/change-kinds.ts'
export type { Implementation, Resource } from '../../../src/protocol/content.ts'
export type {
  CallbackFault,
  DeliveryMode,
  DeliveryStatus,
  EventOccurrence,
  PollResult,
} from '../../../src/protocol/events.ts'
export type { LogLevel } from '../../../src/protocol/log-level.ts'
export type {
  GetPromptResult,
  Prompt,
  PromptArgument,
  ReadResourceResult,
  ResourceTemplateInfo,
  Tool,
} from '../../../src/protocol/primitives.ts'
export type { RevisionId } from '../../../src/protocol/revisions.ts'
export type { Root } from '../../../src/server/ask.ts'
export { McpError, type McpErrorOptions, type McpErrorReason } from '../../client/src/mcp-error.ts'
export type { ProfileName } from '../../client/src/profiles.ts'
export {
  type AccountService,
  type AccountServiceOptions,
  createAccountService,
  type ServiceAnswer,
  type ServiceEndpoint,
  type ServicePart,
  type ServiceRequest,
} from './account-service.ts'
export type { AccountOfToken, TokenRules } from './account-tokens.ts'
export {
  type Answers,
  accept,
  cancel,
  decline,
  type ElicitAsk,
  type ElicitResponse,
  type ReceivedAsk,
  type SamplingAsk,
  type SamplingResponse,
  type ScriptedAnswers,
} from './asks.ts'
export type { ListenFilter, ServerIntroduction } from './channel.ts'
export { createClock, type TestClock } from './clock.ts'
export { type AppOptions, type ClientOptions, connect, signIn } from './connect.ts'
export type { TestAccount, TestConnections } from './connected-accounts.ts'
export {
  createEventReceiver,
  createEventSecret,
  type EventReceiver,
  type EventReceiverOptions,
  type ReceivedDelivery,
  type ReceiverAnswer,
} from './event-receiver.ts'
export type { EventStream, StreamEnd, StreamMessage, StreamMessageKind } from './event-stream.ts'
export type {
  Callback,
  EventDescriptor,
  EventReadOptions,
  EventTypeName,
  PollOptions,
  SubscribeOptions,
  SubscribeResult,
  TestEvents,
  UnsubscribeOptions,
} from './events.ts'
export type { PlayedOptions } from './open-client.ts'
export { openView, type TestView, type ViewOptions } from './open-view.ts'
export type { Delivery, DeliveryKind } from './received-delivery.ts'
export type { DefinitionOptions } from './served.ts'
export type { SignInOptions } from './sign-in.ts'
export type { Subscription } from './subscription.ts'
export type {
  CallOptions,
  Completion,
  CompletionTarget,
  JsonMembers,
  ReceivedLog,
  ReportedProgress,
  TestClient,
  ToolCallOptions,
  ToolResult,
  WithText,
} from './test-client.ts'
export type { FilesOfCall } from './uploads.ts'
