/** The measured inputs of the model: `measured.json`, and how a run of the benchmark is recorded there. */
import { NOTHING, type Usage } from './usage.ts'

/** The servers of the model. */
export type Design = 'edgeway' | 'mcp-agent' | 'sdk' | 'plain'

/** The lane of each, in the results of the benchmark. */
const LANES: Readonly<Record<Design, string>> = {
  edgeway: 'edgeway',
  'mcp-agent': 'agents 0.32.0, `McpAgent`',
  sdk: 'official SDK 2.4.0',
  plain: 'bare Hono route',
}

/** The uses of `task-counts` that are inputs, by the name of their operation. */
const TASK_USES = {
  'task-1-step': 'create and finish, 1 step',
  'task-10-steps': 'create and finish, 10 steps',
  'task-event': 'create and finish, 1 event',
  'task-get': '`tasks/get` of a waiting task',
} as const

/** The scenarios whose processor time is an input. */
const SCENARIOS: readonly string[] = [
  'call',
  'authorized-call',
  'initialize',
  'session-call',
  'task',
  'task-get',
]

type Counts = Partial<Usage>

/** When and where something was measured. */
interface Run {
  readonly at: string
  readonly processor: string
}

/** Inputs by design and operation. */
type Inputs<T> = Readonly<Partial<Record<Design, Readonly<Record<string, T>>>>>

export interface Measured {
  /** What the platform bills for one operation. */
  readonly counts: Run & { readonly operations: Inputs<Counts> }
  /** Bytes on disk of one session and of one task. */
  readonly stored: Run & { readonly bytes: Inputs<number> }
  /** Processor time of one request: the median, in microseconds. */
  readonly processor: Run & { readonly microseconds: Inputs<number> }
  /** Of `events()`. */
  readonly events: Run & {
    /** What the platform bills for one subscribe, and for one occurrence with all its deliveries. */
    readonly operations: Readonly<Record<string, Counts>>
    /** Occurrences that one log stores in a second. */
    readonly emitsPerSecond: number
  }
}

/** The commands that measure the inputs. */
export const COMMANDS: Readonly<Record<keyof Measured, string>> = {
  counts: 'npm run bench -- --only usage-counts,task-counts --lanes edgeway,mcp-agent,sdk,bare',
  stored: 'npm run bench -- --only session-rows,task-counts --lanes edgeway,mcp-agent',
  processor: `npm run bench -- --only ${SCENARIOS.join(',')} --lanes edgeway,mcp-agent,sdk,bare`,
  events: 'npm run event-load',
}

/** One operation with its processor time, which the scenario of that name measures. */
export function operation(
  measured: Measured,
  design: Design,
  name: string,
  scenario = name,
): Usage {
  const counted = measured.counts.operations[design]?.[name]
  const microseconds = measured.processor.microseconds[design]?.[scenario]
  if (counted === undefined && microseconds === undefined) {
    throw new TypeError(`${name} of ${design} was not measured`)
  }
  // A request that touches no object is counted by its processor time alone.
  const usage = { ...NOTHING, ...(counted ?? { workerRequests: 1 }) }
  return microseconds === undefined ? usage : { ...usage, cpuMilliseconds: microseconds / 1000 }
}

export function storedBytes(measured: Measured, design: Design, name: 'session' | 'task'): number {
  return measured.stored.bytes[design]?.[name] ?? 0
}

/** The parts of `bench/results/latest.json` that are read here. */
export interface BenchResults extends Run {
  readonly series: readonly {
    readonly scenario: string
    readonly lane: string
    readonly rounds: readonly { readonly cpuMicroseconds: number }[]
  }[]
  readonly usageCounts: readonly (Counts & { readonly lane: string; readonly use: string })[]
  readonly sessionRows: readonly {
    readonly lane: string
    readonly use: string
    readonly bytes: number
  }[]
  readonly taskCounts?: {
    readonly counts: readonly (Counts & { readonly lane: string; readonly use: string })[]
    readonly storedBytes: number
  }
}

/** Sessions of `session-rows`. */
const SESSIONS = 1000

/** Replaces the inputs that a run has measured. */
export function record(measured: Measured, results: BenchResults): Measured {
  const run = { at: results.at, processor: results.processor }
  const counts = countsOf(results)
  const bytes = bytesOf(results)
  const microseconds = microsecondsOf(results)
  return {
    ...measured,
    counts: merge(run, 'operations', measured.counts, counts),
    stored: merge(run, 'bytes', measured.stored, bytes),
    processor: merge(run, 'microseconds', measured.processor, microseconds),
  }
}

/** The parts of the report of `npm run event-load` that are read here. */
export interface EventLoadResults extends Run {
  readonly counts: Readonly<Record<string, Counts>>
  readonly rate: { readonly withoutSubscriptions: number }
}

/** Replaces the inputs of `events()`. */
export function recordEvents(
  measured: Measured,
  { at, processor, counts: operations, rate }: EventLoadResults,
): Measured {
  const events = { at, processor, operations, emitsPerSecond: rate.withoutSubscriptions }
  return { ...measured, events }
}

type Found<T> = readonly (readonly [lane: string, name: string, value: T])[]

function countsOf({ usageCounts, taskCounts }: BenchResults): Found<Counts> {
  const tasks = Object.entries(TASK_USES).flatMap(([name, use]) =>
    (taskCounts?.counts ?? [])
      .filter((each) => each.use === use)
      .map(({ lane, use: _, ...counted }) => [lane, name, counted] as const),
  )
  const uses = usageCounts.map(({ lane, use, ...counted }) => [lane, use, counted] as const)
  return [...uses, ...tasks]
}

function bytesOf({ sessionRows, taskCounts }: BenchResults): Found<number> {
  const sessions = sessionRows
    .filter(({ use }) => use === 'list-and-call')
    .map(({ lane, bytes }) => [lane, 'session', Math.round(bytes / SESSIONS)] as const)
  const tasks = (taskCounts?.counts ?? [])
    .slice(0, 1)
    .map(({ lane }) => [lane, 'task', taskCounts?.storedBytes ?? 0] as const)
  return [...sessions, ...tasks]
}

function microsecondsOf({ series }: BenchResults): Found<number> {
  return series
    .filter(({ scenario }) => SCENARIOS.includes(scenario))
    .map(({ lane, scenario, rounds }) => [
      lane,
      scenario,
      median(rounds.map(({ cpuMicroseconds }) => cpuMicroseconds)),
    ])
}

/** Keeps the inputs of lanes and names that the run has not measured. */
function merge<Member extends string, T>(
  run: Run,
  member: Member,
  before: Run & Readonly<Record<Member, Inputs<T>>>,
  found: Found<T>,
): Run & Readonly<Record<Member, Inputs<T>>> {
  const designs = Object.entries(LANES) as [Design, string][]
  const known = found.filter(([lane]) => designs.some(([, name]) => name === lane))
  if (known.length === 0) return before
  const inputs = designs.map(([design, name]) => {
    const own = known.filter(([lane]) => lane === name).map(([, use, value]) => [use, value])
    return [design, { ...before[member][design], ...Object.fromEntries(own) }]
  })
  return { ...before, ...run, [member]: Object.fromEntries(inputs) }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const [low = 0, high = low] = sorted.slice(Math.ceil(middle) - 1, Math.floor(middle) + 1)
  return (low + high) / 2
}
