/** What all spans and metrics of a Worker share, and the types of the encoder. */
import type { JsonMetricsSerializer, JsonTraceSerializer } from '@opentelemetry/otlp-transformer'

/** The input of the encoder. */
export interface Encoded {
  readonly spans: Parameters<typeof JsonTraceSerializer.serializeRequest>[0]
  readonly metrics: Parameters<typeof JsonMetricsSerializer.serializeRequest>[0]
}

type Resource = Encoded['metrics']['resource']
type Scope = Encoded['metrics']['scopeMetrics'][number]['scope']

export interface Origin {
  readonly resource: Resource
  readonly scope: Scope
}

/** @see https://opentelemetry.io/docs/specs/semconv/resource/ */
export function createOrigin(
  serviceName: string,
  attributes: Readonly<Record<string, string>>,
): Origin {
  const all = {
    'service.name': serviceName,
    'cloud.provider': 'cloudflare',
    'cloud.platform': 'cloudflare.workers',
    ...attributes,
  }
  const resource: Resource = {
    attributes: all,
    merge: () => resource,
    getRawAttributes: () => Object.entries(all),
  }
  return { resource, scope: { name: 'edgeway' } }
}
