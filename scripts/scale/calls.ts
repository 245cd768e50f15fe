/** Calls at a constant rate, all month. */
import { type Estimate, type HotSpot, MONTH_S } from './estimate.ts'
import { count } from './figures.ts'
import { BYTES_PER_OBJECT, REQUESTS_PER_OBJECT_SECOND } from './limits.ts'
import { type Design, type Measured, operation, storedBytes } from './measured.ts'
import type { Parameters } from './parameters.ts'
import { difference, NOTHING, sum, times, type Usage } from './usage.ts'

/** A check of a grant that is younger is used, in seconds. */
const GRANT_CHECK_S = 20

/** The account stores when a grant was last used, accurate to an hour. */
export const LAST_USE_S = 3600

/** Objects of the kind `redeemed`, for the tombstones of sessions, and as many of `principals`. */
const KEYRING_SHARDS = 16

export function callEstimates(measured: Measured, parameters: Parameters): readonly Estimate[] {
  const calls = parameters.calls * MONTH_S
  const { callers } = parameters
  const sessions = calls / parameters['session-calls']
  const stateless = (design: Design) => times(calls, operation(measured, design, 'call'))
  const inSessions = (design: Design, call: Usage) =>
    sum(
      times(sessions, operation(measured, design, 'open-session', 'initialize')),
      times(calls, call),
      {
        ...NOTHING,
        storedBytes:
          (storedBytes(measured, design, 'session') * sessions * parameters['session-days']) / 30,
      },
    )
  // The object of the session was evicted since the last call.
  const call = (design: Design) => operation(measured, design, 'woken-session-call', 'session-call')
  return [
    { design: 'Edgeway, 2026-07-28', objects: 0, usage: stateless('edgeway') },
    {
      design: 'Edgeway, 2026-07-28, with `embedded()`',
      objects: callers,
      usage: sum(
        times(calls, operation(measured, 'edgeway', 'checked-authorized-call', 'authorized-call')),
        times(checksPerSecond(parameters) * MONTH_S, { ...grantCheck(measured), rowsWritten: 0 }),
        times(perCaller(parameters, LAST_USE_S) * MONTH_S, { rowsWritten: 1 }),
      ),
    },
    {
      design: 'Edgeway, in sessions',
      objects: sessions,
      usage: inSessions('edgeway', call('edgeway')),
    },
    {
      design: '`McpAgent`, in sessions',
      objects: sessions,
      usage: inSessions('mcp-agent', call('mcp-agent')),
    },
    { design: 'Official SDK, stateless', objects: 0, usage: stateless('sdk') },
    { design: 'Plain Worker', objects: 0, usage: stateless('plain') },
  ]
}

export function checksPerSecond(parameters: Parameters): number {
  return perCaller(parameters, GRANT_CHECK_S)
}

/** How often a second something happens that each caller causes once in an interval, or at each call after a longer pause. */
function perCaller({ calls, callers }: Parameters, intervalS: number): number {
  return callers / Math.max(intervalS, callers / calls)
}

/** What a call with a check uses beyond one without. */
function grantCheck(measured: Measured): Usage {
  const checked = operation(measured, 'edgeway', 'grant-check')
  return difference(checked, operation(measured, 'edgeway', 'checked-authorized-call'))
}

export function callHotSpots(measured: Measured, parameters: Parameters): readonly HotSpot[] {
  const { calls, callers } = parameters
  const lookups = calls / KEYRING_SHARDS
  const most = KEYRING_SHARDS * REQUESTS_PER_OBJECT_SECOND
  const sessionBytes = storedBytes(measured, 'mcp-agent', 'session')
  const perObject = `${count(REQUESTS_PER_OBJECT_SECOND)} requests/s`
  return [
    {
      object: 'stateless calls',
      load: 'no object',
      limit: 'none',
      answer: 'isolates are added by the platform',
    },
    {
      object: 'the account of one caller',
      load: `${count(checksPerSecond(parameters) / callers)} checks/s for each isolate`,
      limit: perObject,
      answer: 'a check is shared by all requests of an isolate and used for 20 s',
    },
    {
      object: 'the object of one session',
      load: `${count(calls / callers)} requests/s`,
      limit: perObject,
      answer: 'one object for each session; a principal is limited before it reaches the object',
    },
    {
      object: 'a shard of the tombstones, when every call wakes its session',
      load: `${count(lookups)} requests/s`,
      limit: perObject,
      answer: `${KEYRING_SHARDS} shards serve ${count(most)} wakes/s; their number is fixed`,
    },
    {
      object: 'the storage of a session of `McpAgent`',
      load: `${count(sessionBytes)} bytes`,
      limit: `${count(BYTES_PER_OBJECT)} bytes`,
      answer: '–',
    },
  ]
}
