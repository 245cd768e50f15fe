/** The assumptions of the model. Each is a flag of `npm run scale`. */
import { parseArgs } from 'node:util'

interface Parameter {
  readonly value: number
  readonly meaning: string
}

export const PARAMETERS = {
  streams: { value: 1_000_000, meaning: 'streams that are open all month' },
  reconnects: {
    value: 12,
    meaning:
      'times a month that a stream is opened again: after deployments, and when the platform restarts its runtime',
  },
  'idle-timeout-s': {
    value: 300,
    meaning: 'seconds after which the platform closes a stream on which nothing is sent',
  },
  changes: { value: 30, meaning: 'changes a month that are published to all streams' },
  calls: { value: 10_000, meaning: 'calls a second, all month' },
  callers: {
    value: 100_000,
    meaning: 'callers who call at the same time, each with a grant, whose calls reach one isolate',
  },
  'session-calls': { value: 100, meaning: 'calls of a session' },
  'session-days': {
    value: 30,
    meaning: 'days until the storage of a session that its client has not deleted is deleted',
  },
  tasks: { value: 100_000, meaning: 'tasks that wait at any time' },
  'task-steps': { value: 3, meaning: 'steps of a task' },
  'task-wait-hours': { value: 24, meaning: 'hours that a task waits for its event' },
  'task-kept-hours': { value: 24, meaning: 'hours that the result of a task is kept' },
  'task-polls': { value: 24, meaning: '`tasks/get` requests of a task while it waits' },
  deliveries: { value: 1_000_000, meaning: 'deliveries of events to callbacks in a month' },
  'callback-ms': { value: 200, meaning: 'milliseconds until a callback answers a delivery' },
  'event-subscriptions': { value: 10_000, meaning: 'subscriptions to events that live all month' },
  'event-ttl-hours': {
    value: 6,
    meaning: 'lifetime of a subscription, which its client refreshes after three quarters of it',
  },
  'active-ms': {
    value: 10,
    meaning:
      'milliseconds that an object is active for one request, alarm or message, as in the examples of the pricing page',
  },
} as const satisfies Readonly<Record<string, Parameter>>

export type Parameters = Readonly<Record<keyof typeof PARAMETERS, number>>

const NAMES = Object.keys(PARAMETERS) as (keyof Parameters)[]

export const DEFAULT_PARAMETERS = Object.fromEntries(
  NAMES.map((name) => [name, PARAMETERS[name].value]),
) as Parameters

/** @throws {TypeError} for an unknown flag, and for a value that is not a positive number */
export function parseParameters(flags: readonly string[]): Parameters {
  const options = Object.fromEntries(NAMES.map((name) => [name, { type: 'string' } as const]))
  const { values } = parseArgs({ args: [...flags], options })
  const given = Object.entries(values).map(([name, text]) => {
    const value = Number(text)
    if (!(value > 0 && Number.isFinite(value)))
      throw new TypeError(`--${name} takes a number above 0`)
    return [name, value] as const
  })
  return { ...DEFAULT_PARAMETERS, ...Object.fromEntries(given) }
}
