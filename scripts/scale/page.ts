/** The tables of `docs/scale.md`, and how they are put between its markers. */
import { callEstimates, callHotSpots } from './calls.ts'
import type { Estimate, HotSpot } from './estimate.ts'
import { eventEstimates, eventHotSpots } from './events.ts'
import { cents, count, dollars, millions, table } from './figures.ts'
import { LIMITS } from './limits.ts'
import { COMMANDS, type Measured } from './measured.ts'
import { DEFAULT_PARAMETERS, PARAMETERS, type Parameters } from './parameters.ts'
import { type Billed, MONTHLY_FEE, PRICES, type Price, type Source } from './prices.ts'
import { streamEstimates, streamHotSpots } from './streams.ts'
import { taskEstimates, taskHotSpots } from './tasks.ts'
import { billedUnits, costs, marginalCosts, monthlyCost } from './usage.ts'

export const SCALE_PAGE = 'docs/scale.md'

const BILLED = Object.keys(PRICES) as Billed[]

/** The generated parts of the page, by the name of their markers. */
export function scaleTables(
  measured: Measured,
  parameters: Parameters = DEFAULT_PARAMETERS,
): Readonly<Record<string, string>> {
  const scenarios = {
    streams: [streamEstimates(measured, parameters), streamHotSpots(parameters)],
    calls: [callEstimates(measured, parameters), callHotSpots(measured, parameters)],
    tasks: [taskEstimates(measured, parameters), taskHotSpots(measured, parameters)],
  } as const
  const parts = Object.entries(scenarios).flatMap(([name, [estimates, hotSpots]]) => [
    [`${name}-usage`, usageTable(estimates)],
    [`${name}-cost`, costTable(estimates, parameters)],
    [`${name}-hot-spots`, hotSpotTable(hotSpots)],
  ])
  const events = eventEstimates(measured, parameters)
  return {
    'events-usage': usageTable(events),
    'events-cost': marginalCostTable(events, parameters),
    'events-hot-spots': hotSpotTable(eventHotSpots(measured)),
    parameters: parameterTable(parameters),
    prices: priceTable(),
    limits: limitTable(),
    inputs: inputTables(measured),
    ...Object.fromEntries(parts),
  }
}

const MARKED = /(<!-- scale: ([\w-]+) -->)[\s\S]*?(<!-- \/scale -->)/g

/** Replaces what is between the markers. @throws {TypeError} when a table has no markers, or markers no table */
export function withTables(page: string, tables: Readonly<Record<string, string>>): string {
  const missing = new Set(Object.keys(tables))
  const written = page.replace(MARKED, (_, open: string, name: string, close: string) => {
    const table = tables[name]
    if (table === undefined) throw new TypeError(`There is no table ${name}`)
    missing.delete(name)
    return `${open}\n\n${table}\n\n${close}`
  })
  if (missing.size > 0)
    throw new TypeError(`The page has no markers for ${[...missing].join(', ')}`)
  return written
}

function usageTable(estimates: readonly Estimate[]): string {
  return table(
    [
      'a month, in millions',
      'objects:',
      'Worker requests:',
      'object requests:',
      'alarms:',
      'WebSocket messages:',
      'rows read:',
      'rows written:',
      'CPU ms:',
      'stored GB (not millions):',
    ],
    estimates.map(({ design, objects, usage }) => [
      design,
      ...[
        objects,
        usage.workerRequests,
        usage.objectRequests,
        usage.alarms,
        usage.messages + usage.heartbeats,
        usage.rowsRead,
        usage.rowsWritten,
        usage.cpuMilliseconds,
      ].map(millions),
      count(usage.storedBytes / 1e9),
    ]),
  )
}

function costTable(estimates: readonly Estimate[], parameters: Parameters): string {
  const active = { activeMs: parameters['active-ms'] }
  return table(
    [
      '$ a month',
      ...BILLED.map((name) => `${PRICES[name].title}:`),
      'GB-s, in millions:',
      '**all**:',
    ],
    estimates.map(({ design, usage }) => {
      const byUnit = costs(usage, active)
      return [
        design,
        ...BILLED.map((name) => dollars(byUnit[name])),
        millions(billedUnits(usage, active).durationGbSeconds),
        `**${dollars(monthlyCost(usage, active))}**`,
      ]
    }),
  )
}

/** Without what the plan includes: each design is one of several in its account. */
function marginalCostTable(estimates: readonly Estimate[], parameters: Parameters): string {
  const active = { activeMs: parameters['active-ms'] }
  const units = BILLED.filter((name) => name !== 'cpuMilliseconds' && name !== 'storedGb')
  return table(
    ['$ a month', ...units.map((name) => `${PRICES[name].title}:`), '**all**:'],
    estimates.map(({ design, usage }) => {
      const byUnit = marginalCosts(usage, active)
      const all = units.reduce((total, name) => total + byUnit[name], 0)
      return [design, ...units.map((name) => cents(byUnit[name])), `**${cents(all)}**`]
    }),
  )
}

function hotSpotTable(hotSpots: readonly HotSpot[]): string {
  return table(
    ['object', 'load', 'limit', 'what the design does'],
    hotSpots.map(({ object, load, limit, answer }) => [object, load, limit, answer]),
  )
}

function parameterTable(parameters: Parameters): string {
  const names = Object.keys(PARAMETERS) as (keyof Parameters)[]
  return table(
    ['flag', 'value:', 'assumption'],
    names.map((name) => [`\`--${name}\``, count(parameters[name]), PARAMETERS[name].meaning]),
  )
}

function priceTable(): string {
  const rows = (Object.values(PRICES) as readonly Price[]).map(
    ({ title, dollars, per, unit, included, source }) => [
      title,
      `$${dollars} per ${per === 1 ? unit : `${count(per)} ${unit}`}`,
      count(included),
      sourceLink(source),
    ],
  )
  const fee = ['The plan', `$${MONTHLY_FEE} a month`, '', sourceLink(PRICES.workerRequests.source)]
  return table(['unit', 'price', 'included:', 'page, with the date it names'], [fee, ...rows])
}

function limitTable(): string {
  return table(
    ['limit', 'value:', 'page, with the date it names'],
    LIMITS.map(({ title, value, source }) => [title, value, sourceLink(source)]),
  )
}

function sourceLink({ page, lastUpdated }: Source): string {
  return `[${new URL(page).pathname}](${page}), ${lastUpdated}`
}

function inputTables({ counts, stored, processor, events }: Measured): string {
  const figures = [
    'workerRequests',
    'objectRequests',
    'alarms',
    'messages',
    'rowsRead',
    'rowsWritten',
    'cpuMilliseconds',
  ] as const
  const counted = Object.entries(counts.operations).flatMap(([design, operations]) =>
    Object.entries(operations).map(([name, usage]) => [
      design,
      name,
      ...figures.map((figure) => (usage[figure] === undefined ? '–' : count(usage[figure]))),
    ]),
  )
  const single = (inputs: Readonly<Record<string, Readonly<Record<string, number>>>>) =>
    Object.entries(inputs).flatMap(([design, values]) =>
      Object.entries(values).map(([name, value]) => [design, name, count(value)]),
    )
  const measuredBy = (run: { at: string; processor: string }, command: string) =>
    `\`${command}\`, ${run.at.slice(0, 10)}, ${run.processor}:`
  return [
    measuredBy(counts, COMMANDS.counts),
    table(
      [
        'server',
        'operation',
        'Worker requests:',
        'object requests:',
        'alarms:',
        'messages:',
        'rows read:',
        'rows written:',
        'CPU ms:',
      ],
      counted,
    ),
    measuredBy(processor, COMMANDS.processor),
    table(['server', 'scenario', 'CPU µs:'], single(processor.microseconds)),
    measuredBy(stored, COMMANDS.stored),
    table(['server', 'stored', 'bytes:'], single(stored.bytes)),
    measuredBy(events, COMMANDS.events),
    table(
      ['operation of `events()`', 'object requests:', 'alarms:', 'rows read:', 'rows written:'],
      Object.entries(events.operations).map(([name, usage]) => [
        name,
        ...(['objectRequests', 'alarms', 'rowsRead', 'rowsWritten'] as const).map((figure) =>
          count(usage[figure] ?? 0),
        ),
      ]),
    ),
  ].join('\n\n')
}
