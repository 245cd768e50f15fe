/** The public API of Edgeway. */

export type { ChangeBusOptions } from '../durable-objects/hub/change-bus-options.ts'
export { createEdgeway, type Edgeway, type EdgewayOptions } from './app.ts'
export type { AuthConfig } from './auth/auth-config.ts'
export type { EmbeddedOptions } from './auth/embedded-options.ts'
export { type ExternalOptions, external, type IssuerOptions } from './auth/external.ts'
export { type CloudflareAccessOptions, cloudflareAccess } from './auth/login/cloudflare-access.ts'
export { type GitHubOptions, github } from './auth/login/github.ts'
export { type GoogleOptions, google } from './auth/login/google.ts'
export { type Login, LoginError, type Person } from './auth/login/login.ts'
export { type OidcOptions, oidc } from './auth/login/oidc.ts'
export { type OwnLoginOptions, ownLogin } from './auth/login/own-login.ts'
export { type PassphraseOptions, passphrase } from './auth/login/passphrase.ts'
export type { AuthHooks, IssueAnswer, IssueEvent } from './auth/server/hooks.ts'
export { type EmbeddedAuth, embedded } from './embedded.ts'
export type { GrantRefusalReason } from './ports/grant-refusal.ts'
export type { CancelReason, Leniency, TelemetryEvent, TelemetrySink } from './ports/telemetry.ts'
export type { AuthInfo } from './protocol/auth-info.ts'
export type { ClientCapabilities } from './protocol/capabilities.ts'
export type {
  Annotations,
  AudioContent,
  BlobResourceContents,
  ContentBlock,
  EmbeddedResource,
  Icon,
  ImageContent,
  Implementation,
  PromptMessage,
  Resource,
  ResourceContents,
  ResourceLink,
  TextContent,
  TextResourceContents,
} from './protocol/content.ts'
export type { LogLevel } from './protocol/log-level.ts'
export type { TraceContext } from './protocol/meta.ts'
export type { OAuthErrorCode } from './protocol/oauth-error-code.ts'
export type {
  CallToolResult,
  GetPromptResult,
  ReadResourceResult,
  ToolAnnotations,
} from './protocol/primitives.ts'
export type { RefusalName } from './protocol/refusals.ts'
export type {
  CreateMessageRequest,
  CreateMessageResult,
  ElicitForm,
  ElicitResult,
  ElicitUrl,
  ElicitUrlResult,
  Root,
  SamplingMessage,
} from './server/ask.ts'
export { type Complete, type Completions, completable } from './server/completion.ts'
export type {
  Askable,
  ClientContext,
  Context,
  Notify,
  NotifyScope,
  RequestContext,
  SessionContext,
} from './server/context.ts'
export { McpServer, type McpServerOptions } from './server/mcp-server.ts'
export type { PromptConfig, PromptHandler, PromptReturn } from './server/prompt.ts'
export type {
  ListTemplate,
  ReadResource,
  ReadTemplate,
  ResourceConfig,
  ResourcePage,
  ResourceReturn,
} from './server/resource.ts'
export { ResourceTemplate, type ResourceTemplateOptions } from './server/resource-template.ts'
export type { RawJsonSchema, Schema, StandardSchema } from './server/schema/standard-schema.ts'
export type { ToolConfig, ToolHandler, ToolReturn } from './server/tool.ts'
export { ToolError } from './server/tool-error.ts'
export type { Variables } from './server/uri-template/match.ts'
export {
  type RequiredElicitation,
  UrlElicitationRequiredError,
} from './server/url-elicitation-required-error.ts'
