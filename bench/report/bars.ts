/** What the project promises of itself, and whether this run saw it. */
import type { Series } from '../measure/contest.ts'
import type { Footprint } from '../measure/footprint.ts'
import type { Spread } from '../measure/statistics.ts'
import { cpuRatio, find } from './figures.ts'

interface Bar {
  readonly promise: string
  /** The figure must not be above it, or, where `below`, must be under it. */
  readonly limit: number
  readonly below?: boolean
  readonly seen: Spread | undefined
  readonly unit: string
}

/** A line for every promise: PASS, FAIL, or not measured in this run. */
export function barLines(series: readonly Series[], footprints: readonly Footprint[]): string[] {
  return bars(series, footprints).map(({ promise, limit, below = false, seen, unit }) => {
    if (seen === undefined) return `- not measured: ${promise}`
    const kept = below ? seen.median < limit : seen.median <= limit
    const quartiles = `${seen.lowerQuartile.toFixed(3)}–${seen.upperQuartile.toFixed(3)}`
    const figure = `${seen.median.toFixed(3)} ${unit}`
    const around = seen.min === seen.max ? '' : ` (half of the rounds within ${quartiles})`
    return `- ${kept ? 'PASS' : 'FAIL'}: ${promise}: ${figure}${around}`
  })
}

function bars(series: readonly Series[], footprints: readonly Footprint[]): readonly Bar[] {
  const call = find(series, 'edgeway', 'call')
  const list = find(series, 'edgeway', 'list')
  const withoutZod = footprints.find(({ lane }) => lane === 'edgeway, without zod')
  return [
    {
      promise: 'a modern call costs at most 1.2 times the bare route',
      limit: 1.2,
      seen: cpuRatio(call, find(series, 'bare', 'call')),
      unit: 'times',
    },
    {
      promise: "a modern call costs at most a quarter of the official SDK's",
      limit: 1 / 4,
      seen: cpuRatio(call, find(series, 'sdk', 'call')),
      unit: 'times',
    },
    {
      promise: "a modern call costs less than mcp-lite's stateless call",
      limit: 1,
      below: true,
      seen: cpuRatio(call, find(series, 'mcp-lite', 'stateless-call')),
      unit: 'times',
    },
    {
      promise: 'a list of 100 tools costs at most 1.25 times a route that returns the same bytes',
      limit: 1.25,
      seen: cpuRatio(list, find(series, 'same-bytes', 'list')),
      unit: 'times',
    },
    {
      promise: "a list of 100 tools costs at most a fifteenth of the official SDK's",
      limit: 1 / 15,
      seen: cpuRatio(list, find(series, 'sdk', 'list')),
      unit: 'times',
    },
    {
      promise: 'a call among 100 tools costs at most 1.05 times a call with one',
      limit: 1.05,
      seen: cpuRatio(find(series, 'edgeway', 'call-100'), call),
      unit: 'times',
    },
    {
      promise: 'the library with Hono, without zod, is at most 40 KB gzip',
      limit: 40,
      seen: withoutZod === undefined ? undefined : constant(withoutZod.gzipBytes / 1000),
      unit: 'KB',
    },
  ]
}

function constant(value: number): Spread {
  return { median: value, min: value, max: value, lowerQuartile: value, upperQuartile: value }
}
