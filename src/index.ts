/** `edgeway`: what an author of tools, resources and prompts writes. */
export {
  createEdgeway,
  type Edgeway,
  type EdgewayObjectClass,
  type EdgewayOptions,
  type FactoryOptions,
  objectsOf,
} from './app.ts'
export { type Asks, asks } from './features/asks/asks.ts'
export type { AsksOptions } from './features/asks/asks-options.ts'
export { type Keyring, keyring } from './features/keyring/keyring.ts'
export type { MaybePromise } from './platform/maybe-promise.ts'
export type { Limits } from './ports/app-limits.ts'
export type { AuthInfo, GrantProps } from './protocol/auth-info.ts'
export type { ContentBlock, JsonSchema } from './protocol/content.ts'
export { ErrorCode } from './protocol/error-codes.ts'
export type { FactoryParams } from './protocol/factory-params.ts'
export type { JsonObject, JsonValue } from './protocol/json.ts'
export type { CallToolResult } from './protocol/primitives.ts'
export { ProtocolError } from './protocol/protocol-error.ts'
export type {
  CreateMessageRequest,
  CreateMessageResult,
  ElicitForm,
  ElicitResult,
  ElicitUrl,
  ElicitUrlResult,
  Root,
  SamplingContent,
  SamplingMessage,
  ToolResultContent,
  ToolUseContent,
} from './server/ask.ts'
export { type Complete, type Completions, completable } from './server/completion.ts'
export type {
  ClientContext,
  Context,
  Notify,
  RequestContext,
  SessionContext,
  TaskContext,
  WaitOptions,
} from './server/context.ts'
export type { FactoryContext, ServerFactory } from './server/factory.ts'
export {
  type ContextOf,
  createServer,
  McpServer,
  type McpServerOptions,
} from './server/mcp-server.ts'
export type { HandlerCall, Middleware } from './server/middleware.ts'
export { OperationError } from './server/operation-error.ts'
export type { PromptArguments, PromptConfig, PromptHandler } from './server/prompt.ts'
export type {
  ListTemplate,
  ReadResource,
  ReadTemplate,
  ResourceConfig,
  ResourcePage,
} from './server/resource.ts'
export { ResourceTemplate, type ResourceTemplateOptions } from './server/resource-template.ts'
export { jsonSchema } from './server/schema/json-schema.ts'
export type {
  InferArguments,
  Schema,
  SchemaShape,
  StandardSchema,
} from './server/schema/standard-schema.ts'
export type { StepContext, StepOptions } from './server/step.ts'
export type { ToolConfig, ToolDeprecation, ToolHandler } from './server/tool.ts'
export { ToolError } from './server/tool-error.ts'
export type { CallerAuth, UpstreamAccess } from './server/upstream.ts'
export {
  type RequiredElicitation,
  UrlElicitationRequiredError,
} from './server/url-elicitation-required-error.ts'
export type { Visible } from './server/visibility.ts'
export type { WaitUntil } from './transport/entrance.ts'
