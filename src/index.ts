/** The public API of Edgeway. */

export type { ChangeBusOptions } from '../durable-objects/hub/change-bus-options.ts'
export type { Brought, EdgewayCore } from './app/edgeway.ts'
export {
  createEdgeway,
  type Edgeway,
  type EdgewayObjectClass,
  type EdgewayOptions,
  type FactoryOptions,
  type FeatureOption,
} from './app.ts'
export type { ClientAuthMethod, ClientGrantType } from './auth/clients/client.ts'
export type { RedirectOptions } from './auth/clients/redirect-policy.ts'
export type { RedirectPreset } from './auth/clients/redirect-presets.ts'
export type { StaticClientOptions } from './auth/clients/static-clients.ts'
export type { EmbeddedOptions } from './auth/embedded-options.ts'
export { type ExternalOptions, external } from './auth/external.ts'
export type { AuthFeature } from './auth/feature/auth-feature.ts'
export { type AssertionsOptions, assertions } from './auth/features/assertions.ts'
export { dpop } from './auth/features/dpop.ts'
export { personalAccessTokens } from './auth/features/personal-access-tokens.ts'
export { privateKeyJwt } from './auth/features/private-key-jwt.ts'
export { type FromContextOptions, fromContext } from './auth/from-context.ts'
export { type ApiKeyOptions, type ApiKeyOwner, apiKey } from './auth/login/api-key.ts'
export type { ClaimedAttributes, IdClaims } from './auth/login/claimed-attributes.ts'
export { type CloudflareAccessOptions, cloudflareAccess } from './auth/login/cloudflare-access.ts'
export { type GitHubOptions, type GitHubUser, github } from './auth/login/github.ts'
export { type GoogleOptions, google } from './auth/login/google.ts'
export {
  type ApiKeyLogin,
  type Login,
  LoginError,
  type LoginRequest,
  type PassphraseLogin,
  type Person,
  PersonNotAllowedError,
  type RedirectLogin,
} from './auth/login/login.ts'
export { type OidcOptions, oidc } from './auth/login/oidc.ts'
export { type OwnLoginOptions, ownLogin } from './auth/login/own-login.ts'
export { type PassphraseOptions, passphrase } from './auth/login/passphrase.ts'
export type { Secret } from './auth/login/secret.ts'
export type { UpstreamTokens } from './auth/login/upstream-tokens.ts'
export type { AdmissionOptions, ScopesOf } from './auth/people/admission.ts'
export type { AllowList } from './auth/people/allow-list.ts'
export type {
  AttributeNeeds,
  KnownPerson,
  Organization,
  PersonAttributes,
} from './auth/people/attributes.ts'
export type { RenewalOptions } from './auth/renew-caller.ts'
export type { IssuerOptions } from './auth/resource/external-issuer.ts'
export type { GrantCheckAges } from './auth/resource/grant-check-ages.ts'
export type { ScopeOptions } from './auth/resource/scopes.ts'
export type { AuthLimits } from './auth/server/auth-limits.ts'
export type { AuthHooks, IssueAnswer, IssueEvent } from './auth/server/hooks.ts'
export type { TrustedProviderOptions } from './auth/server/trusted-provider.ts'
export type { SubjectOf } from './auth/subject.ts'
export type { VerifiedCaller } from './auth/verified-callers.ts'
export { type VerifierOptions, type Verify, verifier } from './auth/verifier.ts'
export type { DefinitionShare, FactoryLimits } from './dispatch/definitions.ts'
export { type EmbeddedAuth, embedded } from './embedded.ts'
export type { AuthConfig } from './feature/auth-config.ts'
export type { Feature } from './feature/feature.ts'
export { type AdminApi, type AdminFeature, admin } from './features/admin/admin.ts'
export { type Admin, AdminError } from './features/admin/control/admin.ts'
export type {
  AdminGrant,
  AdminHealth,
  AdminSession,
  AdminTask,
  KeyRotation,
  PersonData,
  PrincipalPlace,
  RevocationResult,
} from './features/admin/control/views.ts'
export type { AdminOptions } from './features/admin/endpoint/admin-options.ts'
export { type Apps, apps } from './features/apps/apps.ts'
export { view } from './features/apps/view.ts'
export { type Asks, asks } from './features/asks/asks.ts'
export { type Changes, type ChangesApi, changes } from './features/changes/changes.ts'
export { type Files, files } from './features/files/files.ts'
export { type Health, type HealthOptions, health } from './features/health/health.ts'
export { type Keyring, keyring } from './features/keyring/keyring.ts'
export { type LandingPage, landingPage } from './features/landing-page/landing-page.ts'
export type { LandingPageOptions } from './features/landing-page/page/options.ts'
export { HOSTED_NETWORKS } from './features/rate-limits/limits/hosted-networks.ts'
export {
  type BuiltInClass,
  DEFAULT_RATE_LIMITS,
  type RateLimit,
  type RateLimitOptions,
} from './features/rate-limits/limits/limit-classes.ts'
export { type RateLimitsFeature, rateLimits } from './features/rate-limits/rate-limits.ts'
export type { HttpSseOptions } from './features/sessions/http-sse/paths.ts'
export { type Sessions, type SessionsOptions, sessions } from './features/sessions/sessions.ts'
export { skill } from './features/skills/skill.ts'
export { type Skills, skills } from './features/skills/skills.ts'
export { type State, state } from './features/state/state.ts'
export { externalJob } from './features/tasks/jobs/external-job.ts'
export {
  type WorkflowBinding,
  type WorkflowHandle,
  type WorkflowJobOptions,
  workflowJob,
} from './features/tasks/jobs/workflow-job.ts'
export { type Tasks, type TasksApi, type TasksOptions, tasks } from './features/tasks/tasks.ts'
export type { TimelineOptions } from './features/timeline/create-timeline.ts'
export { type TimelineApi, type TimelineFeature, timeline } from './features/timeline/timeline.ts'
export type { TimelineControl } from './features/timeline/timeline-control.ts'
export type {
  CheckedCause,
  TimelineConnection,
  TimelineEntry,
  TimelineEvent,
  TimelineFinding,
  TimelineVerdict,
} from './features/timeline/views.ts'
export type { CancelReason } from './ports/cancel-reason.ts'
export type { GrantRefusalReason } from './ports/grant-refusal.ts'
export type { NetworkClass } from './ports/rate-limits.ts'
export type {
  ConnectionKeys,
  HttpRequestEvent,
  RequestEvent,
  RequestOutcome,
  RequestStart,
  SpanEvent,
  SpanKind,
  TaskEvent,
} from './ports/request-event.ts'
export type { SessionLimits } from './ports/sessions.ts'
export type {
  Leniency,
  RecordingSink,
  SignInRefusalReason,
  TelemetryEvent,
  TelemetrySink,
} from './ports/telemetry.ts'
export type { ToolAudience, ViewOrigins, ViewPermission } from './protocol/apps.ts'
export type { AuthInfo, GrantProps } from './protocol/auth-info.ts'
export type { ClientCapabilities } from './protocol/capabilities.ts'
export type {
  Annotations,
  AudioContent,
  BlobResourceContents,
  ContentBlock,
  ContentBlockFields,
  EmbeddedResource,
  Icon,
  ImageContent,
  Implementation,
  JsonSchema,
  Meta,
  PromptMessage,
  Resource,
  ResourceContents,
  ResourceContentsFields,
  ResourceLink,
  TextContent,
  TextResourceContents,
} from './protocol/content.ts'
export { ErrorCode } from './protocol/error-codes.ts'
export type { FactoryParams } from './protocol/factory-params.ts'
export type { JsonObject, JsonValue } from './protocol/json.ts'
export type { LogLevel } from './protocol/log-level.ts'
export type { TraceContext } from './protocol/meta.ts'
export type { OAuthErrorCode } from './protocol/oauth-error-code.ts'
export type {
  CallToolResult,
  GetPromptResult,
  ReadResourceResult,
  ReturnedContents,
  ReturnedPrompt,
  ReturnedToolResult,
  Tool,
  ToolAnnotations,
} from './protocol/primitives.ts'
export { ProtocolError } from './protocol/protocol-error.ts'
export type { RefusalName } from './protocol/refusals.ts'
export type { Era } from './protocol/revisions.ts'
export type { TaskStatus } from './protocol/tasks.ts'
export type { SpanContext } from './protocol/trace-context.ts'
export type { OriginOptions } from './security/configured-origins.ts'
export type {
  AskOptions,
  CreateMessageRequest,
  CreateMessageResult,
  ElicitContent,
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
  Askable,
  ClientContext,
  Context,
  Notify,
  NotifyScope,
  RequestContext,
  SessionContext,
  TaskContext,
  WaitOptions,
} from './server/context.ts'
export type { AnyServer, FactoryContext, ServerFactory } from './server/factory.ts'
export {
  type FileData,
  FileError,
  type FileErrorReason,
  type FileOptions,
  type FileUrlOptions,
  type PageOptions,
  type StoredFile,
  type TextPage,
  type UploadRequest,
  type UploadResult,
} from './server/file.ts'
export type {
  ExternalJobOptions,
  JobCallContext,
  JobContext,
  JobHandler,
  JobPolling,
  JobSettings,
  JobStartContext,
  JobStatus,
} from './server/job.ts'
export { McpServer, type McpServerOptions, type ServerSource } from './server/mcp-server.ts'
export type { HandlerCall, Middleware } from './server/middleware.ts'
export type { PromptArguments, PromptConfig, PromptHandler, PromptReturn } from './server/prompt.ts'
export type {
  ListTemplate,
  ReadResource,
  ReadTemplate,
  ResourceConfig,
  ResourcePage,
  ResourceReturn,
} from './server/resource.ts'
export { ResourceTemplate, type ResourceTemplateOptions } from './server/resource-template.ts'
export type {
  DescribedSchema,
  Flattened,
  InferArguments,
  InferInput,
  Issue,
  RawJsonSchema,
  Schema,
  SchemaMember,
  SchemaShape,
  SchemaTypes,
  ShapeMember,
  ShapeType,
  StandardSchema,
  ValidationResult,
} from './server/schema/standard-schema.ts'
export type {
  BundledSkillFile,
  Skill,
  SkillFile,
  SkillFileReader,
  SkillOptions,
  SkillValue,
} from './server/skill.ts'
export {
  type KeyedState,
  type StateCondition,
  type StateContext,
  StateError,
  type StateErrorReason,
  type StateLifetime,
} from './server/state.ts'
export type { StepBackoff, StepContext, StepOptions } from './server/step.ts'
export {
  DeliveryError,
  type DeliveryRefusal,
  type TaskControl,
  type TaskInfo,
  type TaskPage,
} from './server/task-control.ts'
export type {
  JobArguments,
  MaybePromise,
  TaskOptions,
  TaskSupport,
  ToolConfig,
  ToolHandler,
  ToolReturn,
  ToolSettings,
} from './server/tool.ts'
export { ToolError } from './server/tool-error.ts'
export { type CallerAuth, type UpstreamAccess, UpstreamTokenError } from './server/upstream.ts'
export type { ExpandValues } from './server/uri-template/expand.ts'
export type { Variables } from './server/uri-template/match.ts'
export type {
  Expression as UriTemplateExpression,
  Literal as UriTemplateLiteral,
  Operator as UriTemplateOperator,
  UriTemplate,
  VariableSpec as UriTemplateVariable,
} from './server/uri-template/parse.ts'
export {
  type RequiredElicitation,
  UrlElicitationRequiredError,
} from './server/url-elicitation-required-error.ts'
export type { View, ViewOptions } from './server/view.ts'
export type { Visible } from './server/visibility.ts'
export { type AnalyticsEngineOptions, analyticsEngine } from './telemetry/analytics-engine.ts'
export { type ConsoleSinkOptions, consoleSink } from './telemetry/console-sink.ts'
export type { TelemetryOption } from './telemetry/create-telemetry.ts'
export { type SamplingOptions, sampled } from './telemetry/sampled.ts'
export type { WaitUntil } from './transport/entrance.ts'
export type { Limits } from './transport/limits.ts'
