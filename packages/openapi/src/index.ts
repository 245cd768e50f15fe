/** `edgeway/openapi`: tools from an OpenAPI description. */
export type { HttpMethod, OpenAPIOperation } from './document/operation.ts'
export type { OperationFilter, OperationFilters } from './document/operation-filter.ts'
export type { SkippedPart } from './document/operations.ts'
export type { SecurityScheme } from './document/security.ts'
export type {
  CallerOptions,
  FixedValue,
  OpenAPIAuth,
  OpenAPIOptions,
  OperationOverride,
  SecretName,
  TransformableResponse,
} from './options.ts'
export * from './prepare-openapi.ts'
export type { Credential, CredentialSource } from './request/credentials.ts'
export type { Pruning } from './schema/fit-schema.ts'
