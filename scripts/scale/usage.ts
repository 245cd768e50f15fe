/** What a month uses, and what it costs. */
import { type Billed, MESSAGES_PER_REQUEST, MONTHLY_FEE, OBJECT_GB, PRICES } from './prices.ts'

/** Of one operation, or of a month. */
export interface Usage {
  readonly workerRequests: number
  /** RPC calls, fetches, opened WebSockets and alarms. */
  readonly objectRequests: number
  /** Those of `objectRequests` that are alarms. */
  readonly alarms: number
  /** Messages to objects over WebSockets that their code handles. */
  readonly messages: number
  /** Messages to objects that the platform answers for them. They take no duration. */
  readonly heartbeats: number
  readonly rowsRead: number
  readonly rowsWritten: number
  readonly cpuMilliseconds: number
  /** Time in which objects stay in memory besides that of their requests and messages. */
  readonly activeSeconds: number
  /** Stored for the whole month, in bytes. */
  readonly storedBytes: number
}

export const NOTHING: Usage = {
  workerRequests: 0,
  objectRequests: 0,
  alarms: 0,
  messages: 0,
  heartbeats: 0,
  rowsRead: 0,
  rowsWritten: 0,
  cpuMilliseconds: 0,
  activeSeconds: 0,
  storedBytes: 0,
}

const MEMBERS = Object.keys(NOTHING) as (keyof Usage)[]

function map(of: (member: keyof Usage) => number): Usage {
  return Object.fromEntries(MEMBERS.map((member) => [member, of(member)])) as Record<
    keyof Usage,
    number
  >
}

export function times(count: number, usage: Partial<Usage>): Usage {
  return map((member) => count * (usage[member] ?? 0))
}

export function sum(...usages: readonly Usage[]): Usage {
  return map((member) => usages.reduce((total, usage) => total + usage[member], 0))
}

/** The usage of `one` beyond that of `other`. */
export function difference(one: Usage, other: Usage): Usage {
  return sum(one, times(-1, other))
}

/** How long an object is active for a request, an alarm or a message, in milliseconds. */
export interface ActiveTime {
  readonly activeMs: number
}

export function billedUnits(
  usage: Usage,
  { activeMs }: ActiveTime,
): Readonly<Record<Billed, number>> {
  const { objectRequests, messages, heartbeats, activeSeconds } = usage
  const active = activeSeconds + ((objectRequests + messages) * activeMs) / 1000
  return {
    workerRequests: usage.workerRequests,
    cpuMilliseconds: usage.cpuMilliseconds,
    objectRequests: objectRequests + (messages + heartbeats) / MESSAGES_PER_REQUEST,
    durationGbSeconds: active * OBJECT_GB,
    rowsRead: usage.rowsRead,
    rowsWritten: usage.rowsWritten,
    storedGb: usage.storedBytes / 1e9,
  }
}

/** US dollars for each unit that is billed, beyond what the plan includes. */
export function costs(usage: Usage, active: ActiveTime): Readonly<Record<Billed, number>> {
  const units = billedUnits(usage, active)
  const dollars = Object.entries(PRICES).map(([name, { included, per, dollars }]) => {
    const billed = Math.max(0, units[name as Billed] - included)
    return [name, (billed / per) * dollars]
  })
  return Object.fromEntries(dollars) as Record<Billed, number>
}

/** US dollars for each unit that is billed, in an account that uses up what the plan includes. */
export function marginalCosts(usage: Usage, active: ActiveTime): Readonly<Record<Billed, number>> {
  const units = billedUnits(usage, active)
  const dollars = Object.entries(PRICES).map(([name, { per, dollars }]) => [
    name,
    (units[name as Billed] / per) * dollars,
  ])
  return Object.fromEntries(dollars) as Record<Billed, number>
}

/** US dollars a month, with the fee of the plan. */
export function monthlyCost(usage: Usage, active: ActiveTime): number {
  return Object.values(costs(usage, active)).reduce((total, cost) => total + cost, MONTHLY_FEE)
}
