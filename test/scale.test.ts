/** The paper model of `docs/scale.md`: its arithmetic, and the page that it writes. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { callEstimates, checksPerSecond } from '../scripts/scale/calls.ts'
import { eventEstimates } from '../scripts/scale/events.ts'
import { count, table } from '../scripts/scale/figures.ts'
import measured from '../scripts/scale/measured.json' with { type: 'json' }
import {
  type BenchResults,
  type Measured,
  operation,
  record,
  recordEvents,
} from '../scripts/scale/measured.ts'
import { SCALE_PAGE, scaleTables, withTables } from '../scripts/scale/page.ts'
import { DEFAULT_PARAMETERS, parseParameters } from '../scripts/scale/parameters.ts'
import { streamEstimates, streamHotSpots } from '../scripts/scale/streams.ts'
import { createdPerSecond, taskEstimates, taskUsage } from '../scripts/scale/tasks.ts'
import {
  billedUnits,
  costs,
  difference,
  marginalCosts,
  monthlyCost,
  NOTHING,
  sum,
  times,
} from '../scripts/scale/usage.ts'

const ACTIVE = { activeMs: 10 }

describe('costs of a month', () => {
  it('are those of the first example of the Workers pricing page', () => {
    const usage = { ...NOTHING, workerRequests: 15e6, cpuMilliseconds: 7 * 15e6 }
    expect(monthlyCost(usage, ACTIVE)).toBeCloseTo(8, 10)
  })

  it('are those of the example of the Durable Objects pricing page with hibernating WebSockets, before its rounding', () => {
    // 100 objects with 100 sockets each, and one message a minute on each socket.
    const usage = { ...NOTHING, objectRequests: 10_000, messages: 432e6 }
    const { objectRequests, durationGbSeconds } = costs(usage, ACTIVE)
    expect(objectRequests).toBeCloseTo(3.0915, 10)
    // The example does not count the duration of opening the sockets: 12.8 GB-s.
    expect(durationGbSeconds).toBeCloseTo(1.91216, 10)
  })

  it('are only the fee of the plan while the usage is included', () => {
    expect(monthlyCost({ ...NOTHING, workerRequests: 10e6, rowsWritten: 50e6 }, ACTIVE)).toBe(5)
  })

  it('contain heartbeats as messages without duration', () => {
    const { objectRequests, durationGbSeconds } = billedUnits(
      { ...NOTHING, heartbeats: 40 },
      ACTIVE,
    )
    expect([objectRequests, durationGbSeconds]).toEqual([2, 0])
  })

  it('contain the time in which an object is kept in memory', () => {
    const usage = { ...NOTHING, activeSeconds: 1000, objectRequests: 100 }
    expect(billedUnits(usage, ACTIVE).durationGbSeconds).toBeCloseTo(128.128, 10)
  })
})

describe('costs beyond what the plan includes', () => {
  it('are the price of each unit, from the first one on', () => {
    const usage = { ...NOTHING, objectRequests: 2e6, rowsWritten: 3e6, activeSeconds: 1e6 }
    const { objectRequests, rowsWritten, durationGbSeconds } = marginalCosts(usage, { activeMs: 0 })
    expect([objectRequests, rowsWritten, durationGbSeconds]).toEqual([0.3, 3, 1.6])
  })
})

describe('usage', () => {
  it('is added, multiplied and subtracted member by member', () => {
    const usage = { ...NOTHING, rowsRead: 3, alarms: 1 }
    const doubled = { ...NOTHING, rowsRead: 6, alarms: 2 }
    expect(times(2, usage)).toEqual(doubled)
    expect(sum(usage, usage)).toEqual(doubled)
    expect(difference(doubled, usage)).toEqual(usage)
  })
})

const RUN = { at: '2026-01-01T00:00:00.000Z', processor: 'test' }

/** Each operation has figures of its own, so that a wrong factor shows. */
const INPUTS: Measured = {
  counts: {
    ...RUN,
    operations: {
      edgeway: {
        'open-listener': { workerRequests: 1, objectRequests: 1, rowsRead: 1 },
        'listener-minute': { messages: 2, cpuMilliseconds: 0.5 },
        'authorized-listener-minute': { messages: 2, objectRequests: 2, rowsWritten: 1 },
        'change-to-listener': { objectRequests: 0.5, rowsWritten: 0.25 },
        'open-session': { workerRequests: 2, objectRequests: 2, rowsRead: 1 },
        'woken-session-call': { workerRequests: 1, objectRequests: 2, rowsRead: 1 },
        'open-stream': { workerRequests: 1, objectRequests: 2, messages: 2 },
        'stream-minute': { messages: 8 },
        'change-on-stream': { messages: 2, rowsWritten: 16 },
        'checked-authorized-call': { workerRequests: 1 },
        'grant-check': { workerRequests: 1, objectRequests: 1, rowsRead: 2, rowsWritten: 0.3 },
        'task-1-step': { workerRequests: 2, objectRequests: 4, rowsWritten: 21 },
        'task-10-steps': { workerRequests: 2, objectRequests: 4, rowsWritten: 48 },
        'task-event': { workerRequests: 3, objectRequests: 5, alarms: 1, rowsWritten: 32 },
        'task-get': { workerRequests: 1, objectRequests: 1, rowsRead: 1 },
      },
      'mcp-agent': {
        'open-session': { workerRequests: 2, objectRequests: 7, rowsWritten: 61 },
        'woken-session-call': { workerRequests: 1, objectRequests: 3, rowsWritten: 4 },
        'open-stream': { workerRequests: 1, objectRequests: 3 },
        'stream-minute': {},
      },
      sdk: { 'open-listener': { workerRequests: 1 }, 'listener-minute': {} },
      plain: { 'open-listener': { workerRequests: 1 }, 'listener-minute': {} },
    },
  },
  stored: {
    ...RUN,
    bytes: { 'mcp-agent': { session: 50_000 }, edgeway: { session: 0, task: 34_000 } },
  },
  processor: {
    ...RUN,
    microseconds: {
      edgeway: {
        call: 200,
        'authorized-call': 250,
        'session-call': 300,
        initialize: 150,
        task: 900,
      },
      'mcp-agent': { 'session-call': 2000, initialize: 5000 },
      sdk: { call: 800 },
      plain: { call: 150 },
    },
  },
  events: {
    ...RUN,
    operations: {
      refresh: { objectRequests: 2, rowsWritten: 7 },
      'emit-to-one': { objectRequests: 3, alarms: 1, rowsWritten: 13 },
      'emit-to-ten': { objectRequests: 3, alarms: 1, rowsWritten: 76 },
      'emit-to-1000': { objectRequests: 102, alarms: 1, rowsWritten: 7_000 },
    },
    emitsPerSecond: 500,
  },
}

function estimate(estimates: ReturnType<typeof streamEstimates>, design: string) {
  const found = estimates.find((each) => each.design === design)
  if (found === undefined) throw new Error(`There is no ${design}`)
  return found
}

describe('the model of idle streams', () => {
  const parameters = { ...DEFAULT_PARAMETERS, streams: 1000, reconnects: 4, changes: 10 }
  const estimates = streamEstimates(INPUTS, parameters)

  it('opens, holds and notifies each listener', () => {
    const { usage, objects } = estimate(estimates, 'Edgeway, `subscriptions/listen`')
    expect(objects).toBe(1)
    expect(usage).toEqual({
      ...NOTHING,
      workerRequests: 5000,
      objectRequests: 5000 + 5000,
      heartbeats: 2 * 43_200_000,
      rowsRead: 5000,
      rowsWritten: 2500,
      cpuMilliseconds: 0.5 * 43_200_000,
    })
  })

  it('checks the grant of each stream with authorization twice a minute', () => {
    const { usage, objects } = estimate(
      estimates,
      'Edgeway, `subscriptions/listen` with `embedded()`',
    )
    expect(objects).toBe(1001)
    // Opened daily, because an access token lives a day.
    expect(usage.objectRequests).toBe(30_000 + 5000 + 2 * 43_200_000)
    // The time of the last use, once an hour.
    expect(usage.rowsWritten).toBe(2500 + 1000 * 720)
  })

  it('sends the changes of a session as messages, and its heartbeats beside them', () => {
    const { usage } = estimate(estimates, 'Edgeway, stream of a session')
    expect(usage.messages).toBe(1000 * (5 * 2 + 10 * 2))
    expect(usage.heartbeats).toBe(8 * 43_200_000)
    expect(usage.rowsWritten).toBe(160_000)
  })

  it('opens a stream of McpAgent again whenever the platform closes it', () => {
    const { usage } = estimate(estimates, '`McpAgent`, stream of a session')
    // Every five minutes of 30 days.
    expect(usage.objectRequests).toBe(1000 * (7 + 8640 * 3))
    expect(usage.storedBytes).toBe(50_000_000)
  })

  it('gives each shard of the hub at most its default number of listeners', () => {
    const [shard, , publisher] = streamHotSpots({ ...parameters, streams: 1_000_001 })
    expect(shard?.load).toBe('9,901 listeners')
    expect(publisher?.load).toBe('101 object requests for one change')
  })
})

describe('the model of calls', () => {
  const parameters = { ...DEFAULT_PARAMETERS, calls: 10, callers: 100, 'session-calls': 100 }
  const calls = 10 * 2_592_000
  const estimates = callEstimates(INPUTS, parameters)

  it('touches no object without a session', () => {
    const { usage, objects } = estimate(estimates, 'Edgeway, 2026-07-28')
    expect(objects).toBe(0)
    expect(usage.cpuMilliseconds).toBeCloseTo(calls * 0.2, 5)
    expect({ ...usage, cpuMilliseconds: 0 }).toEqual({ ...NOTHING, workerRequests: calls })
  })

  it('checks the grant of a caller every 20 s', () => {
    const { usage } = estimate(estimates, 'Edgeway, 2026-07-28, with `embedded()`')
    expect(usage.objectRequests).toBe((100 / 20) * 2_592_000)
    expect(usage.rowsRead).toBe(2 * (100 / 20) * 2_592_000)
    // The time of the last use, once an hour.
    expect(usage.rowsWritten).toBe(100 * 720)
    expect(usage.workerRequests).toBe(calls)
  })

  it('checks a caller that pauses for longer at each call', () => {
    expect(checksPerSecond({ ...parameters, callers: 1000 })).toBe(10)
  })

  it('wakes the object of a session at each call', () => {
    const { usage, objects } = estimate(estimates, 'Edgeway, in sessions')
    expect(objects).toBe(calls / 100)
    expect(usage.objectRequests).toBe(2 * (calls / 100) + 2 * calls)
    expect(usage.rowsRead).toBe(calls / 100 + calls)
    expect(usage.storedBytes).toBe(0)
  })

  it('keeps the sessions of McpAgent for their days', () => {
    const { usage } = estimate(
      callEstimates(INPUTS, { ...parameters, 'session-days': 15 }),
      '`McpAgent`, in sessions',
    )
    expect(usage.storedBytes).toBe((calls / 100) * 50_000 * 0.5)
    expect(usage.rowsWritten).toBe(61 * (calls / 100) + 4 * calls)
  })
})

describe('the model of tasks', () => {
  const parameters = {
    ...DEFAULT_PARAMETERS,
    tasks: 3600,
    'task-wait-hours': 2,
    'task-kept-hours': 6,
    'task-steps': 3,
    'task-polls': 10,
  }

  it('creates as many tasks as end', () => {
    expect(createdPerSecond(parameters)).toBe(0.5)
  })

  it('counts the event, the steps, the polls and the deletion of a task', () => {
    expect(taskUsage(INPUTS, parameters)).toEqual({
      ...NOTHING,
      workerRequests: 3 + 10,
      objectRequests: 5 + 10 + 2,
      alarms: 1 + 1,
      rowsRead: 10,
      rowsWritten: 32 + 3 * 3 + 1,
      cpuMilliseconds: 0.9,
    })
  })

  it('stores the tasks that wait and those whose results are kept', () => {
    const { usage } = estimate(taskEstimates(INPUTS, parameters), 'Edgeway, durable tasks')
    expect(usage.storedBytes).toBe(4 * 3600 * 34_000)
  })
})

describe('the model of deliveries', () => {
  const parameters = {
    ...DEFAULT_PARAMETERS,
    deliveries: 1_000_000,
    'callback-ms': 100,
    'event-subscriptions': 1000,
    'event-ttl-hours': 8,
  }
  const [toOne, toTen, toAll, refreshes] = eventEstimates(INPUTS, parameters)

  it('emits as many occurrences as make the deliveries', () => {
    expect(toOne?.usage.workerRequests).toBe(1_000_000)
    expect(toTen?.usage).toMatchObject({ workerRequests: 100_000, objectRequests: 300_000 })
    expect(toAll?.usage).toMatchObject({ workerRequests: 1000, rowsWritten: 7_000_000 })
  })

  it('keeps the object of a principal in memory while its callbacks answer, eight at a time', () => {
    expect(toOne?.usage.activeSeconds).toBeCloseTo(100_000, 5)
    expect(toTen?.usage.activeSeconds).toBeCloseTo(20_000, 5)
    expect(toAll?.usage.activeSeconds).toBeCloseTo(20_000, 5)
  })

  it('refreshes each subscription after three quarters of its lifetime', () => {
    // Every six hours of 30 days.
    expect(refreshes?.usage).toMatchObject({ workerRequests: 120_000, rowsWritten: 840_000 })
  })
})

describe('the flags of npm run scale', () => {
  it('replace the assumptions they name', () => {
    expect(parseParameters(['--streams', '5', '--active-ms', '0.5'])).toEqual({
      ...DEFAULT_PARAMETERS,
      streams: 5,
      'active-ms': 0.5,
    })
  })

  it.each([['--stream', '5'], ['--streams', '0'], ['--streams', 'many'], ['--streams=Infinity']])(
    'refuse %s %s',
    (...flags) => {
      expect(() => parseParameters(flags)).toThrow(TypeError)
    },
  )
})

describe('inputs of the model', () => {
  const results: BenchResults = {
    at: '2026-02-02T00:00:00.000Z',
    processor: 'other',
    series: [
      {
        scenario: 'call',
        lane: 'edgeway',
        rounds: [300, 100, 200, 150].map((cpuMicroseconds) => ({ cpuMicroseconds })),
      },
      { scenario: 'ask', lane: 'edgeway', rounds: [{ cpuMicroseconds: 1 }] },
      { scenario: 'call', lane: 'mcp-lite 0.10.0', rounds: [{ cpuMicroseconds: 1 }] },
    ],
    usageCounts: [],
    sessionRows: [],
  }

  it('are replaced by a run for what it has measured, and kept otherwise', () => {
    const recorded = record(INPUTS, results)
    expect(recorded.processor.microseconds.edgeway).toEqual({
      ...INPUTS.processor.microseconds.edgeway,
      call: 175,
    })
    expect(recorded.processor.microseconds.sdk).toEqual({ call: 800 })
    expect(recorded.processor.at).toBe(results.at)
    expect(recorded.counts).toEqual(INPUTS.counts)
    expect(recorded.stored).toEqual(INPUTS.stored)
  })

  it('of events() are replaced by a report of npm run event-load', () => {
    const run = { at: '2026-03-03T00:00:00.000Z', processor: 'third' }
    const counts = { refresh: { objectRequests: 4 } }
    const rate = { withoutSubscriptions: 300 }
    expect(recordEvents(INPUTS, { ...run, counts, rate })).toEqual({
      ...INPUTS,
      events: { ...run, operations: { refresh: { objectRequests: 4 } }, emitsPerSecond: 300 },
    })
  })

  it('that were not measured are an error and not zero', () => {
    expect(() => operation(INPUTS, 'plain', 'session-call')).toThrow('was not measured')
  })
})

describe('the page', () => {
  it('has the tables that the script computes from the recorded inputs', () => {
    const page = readFileSync(new URL(`../${SCALE_PAGE}`, import.meta.url), 'utf8')
    expect(page).toBe(withTables(page, scaleTables(measured)))
  })

  it('changes when a parameter changes', () => {
    const { streams: _, ...tables } = scaleTables(measured)
    const others = scaleTables(measured, { ...DEFAULT_PARAMETERS, streams: 2 })
    expect(others['streams-cost']).not.toBe(tables['streams-cost'])
  })

  it('needs markers for each table, and a table for each marker', () => {
    expect(() => withTables('', { a: 'A' })).toThrow('The page has no markers for a')
    expect(() => withTables('<!-- scale: b -->\n<!-- /scale -->', {})).toThrow(
      'There is no table b',
    )
    const marked = '<!-- scale: a -->\n<!-- /scale -->'
    const written = '<!-- scale: a -->\n\nA\n\n<!-- /scale -->'
    expect(withTables(marked, { a: 'A' })).toBe(written)
    expect(withTables(written, { a: 'A' })).toBe(written)
  })

  it('shows small numbers with three digits and large ones in full', () => {
    expect([0, 0.0123456, 12.345, 123_456.7].map(count)).toEqual(['0', '0.0123', '12.3', '123,457'])
    expect(table(['a', 'b:'], [['1', '2']])).toBe('| a | b |\n| --- | --: |\n| 1 | 2 |')
  })
})
