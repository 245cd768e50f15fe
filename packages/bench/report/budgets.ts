/** The performance budgets of the project, and whether this run met them. */
import type { EntryName } from '../lanes/lane.ts'
import type { Footprint } from '../measure/footprint.ts'
import { SESSIONS, type SessionUse } from '../measure/session-rows.ts'
import type { Spread } from '../measure/statistics.ts'
import { cpuRatio, findSeries } from './figures.ts'
import type { Measured } from './measured.ts'
import { pacedRatio } from './paced-rows.ts'

interface Budget {
  readonly requirement: string
  /** Maximum of the median. An exclusive limit must not be reached. */
  readonly limit: number
  readonly isExclusive?: boolean
  /** Undefined when the run did not measure it. */
  readonly measured: Spread | undefined
  readonly unit: string
}

/** One line per budget: PASS, FAIL, or not measured in this run. */
export function budgetLines(measured: Measured): string[] {
  const budgets = [...callBudgets(measured), ...sessionBudgets(measured)]
  return budgets.map(({ requirement, limit, isExclusive = false, measured: spread, unit }) => {
    if (spread === undefined) return `- not measured: ${requirement}`
    const isMet = isExclusive ? spread.median < limit : spread.median <= limit
    return `- ${isMet ? 'PASS' : 'FAIL'}: ${requirement}: ${spreadText(spread, unit)}`
  })
}

/** The median, and the quartiles when the rounds differ. */
export function spreadText(
  { median, min, max, lowerQuartile, upperQuartile }: Spread,
  unit: string,
): string {
  const quartiles = `${lowerQuartile.toFixed(3)}–${upperQuartile.toFixed(3)}`
  return `${median.toFixed(3)} ${unit}${min === max ? '' : ` (quartiles ${quartiles})`}`
}

function callBudgets(measured: Measured): readonly Budget[] {
  const { series, paced } = measured
  const call = findSeries(series, 'edgeway', 'call')
  const list = findSeries(series, 'edgeway', 'list')
  return [
    {
      requirement: 'an authorized modern call costs at most 1.3 times a call without authorization',
      limit: 1.3,
      measured: cpuRatio(findSeries(series, 'edgeway', 'authorized-call'), call),
      unit: 'times',
    },
    {
      requirement:
        'an authorized call every 2 s costs at most 1.3 times a call without authorization',
      limit: 1.3,
      measured: pacedRatio(paced),
      unit: 'times',
    },
    {
      requirement:
        'a call that takes the token of an account costs at most 1.15 times an authorized one',
      limit: 1.15,
      measured: cpuRatio(
        findSeries(series, 'edgeway', 'connected-call'),
        findSeries(series, 'edgeway', 'authorized-call'),
      ),
      unit: 'times',
    },
    {
      requirement: 'a modern call costs at most 1.2 times the bare route',
      limit: 1.2,
      measured: cpuRatio(call, findSeries(series, 'bare', 'call')),
      unit: 'times',
    },
    {
      requirement:
        'a modern call with a cached definition of a factory costs at most 1.05 times one',
      limit: 1.05,
      measured: cpuRatio(findSeries(series, 'edgeway-factory', 'call'), call),
      unit: 'times',
    },
    {
      requirement: 'a modern call with a telemetry sink that counts costs at most 1.03 times one',
      limit: 1.03,
      measured: cpuRatio(findSeries(series, 'edgeway-telemetry', 'call'), call),
      unit: 'times',
    },
    {
      requirement: "a modern call costs at most a quarter of the official SDK's",
      limit: 1 / 4,
      measured: cpuRatio(call, findSeries(series, 'sdk', 'call')),
      unit: 'times',
    },
    {
      requirement: "a modern call costs less than mcp-lite's stateless call",
      limit: 1,
      isExclusive: true,
      measured: cpuRatio(call, findSeries(series, 'mcp-lite', 'stateless-call')),
      unit: 'times',
    },
    {
      requirement:
        'a list of 100 tools costs at most 1.25 times a route that returns the same bytes',
      limit: 1.25,
      measured: cpuRatio(list, findSeries(series, 'same-bytes', 'list')),
      unit: 'times',
    },
    {
      requirement: "a list of 100 tools costs at most a fifteenth of the official SDK's",
      limit: 1 / 15,
      measured: cpuRatio(list, findSeries(series, 'sdk', 'list')),
      unit: 'times',
    },
    {
      requirement: 'a call with 100 tools costs at most 1.05 times a call with one tool',
      limit: 1.05,
      measured: cpuRatio(findSeries(series, 'edgeway', 'call-100'), call),
      unit: 'times',
    },
    ...sizeBudgets(measured),
  ]
}

/** Sizes without function names on both sides, and starts of the same run. */
function sizeBudgets({ footprints }: Measured): readonly Budget[] {
  const find = (folder: string, entry: EntryName) =>
    footprints.find((one) => one.lane.folder === folder && one.entry === entry)
  const ratio = (
    own: Footprint | undefined,
    peer: EntryName,
    figure: (one: Footprint) => number,
  ): Spread | undefined => {
    const other = find('sdk', peer)
    return own && other && constant(figure(own) / figure(other))
  }
  const plain = find('edgeway', 'one-tool')
  const size = (one: Footprint) => one.unnamedGzipBytes
  const complete = find('edgeway', 'authorized-sessions')
  return [
    {
      requirement: 'an app without features has at most 0.95 times the size of the official SDK',
      limit: 0.95,
      measured: ratio(plain, 'one-tool', size),
      unit: 'times',
    },
    {
      requirement: 'external() has at most 0.85 times the size of the SDK with its provider',
      limit: 0.85,
      measured: ratio(find('edgeway', 'external'), 'authorized', size),
      unit: 'times',
    },
    {
      requirement: 'embedded() has at most 1.2 times the size of the SDK with its provider',
      limit: 1.2,
      measured: ratio(find('edgeway', 'authorized'), 'authorized', size),
      unit: 'times',
    },
    {
      requirement: 'embedded() with sessions() and changes() has at most 195 KB',
      limit: 195,
      measured: complete && constant(complete.unnamedGzipBytes / 1000),
      unit: 'KB',
    },
    {
      requirement: 'a handler of edgeway/sdk has at most 1.15 times the size of the official SDK',
      limit: 1.15,
      measured: ratio(find('edgeway-sdk', 'one-tool'), 'one-tool', size),
      unit: 'times',
    },
    {
      requirement: 'an app without features starts in at most 1.1 times the time of the SDK',
      limit: 1.1,
      measured: ratio(plain, 'one-tool', (one) => one.startupMilliseconds.median),
      unit: 'times',
    },
  ]
}

function sessionBudgets({ series, sessionRows }: Measured): readonly Budget[] {
  const call = findSeries(series, 'edgeway', 'session-call')
  const initialize = findSeries(series, 'edgeway', 'initialize')
  const storedAfter = (use: SessionUse) =>
    sessionRows.find((each) => each.lane.folder === 'edgeway' && each.use === use)
  const afterInitialize = storedAfter('initialize')
  const afterCall = storedAfter('list-and-call')
  return [
    {
      requirement: 'a call in a session costs at most 1.3 times a bare RPC to an object',
      limit: 1.3,
      measured: cpuRatio(call, findSeries(series, 'bare', 'session-call')),
      unit: 'times',
    },
    {
      requirement: "a call in a session costs at most a fifth of McpAgent's",
      limit: 1 / 5,
      measured: cpuRatio(call, findSeries(series, 'mcp-agent', 'session-call')),
      unit: 'times',
    },
    {
      requirement: "a call in a session costs less than the official SDK's in an object",
      limit: 1,
      isExclusive: true,
      measured: cpuRatio(call, findSeries(series, 'sdk-object', 'session-call')),
      unit: 'times',
    },
    {
      requirement: "a call in a session costs less than mcp-lite's in an object",
      limit: 1,
      isExclusive: true,
      measured: cpuRatio(call, findSeries(series, 'mcp-lite-object', 'session-call')),
      unit: 'times',
    },
    {
      requirement: 'initialize with a session costs at most 1.6 times the bare route',
      limit: 1.6,
      measured: cpuRatio(initialize, findSeries(series, 'bare', 'initialize')),
      unit: 'times',
    },
    {
      requirement: `${SESSIONS} sessions that only initialize instantiate no object`,
      limit: 0,
      measured: count(afterInitialize?.objects),
      unit: 'objects',
    },
    {
      requirement: `${SESSIONS} sessions that only initialize write no rows`,
      limit: 0,
      measured: count(afterInitialize?.rows),
      unit: 'rows',
    },
    {
      requirement: `${SESSIONS} sessions that list and call once write no rows`,
      limit: 0,
      measured: count(afterCall?.rows),
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
