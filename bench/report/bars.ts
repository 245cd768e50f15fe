/** What the project promises of itself, and whether this run saw it. */
import { SESSIONS, type SessionUse } from '../measure/session-rows.ts'
import type { Spread } from '../measure/statistics.ts'
import { cpuRatio, find } from './figures.ts'
import type { Measured } from './measured.ts'

interface Bar {
  readonly promise: string
  /** The figure must not be above it, or, where `below`, must be under it. */
  readonly limit: number
  readonly below?: boolean
  readonly seen: Spread | undefined
  readonly unit: string
}

/** A line for every promise: PASS, FAIL, or not measured in this run. */
export function barLines(measured: Measured): string[] {
  const all = [...callBars(measured), ...sessionBars(measured)]
  return all.map(({ promise, limit, below = false, seen, unit }) => {
    if (seen === undefined) return `- not measured: ${promise}`
    const kept = below ? seen.median < limit : seen.median <= limit
    const quartiles = `${seen.lowerQuartile.toFixed(3)}–${seen.upperQuartile.toFixed(3)}`
    const figure = `${seen.median.toFixed(3)} ${unit}`
    const around = seen.min === seen.max ? '' : ` (half of the rounds within ${quartiles})`
    return `- ${kept ? 'PASS' : 'FAIL'}: ${promise}: ${figure}${around}`
  })
}

function callBars({ series, footprints }: Measured): readonly Bar[] {
  const call = find(series, 'edgeway', 'call')
  const list = find(series, 'edgeway', 'list')
  const withoutZod = footprints.find(({ lane }) => lane === 'edgeway, without zod')
  return [
    {
      promise: 'an authorized modern call costs at most 1.3 times one without authorization',
      limit: 1.3,
      seen: cpuRatio(find(series, 'edgeway', 'authorized-call'), call),
      unit: 'times',
    },
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
      seen: withoutZod && constant(withoutZod.gzipBytes / 1000),
      unit: 'KB',
    },
  ]
}

function sessionBars({ series, sessionRows }: Measured): readonly Bar[] {
  const call = find(series, 'edgeway', 'session-call')
  const initialize = find(series, 'edgeway', 'initialize')
  const counted = (use: SessionUse) =>
    sessionRows.find((each) => each.lane.folder === 'edgeway' && each.use === use)
  const opened = counted('initialize')
  const used = counted('list-and-call')
  return [
    {
      promise: 'a call on a session costs at most 1.3 times a bare round trip to an object',
      limit: 1.3,
      seen: cpuRatio(call, find(series, 'bare', 'session-call')),
      unit: 'times',
    },
    {
      promise: "a call on a session costs at most a fifth of McpAgent's",
      limit: 1 / 5,
      seen: cpuRatio(call, find(series, 'mcp-agent', 'session-call')),
      unit: 'times',
    },
    {
      promise: "a call on a session costs less than the official SDK's in an object",
      limit: 1,
      below: true,
      seen: cpuRatio(call, find(series, 'sdk-object', 'session-call')),
      unit: 'times',
    },
    {
      promise: "a call on a session costs less than mcp-lite's in an object",
      limit: 1,
      below: true,
      seen: cpuRatio(call, find(series, 'mcp-lite-object', 'session-call')),
      unit: 'times',
    },
    {
      promise: 'initialize with a session costs at most 1.6 times the bare route',
      limit: 1.6,
      seen: cpuRatio(initialize, find(series, 'bare', 'initialize')),
      unit: 'times',
    },
    {
      promise: `${SESSIONS} sessions that only initialize instantiate no object`,
      limit: 0,
      seen: count(opened?.objects),
      unit: 'objects',
    },
    {
      promise: `${SESSIONS} sessions that only initialize write nothing`,
      limit: 0,
      seen: count(opened?.rows),
      unit: 'rows',
    },
    {
      promise: `${SESSIONS} sessions that list and call once write nothing`,
      limit: 0,
      seen: count(used?.rows),
      unit: 'rows',
    },
  ]
}

function count(value: number | undefined): Spread | undefined {
  return value === undefined ? undefined : constant(value)
}

function constant(value: number): Spread {
  return { median: value, min: value, max: value, lowerQuartile: value, upperQuartile: value }
}
