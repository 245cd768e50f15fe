/**
 * The columns of a data point in Workers Analytics Engine. A column keeps its place for ever: a dataset has
 * the points of every version for three months. New columns come last.
 *
 * @see https://developers.cloudflare.com/analytics/analytics-engine/limits/
 */

/** `blob1` to `blob17`, in this order. */
export const BLOBS = [
  'event',
  'method',
  'name',
  'outcome',
  'reason',
  'era',
  'revision',
  'client_name',
  'client_version',
  'transport',
  'http_method',
  'network_key',
  'client_key',
  'session_key',
  'error',
  'subject',
  'reference',
] as const

/** `double1` to `double7`, in this order. */
export const DOUBLES = [
  'weight',
  'duration_ms',
  'bytes_in',
  'bytes_out',
  'status',
  'uses_object',
  'error_code',
] as const

export type Blob = (typeof BLOBS)[number]
export type Double = (typeof DOUBLES)[number]

/** What one event says, by column. A missing blob is empty, a missing double is 0. */
export interface Point {
  readonly index: string
  readonly blobs: Readonly<Partial<Record<Blob, string | undefined>>>
  readonly doubles: Readonly<Partial<Record<Double, number | undefined>>>
}
