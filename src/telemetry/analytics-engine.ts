/** Workers Analytics Engine as a sink: one data point for each event. */
import type { RecordingSink } from '../ports/telemetry.ts'
import { BLOBS, DOUBLES, type Point } from './analytics-columns.ts'
import { pointOf } from './analytics-point.ts'

export interface AnalyticsEngineOptions {
  /** The name of the binding in `analytics_engine_datasets`. Default `MCP_ANALYTICS`. */
  readonly binding?: string
}

/** The part of the binding that is used. */
interface Dataset {
  writeDataPoint(point: {
    readonly indexes: string[]
    readonly blobs: string[]
    readonly doubles: number[]
  }): void
}

/** The limit of the platform on an index. */
const MAX_INDEX_BYTES = 96

/** Bytes of one blob. All of them are far below the limit of the platform: 16 KB for the blobs of a point. */
const MAX_BLOB_BYTES = 256

/** Without the binding it does nothing, so that a server runs without it in tests. */
export function analyticsEngine({
  binding = 'MCP_ANALYTICS',
}: AnalyticsEngineOptions = {}): RecordingSink {
  return {
    record(event, env) {
      const dataset = (env as Readonly<Record<string, Dataset | undefined>> | undefined)?.[binding]
      const point = dataset && pointOf(event)
      if (dataset !== undefined && point !== undefined) dataset.writeDataPoint(rowOf(point))
    },
  }
}

function rowOf({ index, blobs, doubles }: Point) {
  return {
    indexes: [cut(index, MAX_INDEX_BYTES)],
    blobs: BLOBS.map((column) => cut(blobs[column] ?? '', MAX_BLOB_BYTES)),
    doubles: DOUBLES.map((column) => doubles[column] ?? 0),
  }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Shortens a text to a number of bytes, without half a character at its end. */
function cut(text: string, maxBytes: number): string {
  // A code unit has at most three bytes.
  if (text.length * 3 <= maxBytes) return text
  const bytes = encoder.encode(text)
  if (bytes.byteLength <= maxBytes) return text
  return decoder.decode(bytes.subarray(0, maxBytes)).replace(/\ufffd$/, '')
}
