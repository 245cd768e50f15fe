/** `edgeway/sdk`: servers that are written for the official TypeScript SDK. See the guide. */

export { type CompleteCallback, completable, isCompletable } from './completable.ts'
export type { CorsOptions } from './cors-options.ts'
export * from './create-mcp-handler.ts'
export { createMcpHandler as createLegacyMcpHandler } from './create-mcp-handler.ts'
export {
  ErrorCode,
  McpError,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  UrlElicitationRequiredError,
} from './errors.ts'
export type { HandlerExtra, RequestHandlerExtra, ServerContext } from './extra.ts'
export {
  type HostHeaderValidationResult,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type OriginValidationResult,
  originValidationResponse,
  validateHostHeader,
  validateOriginHeader,
} from './host-and-origin.ts'
export * from './input-required.ts'
export { getMcpAuthContext, type McpAuthContext } from './mcp-auth-context.ts'
export type { CreateMcpHandlerOptions } from './mcp-handler-options.ts'
export * from './mcp-server.ts'
export type * from './messages.ts'
export * from './meta-keys.ts'
export * from './registrations.ts'
export * from './request-schemas.ts'
export * from './request-state-codec.ts'
export * from './resource-template.ts'
export { isCallToolResult } from './results.ts'
export type {
  AnySchema,
  ArgumentsOf,
  SchemaOutput,
  ShapeOutput,
  StandardSchemaWithJSON,
  ZodRawShape,
} from './schema.ts'
export { fromJsonSchema } from './schema.ts'
export { type RequiredScopes, requireScopes, type ScopeChallengeHandler } from './scopes.ts'
export { Server, type ServerInfo, type ServerOptions } from './server.ts'
export type { ServerClient } from './server-client.ts'
export * from './tool-tasks.ts'
export type * from './types.ts'
