/** How busy the machine was: beside each figure, because it doubles them. */
import { loadavg } from 'node:os'

/** Of the last minute. */
export function loadAverage(): number {
  return Math.round((loadavg()[0] ?? Number.NaN) * 10) / 10
}
