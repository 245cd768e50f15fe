/** Reads `_meta` of requests: the reserved keys, and the fields that the modern era requires. */
import type { ClientCapabilities } from './capabilities.ts'
import type { Implementation } from './content.ts'
import { isJsonObject, type JsonObject } from './json.ts'
import { isLogLevel, type LogLevel } from './log-level.ts'
import { invalidParams } from './protocol-error.ts'
import { parseTraceContext } from './trace-context.ts'

/** @see https://modelcontextprotocol.io/specification/2026-07-28/basic/index#meta */
export const MetaKey = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const

/** The member of `_meta` by which a program asks how long its call may be held, in milliseconds. */
export const HOLD_META = 'dev.edgeway/holdMs'

export type ProgressToken = string | number

/** The fields of a request's `_meta`. */
export interface RequestMeta {
  readonly clientInfo: Implementation | undefined
  readonly clientCapabilities: ClientCapabilities
  readonly logLevel: LogLevel | undefined
  readonly progressToken: ProgressToken | undefined
}

/** W3C trace context. @see https://www.w3.org/TR/trace-context/ */
export interface TraceContext {
  readonly traceparent: string
  readonly tracestate: string | undefined
  readonly baggage: string | undefined
}

export function metaOf(params: JsonObject | undefined): JsonObject | undefined {
  const meta = params?._meta
  return isJsonObject(meta) ? meta : undefined
}

/** Returns the revision that a modern request names in `_meta`, unvalidated; undefined if absent. */
export function claimedVersion(params: JsonObject | undefined): unknown {
  return metaOf(params)?.[MetaKey.protocolVersion]
}

/**
 * What a message says of its sender: the version of the protocol that it names or asks for, and what the client calls
 * itself. Unvalidated.
 */
export function introductionOf(message: unknown): {
  readonly version: string | undefined
  readonly client: Implementation | undefined
} {
  const { method, params } = isJsonObject(message) ? message : {}
  const own = isJsonObject(params) ? params : undefined
  const isInitialize = method === 'initialize'
  const version = isInitialize ? own?.protocolVersion : claimedVersion(own)
  const client = isInitialize ? own?.clientInfo : metaOf(own)?.[MetaKey.clientInfo]
  return {
    version: typeof version === 'string' ? version : undefined,
    client: readImplementation(client),
  }
}

/** Reads `{ name, version }`. A malformed value counts as absent, because it is only displayed. */
export function readImplementation(value: unknown): Implementation | undefined {
  if (!isJsonObject(value)) return undefined
  const { name, version } = value
  if (typeof name !== 'string' || typeof version !== 'string') return undefined
  return value as JsonObject & Implementation
}

/**
 * @throws {ProtocolError} invalidParams, if the token is neither a string nor an integer
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress
 */
export function readProgressToken(meta: JsonObject | undefined): ProgressToken | undefined {
  const token = meta?.progressToken
  if (token === undefined) return undefined
  if (typeof token === 'string' || Number.isSafeInteger(token)) return token as ProgressToken
  throw invalidParams('_meta.progressToken must be a string or an integer')
}

/**
 * Reads `_meta` of a modern request. A malformed `clientInfo` counts as absent.
 *
 * @throws {ProtocolError} invalidParams, if a required field is missing or a known field is malformed
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/index#meta
 */
export function readModernMeta(meta: JsonObject | undefined): RequestMeta {
  const capabilities = meta?.[MetaKey.clientCapabilities]
  if (meta === undefined || capabilities === undefined) {
    throw invalidParams(`params._meta must have ${MetaKey.clientCapabilities}`)
  }
  if (!isJsonObject(capabilities)) {
    throw invalidParams(`${MetaKey.clientCapabilities} must be an object`)
  }
  const logLevel = meta[MetaKey.logLevel]
  if (logLevel !== undefined && !isLogLevel(logLevel)) {
    throw invalidParams(`${MetaKey.logLevel} must be a log level`)
  }
  return {
    clientInfo: readImplementation(meta[MetaKey.clientInfo]),
    clientCapabilities: capabilities,
    logLevel,
    progressToken: readProgressToken(meta),
  }
}

/** Maximum length of `tracestate` and `baggage`, in UTF-16 code units. */
const MAX_TRACE_FIELD = 8192

/**
 * Reads the trace context of a request. Returns undefined if it is absent or malformed: a malformed
 * trace must not fail the call.
 *
 * @see https://www.w3.org/TR/trace-context/#traceparent-header
 */
export function readTraceContext(meta: JsonObject | undefined): TraceContext | undefined {
  const traceparent = meta?.traceparent
  if (typeof traceparent !== 'string' || parseTraceContext(traceparent, undefined) === undefined)
    return undefined
  const field = (value: unknown) =>
    typeof value === 'string' && value.length <= MAX_TRACE_FIELD ? value : undefined
  return { traceparent, tracestate: field(meta?.tracestate), baggage: field(meta?.baggage) }
}
