/** A million deliveries to callbacks, by how many subscriptions an occurrence concerns. */
import { type Estimate, type HotSpot, MONTH_S } from './estimate.ts'
import { count } from './figures.ts'
import { BYTES_PER_OBJECT, REQUESTS_PER_OBJECT_SECOND } from './limits.ts'
import type { Measured } from './measured.ts'
import type { Parameters } from './parameters.ts'
import { NOTHING, sum, times, type Usage } from './usage.ts'

/** Attempts of one principal at a host at the same time (`packages/events/src/objects/subscriber/deliveries.ts`). */
const IN_FLIGHT = 8

interface Shape {
  readonly design: string
  /** In `measured.json`: what one occurrence costs, with all its deliveries. */
  readonly operation: string
  readonly principals: number
  /** Of each principal, those that the occurrence concerns. */
  readonly subscriptions: number
}

const SHAPES: readonly Shape[] = [
  {
    design: 'to one subscription of one principal',
    operation: 'emit-to-one',
    principals: 1,
    subscriptions: 1,
  },
  {
    design: 'to ten subscriptions of one principal',
    operation: 'emit-to-ten',
    principals: 1,
    subscriptions: 10,
  },
  {
    design: 'to 1,000 subscriptions of 100 principals',
    operation: 'emit-to-1000',
    principals: 100,
    subscriptions: 10,
  },
]

export function eventEstimates(measured: Measured, parameters: Parameters): readonly Estimate[] {
  const { deliveries } = parameters
  const delivered = SHAPES.map((shape) => {
    const emits = deliveries / (shape.principals * shape.subscriptions)
    return {
      design: `${count(emits)} occurrences, each ${shape.design}`,
      objects: shape.principals + 1,
      usage: times(emits, occurrenceUsage(measured, parameters, shape)),
    }
  })
  const refreshes = refreshesPerMonth(parameters)
  return [
    ...delivered,
    {
      design: `Refreshes of ${count(parameters['event-subscriptions'])} subscriptions`,
      objects: 0,
      usage: times(refreshes, usageOf(measured, 'refresh')),
    },
  ]
}

/** With its deliveries, each by one attempt. An object waits for its callbacks, which keeps it in memory. */
function occurrenceUsage(
  measured: Measured,
  parameters: Parameters,
  { operation, principals, subscriptions }: Shape,
): Usage {
  const waits = principals * Math.ceil(subscriptions / IN_FLIGHT)
  const activeSeconds = (waits * parameters['callback-ms']) / 1000
  return sum(usageOf(measured, operation), { ...NOTHING, activeSeconds })
}

/** One request of a Worker, which emits or subscribes. */
function usageOf({ events }: Measured, name: string): Usage {
  const counted = events.operations[name]
  if (counted === undefined) throw new TypeError(`${name} of events() was not measured`)
  return { ...NOTHING, workerRequests: 1, ...counted }
}

/** Clients refresh after about three quarters of the lifetime. */
function refreshesPerMonth(parameters: Parameters): number {
  const everyS = parameters['event-ttl-hours'] * 3600 * 0.75
  return parameters['event-subscriptions'] * (MONTH_S / everyS)
}

export function eventHotSpots({ events }: Measured): readonly HotSpot[] {
  return [
    {
      object: 'the log of one type',
      load: `${count(events.emitsPerSecond)} occurrences/s on the machine of the measurement`,
      limit: `${count(REQUESTS_PER_OBJECT_SECOND)} requests/s`,
      answer:
        'one log for each type, or for each person of a `personal` type; a type that emits more is divided',
    },
    {
      object: 'the storage of one log',
      load: '100,000 occurrences, and 4 GB (`bytesPerObject`)',
      limit: `${count(BYTES_PER_OBJECT)} bytes`,
      answer:
        'above either limit the oldest are lost: emit what a client needs to ask for the rest',
    },
    {
      object: 'the object of one principal',
      load: 'its own deliveries, 8 at a host at the same time',
      limit: `${count(REQUESTS_PER_OBJECT_SECOND)} requests/s`,
      answer: 'one object for each principal; `subscriptionsPerPrincipal` bounds its subscriptions',
    },
  ]
}
