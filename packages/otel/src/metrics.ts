/**
 * What one export measures, with delta temporality: the durations of requests as histograms, and events with their
 * deliveries and subscriptions as sums.
 */
import type { HttpRequestEvent, RequestEvent } from '../../../src/ports/request-event.ts'
import type { TelemetryEvent } from '../../../src/ports/telemetry.ts'
import type { Encoded, Origin } from './origin.ts'
import {
  type Attributes,
  type CountedEvent,
  eventAttributes,
  httpAttributes,
  metricAttributes,
} from './semantic-conventions.ts'
import { hrTime } from './spans.ts'

type Metric = Encoded['metrics']['scopeMetrics'][number]['metrics'][number]

/** Bounds in seconds, as the conventions for MCP advise. */
const BOUNDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]

/** As the encoder numbers them. */
const DELTA = 0
const HISTOGRAM = 0
const SUM = 3
const INTEGER = 0
const DOUBLE = 1

const METRICS = {
  request: {
    name: 'mcp.server.operation.duration',
    description: 'Duration of an MCP request or notification, as the server sees it.',
  },
  'http-request': {
    name: 'http.server.request.duration',
    description: 'Duration of an HTTP request outside of the endpoint.',
  },
} as const

const COUNTERS: Readonly<
  Record<CountedEvent['type'], Readonly<Record<'name' | 'description' | 'unit', string>>>
> = {
  'event-emitted': {
    name: 'edgeway.events.emitted',
    description: 'Occurrences that were stored.',
    unit: '{event}',
  },
  'event-delivery': {
    name: 'edgeway.events.deliveries',
    description: 'What became of attempts to deliver an event to a callback.',
    unit: '{delivery}',
  },
  'event-subscription': {
    name: 'edgeway.events.subscriptions',
    description: 'What became of subscriptions, and of requests for one.',
    unit: '{subscription}',
  },
  'deprecated-call': {
    name: 'edgeway.tools.deprecated_calls',
    description: 'Calls of tools that are deprecated.',
    unit: '{call}',
  },
}

export const isCounted = (event: TelemetryEvent): event is CountedEvent =>
  Object.hasOwn(COUNTERS, event.type)

interface Series {
  readonly attributes: Attributes
  readonly seconds: { readonly value: number; readonly weight: number }[]
}

/** @param since epoch milliseconds of the export before */
export function toMetrics(
  events: readonly (RequestEvent | HttpRequestEvent | CountedEvent)[],
  since: number,
  { resource, scope }: Origin,
): Encoded['metrics'] | undefined {
  if (events.length === 0) return undefined
  const metrics = (['request', 'http-request'] as const).flatMap((type) => {
    const seriesOf = group(
      events.filter((event): event is RequestEvent | HttpRequestEvent => event.type === type),
    )
    return seriesOf.length === 0 ? [] : [histogram(METRICS[type], seriesOf, since)]
  })
  for (const type of Object.keys(COUNTERS) as readonly CountedEvent['type'][]) {
    const counted = events.filter((event) => event.type === type) as readonly CountedEvent[]
    if (counted.length > 0) metrics.push(counter(COUNTERS[type], counted, since))
  }
  return { resource, scopeMetrics: [{ scope, metrics }] }
}

/** Groups durations by their attributes. */
function group(events: readonly (RequestEvent | HttpRequestEvent)[]): readonly Series[] {
  const found = new Map<string, Series>()
  for (const event of events) {
    const attributes = event.type === 'request' ? metricAttributes(event) : httpAttributes(event)
    const key = JSON.stringify(attributes)
    const series = found.get(key) ?? { attributes, seconds: [] }
    series.seconds.push({ value: event.durationMs / 1_000, weight: event.weight ?? 1 })
    found.set(key, series)
  }
  return [...found.values()]
}

function histogram(
  { name, description }: { readonly name: string; readonly description: string },
  all: readonly Series[],
  since: number,
): Metric {
  return {
    descriptor: { name, description, unit: 's', valueType: DOUBLE },
    aggregationTemporality: DELTA,
    dataPointType: HISTOGRAM,
    dataPoints: all.map(({ attributes, seconds }) => ({
      attributes,
      startTime: hrTime(since),
      endTime: hrTime(Date.now()),
      value: summarise(seconds),
    })),
  }
}

function counter(
  { name, description, unit }: (typeof COUNTERS)[CountedEvent['type']],
  events: readonly CountedEvent[],
  since: number,
): Metric {
  const counts = new Map<string, { readonly attributes: Attributes; value: number }>()
  for (const event of events) {
    const attributes = eventAttributes(event)
    const key = JSON.stringify(attributes)
    const series = counts.get(key) ?? { attributes, value: 0 }
    series.value += 1
    counts.set(key, series)
  }
  return {
    descriptor: { name, description, unit, valueType: INTEGER },
    aggregationTemporality: DELTA,
    dataPointType: SUM,
    isMonotonic: true,
    dataPoints: [...counts.values()].map(({ attributes, value }) => ({
      attributes,
      startTime: hrTime(since),
      endTime: hrTime(Date.now()),
      value,
    })),
  }
}

function summarise(seconds: Series['seconds']) {
  const counts = new Array<number>(BOUNDS.length + 1).fill(0)
  let sum = 0
  let total = 0
  for (const { value, weight } of seconds) {
    // A count is a whole number on the wire.
    const count = Math.max(1, Math.round(weight))
    const at = BOUNDS.findIndex((bound) => value <= bound)
    const bucket = at === -1 ? BOUNDS.length : at
    counts[bucket] = (counts[bucket] ?? 0) + count
    sum += value * count
    total += count
  }
  const values = seconds.map(({ value }) => value)
  return {
    buckets: { boundaries: BOUNDS, counts },
    sum,
    count: total,
    min: Math.min(...values),
    max: Math.max(...values),
  }
}
