/** The tables of `docs/scale.md`: what was counted for one operation, times how often it happens in a month. */

/** By unit, of one operation or of a month. Object requests are RPC calls, fetches, opened WebSockets and alarms. */
export type Usage = Readonly<Record<string, number>>

/** `scale-counts.json`. */
export interface ScaleCounts {
  readonly assumptions: Usage
  /** US dollars beyond what the plan includes, for a million units. That of stored data is for one GB. */
  readonly prices: Usage
  readonly runs: Readonly<Record<string, Run>>
}

interface Run {
  /** The command that has counted the operations. */
  readonly command: string
  readonly at: string
  readonly operations: Readonly<Record<string, Usage>>
}

type Part = readonly [times: number, of: string | Usage]

const HOURS = 30 * 24
const MINUTES = HOURS * 60
const LISTENERS_PER_SHARD = 10_000

/** What a month of each scenario uses. */
export function needs({ assumptions, runs }: ScaleCounts): Readonly<Record<string, Usage>> {
  const operations = Object.assign({}, ...Object.values(runs).map((run) => run.operations))
  const of = (name: string): Usage => operations[name] ?? fail(`${name} was not counted`)
  const n = (name: string) => assumptions[name] ?? fail(`${name} is no assumption`)
  const sum = (...parts: readonly Part[]): Usage => {
    const all: Record<string, number> = {}
    for (const [times, part] of parts) {
      for (const [unit, value] of Object.entries(typeof part === 'string' ? of(part) : part))
        all[unit] = (all[unit] ?? 0) + times * value
    }
    return all
  }
  const one = { objects: 1 }
  /** The platform answers what an idle stream sends. The account stores the last use, accurate to an hour. */
  const idle = (name: string): Part => {
    const { messages: heartbeats = 0, ...minute } = of(name)
    return [MINUTES, { ...minute, rowsWritten: 0, heartbeats }]
  }
  const lastUse = { rowsWritten: 1 }
  const openings = n('reconnects') + 1
  const streams = (...parts: readonly Part[]) =>
    sum([n('streams'), sum(...parts)], [Math.ceil(n('streams') / LISTENERS_PER_SHARD), one])
  const heard: Part = [n('changes'), 'change-to-listener']
  const session = sum([1, 'open-session'], [1, one])
  const steps = n('task-steps') / 9
  /** The object of a principal waits for its callbacks. */
  const delivered = (name: string, each: number, waits: number) => {
    const occurrence = { workerRequests: 1, seconds: (waits * n('callback-ms')) / 1000 }
    return sum([n('deliveries') / each, sum([1, name], [1, occurrence])])
  }
  const refreshes = (n('subscriptions') * HOURS) / (n('subscription-hours') * 0.75)
  return {
    'people with `embedded()`, and their calls': sum(
      [n('people'), one],
      [n('people') * n('visits'), sum([1, 'first-authorized-call'], [1, lastUse])],
      [n('people') * n('visits') * (n('visit-calls') - 1), 'checked-authorized-call'],
    ),
    'sessions, and their calls, each after a pause': sum(
      [n('sessions'), session],
      [n('sessions') * n('session-calls'), 'woken-session-call'],
    ),
    'streams of sessions': streams([1, session], [openings, 'open-stream'], idle('stream-minute'), [
      n('changes'),
      'change-on-stream',
    ]),
    'listeners (`subscriptions/listen`)': streams(
      [openings, 'open-listener'],
      idle('listener-minute'),
      heard,
    ),
    // An access token lives for a day, and its stream ends with it.
    'listeners with `embedded()`': streams(
      [1, one],
      [Math.max(openings, 30), 'open-listener'],
      idle('authorized-listener-minute'),
      [HOURS, lastUse],
      heard,
    ),
    tasks: sum([
      n('tasks'),
      sum(
        [1, 'create and finish, 1 event'],
        [steps, 'create and finish, 10 steps'],
        [-steps, 'create and finish, 1 step'],
        [n('task-polls'), '`tasks/get` of a waiting task'],
        [n('task-hours') / HOURS, 'stored by a task'],
        // Its deletion is read in the code: an alarm, and a request to the list of tasks.
        [1, { objects: 1, objectRequests: 2, rowsWritten: 1 }],
      ),
    ]),
    'deliveries, one of each occurrence': delivered('emit-to-one', 1, 1),
    // To 100 principals, ten each. A principal has eight attempts at a host at a time.
    'deliveries, 1,000 of each occurrence': delivered('emit-to-1000', 1000, 200),
    'subscriptions to events, and their refreshes': sum(
      [refreshes, 'refresh'],
      [refreshes, { workerRequests: 1 }],
    ),
  }
}

/** What a month costs. 20 messages are billed as a request, and an object in memory as 128 MB. */
export function dollars(usage: Usage, { assumptions, prices }: ScaleCounts): number {
  const { objectRequests = 0, messages = 0, heartbeats = 0, seconds = 0, storedGb = 0 } = usage
  const active = seconds + ((objectRequests + messages) * (assumptions['active-ms'] ?? 0)) / 1000
  const units: Usage = {
    ...usage,
    objectRequests: objectRequests + (messages + heartbeats) / 20,
    gbSeconds: active * 0.128,
    storedGb: storedGb * 1e6,
  }
  const costs = Object.entries(prices).map(([unit, price]) => (units[unit] ?? 0) * price)
  return costs.reduce((sum, cost) => sum + cost, 0) / 1e6
}

/** The generated parts of the page, by the name of their markers. */
export function scaleTables(counts: ScaleCounts): Readonly<Record<'needs' | 'inputs', string>> {
  const { assumptions, prices, runs } = counts
  const units = ['workerRequests', 'objectRequests', 'messages', 'rowsRead', 'rowsWritten']
  const titles = [
    'Worker requests:',
    'object requests:',
    'messages:',
    'rows read:',
    'rows written:',
  ]
  const needed = Object.entries(needs(counts)).map(([title, usage]) => {
    const { messages = 0, heartbeats = 0, storedGb = 0 } = usage
    const shown: Usage = { ...usage, messages: messages + heartbeats }
    const figures = ['objects', ...units].map((unit) => count((shown[unit] ?? 0) / 1e6))
    return [title, ...figures, count(storedGb), count(dollars(usage, counts))]
  })
  const counted = Object.values(runs).flatMap(({ operations }) =>
    Object.entries(operations)
      .filter(([, { storedGb }]) => storedGb === undefined)
      .map(([name, usage]) => [
        name,
        ...[...units, 'cpuMilliseconds'].map((unit) => count(usage[unit])),
      ]),
  )
  const flags = Object.entries(assumptions).map(([name, value]) => `\`--${name} ${value}\``)
  const dollar = Object.entries(prices).map(([unit, price]) => `\`${unit}\` ${price}`)
  const commands = Object.values(runs).map(
    ({ command, at }) => `\`${command}\`, ${at.slice(0, 10)}`,
  )
  return {
    needs: `${table(['a month, in millions', 'objects:', ...titles, 'stored GB:', '$:'], needed)}

The flags and their defaults: ${flags.join(' ')}

The prices: ${dollar.join(', ')}`,
    inputs: `${table(['operation', ...titles, 'CPU ms:'], counted)}\n\n${commands.join('; ')}`,
  }
}

/** The page with the tables between its markers. */
export function withTables(page: string, tables: Readonly<Record<string, string>>): string {
  const marked = /(<!-- scale: (\w+) -->\n)[\s\S]*?(\n<!-- \/scale -->)/g
  return page.replace(marked, (_, open, name, close) => `${open}\n${tables[name]}\n${close}`)
}

interface Results {
  readonly at: string
  readonly usageCounts?: readonly Counted[]
  readonly taskCounts?: { readonly counts: readonly Counted[]; readonly storedBytes: number }
  /** Of `npm run stress -- event-load`. */
  readonly counts?: Readonly<Record<string, Usage>>
}

type Counted = Readonly<Record<string, number | string>>

/** Replaces what a run of the benchmark or of `npm run stress -- event-load` has counted. */
export function recorded(counts: ScaleCounts, results: Results): ScaleCounts {
  const own = (list: readonly Counted[] = []) =>
    list
      .filter(({ lane }) => lane === 'edgeway')
      .map(({ lane: _, use, ...usage }) => [String(use), usage as Usage] as const)
  const stored = { storedGb: (results.taskCounts?.storedBytes ?? 0) / 1e9 }
  const tasks = own(results.taskCounts?.counts)
  const found: Readonly<Record<string, readonly (readonly [string, Usage])[]>> = {
    usage: own(results.usageCounts),
    tasks: tasks.length === 0 ? [] : [...tasks, ['stored by a task', stored]],
    events: Object.entries(results.counts ?? {}),
  }
  const runs = Object.entries(counts.runs).map(([name, run]) => {
    const operations = found[name] ?? []
    const replaced = { ...run, at: results.at, operations: Object.fromEntries(operations) }
    return [name, operations.length === 0 ? run : replaced]
  })
  return { ...counts, runs: Object.fromEntries(runs) }
}

/** At most three significant digits below a thousand, whole numbers above. */
function count(value: number | undefined): string {
  if (value === undefined) return '–'
  const digits = value < 1000 ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 0 }
  return value.toLocaleString('en-US', digits)
}

/** A column whose title ends with a colon is aligned to the right. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const ruler = head.map((title) => (title.endsWith(':') ? '--:' : '---'))
  const titles = head.map((title) => title.replace(/:$/, ''))
  return [line(titles), line(ruler), ...rows.map(line)].join('\n')
}

function fail(message: string): never {
  throw new TypeError(message)
}
