/**
 * The names of the semantic conventions for MCP, as spans and metrics of requests have them. What the
 * conventions do not name begins with `edgeway.`.
 *
 * @see https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/mcp.md
 */
import type { HttpRequestEvent, RequestEvent, SpanEvent } from '../../../src/ports/request-event.ts'
import type { TelemetryEvent } from '../../../src/ports/telemetry.ts'

export type Attributes = Readonly<Record<string, string | number | boolean>>
type Partially = Readonly<Record<string, string | number | boolean | undefined>>

export function defined(attributes: Partially): Attributes {
  const entries = Object.entries(attributes).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as Attributes
}

/** `{mcp.method.name} {target}`. A URI is never a target: its cardinality is not limited. */
export function requestSpanName({ method, name, httpMethod }: RequestEvent): string {
  const hasTarget = name !== undefined && (method === 'tools/call' || method === 'prompts/get')
  return hasTarget ? `${method} ${name}` : (method ?? httpMethod)
}

/** The attributes that spans and metrics share. Each has few values. */
function commonAttributes(event: RequestEvent): Partially {
  const { method, name, errorCode, status, revision } = event
  return {
    'mcp.method.name': method,
    'mcp.protocol.version': revision,
    'gen_ai.tool.name': method === 'tools/call' ? name : undefined,
    'gen_ai.operation.name': method === 'tools/call' ? 'execute_tool' : undefined,
    'gen_ai.prompt.name': method === 'prompts/get' ? name : undefined,
    'error.type': errorType(event),
    'rpc.response.status_code': errorCode === undefined ? undefined : String(errorCode),
    'http.response.status_code': status,
    'network.transport': 'tcp',
    'network.protocol.name': 'http',
  }
}

export function metricAttributes(event: RequestEvent): Attributes {
  return defined({ ...commonAttributes(event), 'edgeway.outcome': event.outcome })
}

export function requestAttributes(event: RequestEvent): Attributes {
  const { method, name, requestId, connection, client } = event
  return defined({
    ...commonAttributes(event),
    'jsonrpc.request.id': requestId === undefined ? undefined : String(requestId),
    // A key of the session, not its id: the id is a credential.
    'mcp.session.id': connection.session,
    'mcp.resource.uri': method?.startsWith('resources/') === true ? name : undefined,
    'http.request.method': event.httpMethod,
    'edgeway.outcome': event.outcome,
    'edgeway.reason': event.reason,
    'edgeway.reference': event.reference,
    'edgeway.era': event.era,
    'edgeway.transport': event.transport,
    'edgeway.client.name': client?.name,
    'edgeway.client.version': client?.version,
    'edgeway.client.key': connection.client,
    'edgeway.network.key': connection.network,
    'edgeway.bytes_in': event.bytesIn,
    'edgeway.bytes_out': event.bytesOut,
    'edgeway.uses_object': event.usesObject,
  })
}

/** The events of telemetry that are counted. */
export type CountedEvent = Extract<
  TelemetryEvent,
  {
    readonly type: 'event-emitted' | 'event-delivery' | 'event-subscription' | 'deprecated-call'
  }
>

/** Of an event that is counted. The id of a subscription is none: it has as many values as there are subscriptions. */
export function eventAttributes(event: CountedEvent): Attributes {
  if (event.type === 'deprecated-call') {
    return {
      'gen_ai.tool.name': event.tool,
      'edgeway.tool.replacement': event.use,
      'edgeway.client.name': event.client,
    }
  }
  const { outcome, reason } = event.type === 'event-emitted' ? {} : event
  return defined({
    'edgeway.event': event.event,
    'edgeway.outcome': outcome,
    'error.type': reason,
  })
}

/** `tool_error` for a result with `isError`; the JSON-RPC code, or the reason, for any other failure. */
export function errorType({
  outcome,
  reason,
  errorCode,
}: Pick<RequestEvent, 'outcome' | 'reason' | 'errorCode'>): string | undefined {
  switch (outcome) {
    case 'tool-error':
      return 'tool_error'
    case 'error':
      return String(errorCode ?? '_OTHER')
    case 'refused':
    case 'cancelled':
      return reason ?? '_OTHER'
    default:
      return undefined
  }
}

export function spanAttributes({ kind, name, method }: SpanEvent): Attributes {
  return defined({
    'mcp.method.name': method,
    'edgeway.span': kind,
    ...(kind === 'object-call' && { 'rpc.system.name': 'cloudflare', 'rpc.method': name }),
    ...(kind === 'step' && { 'edgeway.step': name }),
  })
}

/** The attributes of `http.server.request.duration`. */
export function httpAttributes({ httpMethod, route, status }: HttpRequestEvent): Attributes {
  return defined({
    'http.request.method': httpMethod,
    'http.route': route,
    'http.response.status_code': status,
    'error.type': status >= 500 ? String(status) : undefined,
  })
}
